// Bundles test/support/build-child.ts, because Node 20 runs no TypeScript; the package has to be found from the output.

import { join } from "node:path";
import { build } from "esbuild";

/** Absolute path of the script; `user` tells test files apart, which run side by side. */
export async function childScript(user: string): Promise<string> {
  const outfile = join(import.meta.dirname, `../../dist/test/build-child-${user}.js`);
  await build({
    entryPoints: [join(import.meta.dirname, "build-child.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
