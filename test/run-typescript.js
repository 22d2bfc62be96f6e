// Runs a bench or a sweep that is written in TypeScript, on a fresh build of the package: `node test/run-typescript.js
// lowering …`. What follows the name are its own arguments, but for `--node 24` right behind it: another version of Node, from npm.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { install } from "./node-versions/install.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Path of each command's program, below test/. */
const entries = {
  "arm-counts": "bench/arm-counts.ts",
  bench: "bench/peers/peers.ts",
  budgets: "bench/budgets.ts",
  choice: "bench/choice.ts",
  "cost-model": "bench/cost-model/cost-model.ts",
  compilers: "bench/compilers.ts",
  "cuda-compiler": "bench/cuda-compiler.ts",
  "ptx-printer": "bench/ptx-printer.ts",
  convolution: "bench/convolution.ts",
  dev: "bench/dev.ts",
  demo: "../demo/run.js",
  "drawn-builds": "sweep/builds/drawn-builds.ts",
  "drawn-loops": "bench/drawn-loops.ts",
  engines: "browser/record-engines.ts",
  fleet: "fleet/fleet.ts",
  fuzz: "sweep/fuzz/fuzz.ts",
  gc: "sweep/gc/gc.ts",
  "gpu-check": "gpu/gpu-check.ts",
  "gpu-imports": "gpu/import-check.ts",
  "gpu-sweep": "gpu/gpu-sweep.ts",
  install: "bench/install.ts",
  kernels: "bench/kernels.ts",
  kill: "kill/kill.ts",
  landscapes: "bench/landscapes/landscapes.ts",
  live: "bench/live.ts",
  lowering: "bench/lowering.ts",
  "math-ulp": "sweep/math-ulp.ts",
  measuring: "bench/measuring.ts",
  relaxed: "bench/relaxed.ts",
  "new-shape": "bench/cost-model/new-shape.ts",
  sampling: "bench/sampling.ts",
  search: "bench/search/search.ts",
  seeds: "bench/peers/seeds.ts",
  starters: "starters/starters.ts",
  tuning: "bench/tuning.ts",
  schedules: "gpu/schedule-sweep.ts",
  "webgpu-bench": "bench/webgpu/webgpu.ts",
  "webgpu-page": "bench/webgpu/page/page-bench.ts",
  "gpu-speed": "bench/gpu-speed.ts",
};

function run(executable, ...args) {
  const { status, signal } = spawnSync(executable, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(signal ? 1 : (status ?? 1));
}

/** The executable of a version, kept in out/. */
function nodeOf(version) {
  const { path, reason } = install(version, join(root, `out/node-${version}`));
  if (path) return path;
  console.error(`Node ${version}: ${reason}`);
  process.exit(1);
}

const [name, ...words] = process.argv.slice(2);
const isBuilt = words[0] === "--built";
const given = isBuilt ? words.slice(1) : words;
const [executable, rest] = given[0] === "--node" ? [nodeOf(given[1]), given.slice(2)] : [process.execPath, given];
const entry = entries[name];
if (!entry) {
  console.error(`nothing is called ${name}: there are ${Object.keys(entries).join(", ")}`);
  process.exit(2);
}
if (!isBuilt) run(process.execPath, "build.js", "--no-types");
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
run(executable, outfile, ...rest);
