// Before all tests: bundles the measuring process as the package's build does, so that the runner finds it.

import { build } from "esbuild";

export async function setup(): Promise<void> {
  await build({
    entryPoints: ["src/native/runner/worker.ts"],
    outfile: "dist/native/worker.js",
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
}
