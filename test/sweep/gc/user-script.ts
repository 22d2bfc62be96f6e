// Bundles the process that uses a store, because Node 20 runs no TypeScript; cacache has to be found from the output.

import { join } from "node:path";
import { build } from "esbuild";

export async function userScript(): Promise<string> {
  const outfile = join(process.cwd(), "dist/test/store-user.mjs");
  await build({
    entryPoints: ["test/sweep/gc/store-user-process.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
