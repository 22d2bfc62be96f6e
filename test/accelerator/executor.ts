// Building for the machine: a listing needs no compiler, it is what the measuring process runs.

import type { Executor } from "../../src/native/backend/executor.ts";
import type { VtaSource } from "./code-generator.ts";
import type { VtaRunnable } from "./loader.ts";

/** Modules of the back end, bundled to JavaScript as a package of it would be published. */
export interface VtaModules {
  /** URL of `loader.ts`, which the measuring process imports. */
  readonly loader: string;
  /** Path of `opener.ts`, which becomes part of users' programs. */
  readonly opener: string;
}

export const vtaExecutor = ({ loader, opener }: VtaModules): Executor<VtaSource> => ({
  name: "vta",
  opener,
  build: (sources) =>
    sources.map(({ listing }) => {
      const runnable: VtaRunnable = { kind: "vta", module: loader, listing };
      return { kind: "built", runnable };
    }),
});
