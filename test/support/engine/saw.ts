// Observations of tests in an engine, kept beside their outcome: `npm run test:engines` makes the table of
// docs/engines.md of them.

import type { EngineName } from "./engine.ts";

/** Rows of the table, as the docs name them. */
export const features = {
  calls: "A call answers right, from a module in the code and from a file",
  async: "`.async` computes in a worker",
  threads:
    "Threads share a kernel's loops in an isolated page ([WebKitGTK has to be told](#differences-between-engines))",
  worker: "The same three in a module worker of the page's own",
  "relaxed SIMD": "The relaxed-SIMD twin runs",
  policy: "Under a policy without `unsafe-eval`, with `wasm-unsafe-eval`",
  dev: "Vite's dev server replaces a kernel while the page goes on",
  bench: "The page of `bench --browser` measures",
  report: "The page of a report draws its charts and is used by keyboard",
  ImageData: "A kernel of u8 takes `ImageData` and writes into it",
  Float16Array: "`Float16Array` reads and writes the arrays of a kernel of f16",
} as const;

export type Feature = keyof typeof features;

export interface Seen {
  readonly engine: EngineName;
  readonly version: string;
  readonly feature: Feature;
  /** "yes", or what is in its place. */
  readonly answer: string;
}

declare module "vitest" {
  interface TaskMeta {
    seen?: readonly Seen[];
  }
}

/** Adds observations to a test. They count if the test passes. */
export function saw({ meta }: { readonly meta: { seen?: readonly Seen[] } }, ...seen: readonly Seen[]): void {
  meta.seen = [...(meta.seen ?? []), ...seen];
}
