// Runs a bench or a sweep that is written in TypeScript, on a fresh build of the package: `node test/run-typescript.js
// lowering …`. What follows the name are its own arguments.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Where each is, from test/. */
const entries = {
  choice: "bench/choice.ts",
  compilers: "bench/compilers.ts",
  convolution: "bench/convolution.ts",
  "cost-model": "bench/cost-model/cost-model.ts",
  kill: "kill/kill.ts",
  landscapes: "bench/landscapes/landscapes.ts",
  lowering: "bench/lowering.ts",
  measuring: "bench/measuring.ts",
  "new-shape": "bench/cost-model/new-shape.ts",
  peers: "bench/peers/peers.ts",
  sampling: "bench/sampling.ts",
  search: "bench/search/search.ts",
};

function run(...args) {
  const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(signal ? 1 : (status ?? 1));
}

const [name, ...rest] = process.argv.slice(2);
const entry = entries[name];
if (!entry) {
  console.error(`nothing is called ${name}: there are ${Object.keys(entries).join(", ")}`);
  process.exit(2);
}
run("build.js", "--no-types");
const outfile = join(root, `dist/test/${name}.mjs`);
await build({
  entryPoints: [join(root, "test", entry)],
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  outfile,
  logLevel: "warning",
});
run(outfile, ...rest);
