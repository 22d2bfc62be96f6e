// Building for the machine: a listing needs no compiler, it is what the measuring process runs.

import type { Executor } from "../../src/native/backend/executor.ts";
import type { VtaSource } from "./code-generator.ts";
import type { VtaRunnable } from "./loader.ts";

/** @param module URL of `loader.ts` as JavaScript, which the measuring process imports */
export const vtaExecutor = (module: string): Executor<VtaSource> => ({
  name: "vta",
  build: (sources) =>
    sources.map(({ listing }) => {
      const runnable: VtaRunnable = { kind: "vta", module, listing };
      return { kind: "built", runnable };
    }),
});
