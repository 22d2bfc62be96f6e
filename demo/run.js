// The demo: tunes the GEMM of fixtures/ops/gemm.op.ts, builds the same small app with Rollup, esbuild and Vite, runs each
// output in Node, and prints one table.
//
//     npm run demo                    WASM, and the CPU's own instructions where there is a C compiler
//     npm run demo -- --seconds 60    a longer search a kernel (default 20)
//     npm run demo -- --record        also a line of demo/results.jsonl, from which the README has its figures; wants a tree without
//                                     uncommitted changes

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build as esbuild } from "../fixtures/apps/esbuild/build.js";
import { build as rollup } from "../fixtures/apps/rollup/build.js";
import { build as vite } from "../fixtures/apps/vite/build.js";
import { measureLimits } from "../src/native/limits/measure-limits.ts";
import { hostTarget } from "../src/native/machine/machine.ts";
import { toolchainFor } from "../src/native/toolchain/detect.ts";
import { appendLine } from "../test/bench/json-lines.ts";
import { demandCommitted } from "../test/bench/provenance.ts";

const apps = join(process.cwd(), "fixtures/apps/gemm");
const hosts = { rollup, esbuild, vite };

/** Rows of the table, each a mode of the plugin. */
const variants = [
  { name: "plain JS loops", mode: "off" },
  { name: "default schedule", mode: "predict" },
  { name: "tuned schedule", mode: "tune" },
];

const hasCompiler = ["gcc", "clang"].some((command) => {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Builds twice: a row without what its output says. */
async function build(host, target, variant, folder, seconds) {
  const outdir = join(folder, `${host}-${target}-${variant.mode}`);
  // Lock and store are those of the demo alone, so that the first build of the first app finds nothing.
  const options = { root: folder, mode: variant.mode, cacheDir: "store", budget: { seconds } };
  const once = () => hosts[host](join(apps, `${target}.js`), outdir, options);
  const first = await timed(once);
  const second = await timed(once);
  return { host, variant: variant.name, output: join(outdir, "main.mjs"), first, second };
}

/** Other programs slow a machine for seconds: the rows take turns, and the best of each counts. */
const turns = 3;

/** The rows with what their outputs say. */
function runInTurns(rows) {
  const run = ({ output }) => JSON.parse(execFileSync(process.execPath, [output], { encoding: "utf8" }));
  const reports = Array.from({ length: turns }, () => rows.map(run));
  return rows.map((row, k) => {
    const best = reports.map((turn) => turn[k]).reduce((a, b) => (b.gflops > a.gflops ? b : a));
    return { ...row, ...best };
  });
}

/** Limit of one core in f32 on a target, in GFLOP/s: the most of all turns, with multiplications and additions fused where it can. Null: not known. */
async function coreGflops(name) {
  const target = hostTarget(name);
  const toolchain = await toolchainFor(target);
  let most = null;
  for (let turn = 0; turn < turns; turn++) {
    const limits = await measureLimits(target, toolchain);
    if (!limits) return null;
    const { "f32.multiply": multiply, "f32.any": any, "f32.relaxed": relaxed } = limits.rates;
    const gflops = toolchain ? 2 * multiply : relaxed ? 2 * relaxed : any;
    most = Math.max(most ?? 0, gflops);
  }
  return most;
}

const columns = [
  ["app", ({ host }) => host],
  ["target", ({ target, twin }) => (twin === "reference" ? "js" : `${target} (${twin})`)],
  ["schedule", ({ variant }) => variant],
  ["GFLOP/s", ({ gflops }) => gflops.toFixed(1)],
  ["error", ({ error }) => error.toExponential(1)],
  ["first build", ({ first }) => `${first.toFixed(2)} s`],
  ["second build", ({ second }) => `${(second * 1000).toFixed(0)} ms`],
];

/** Text left, numbers right. */
function printTable(rows) {
  const cells = [columns.map(([title]) => title), ...rows.map((one) => columns.map(([, text]) => text(one)))];
  const widths = columns.map((_, c) => Math.max(...cells.map((line) => line[c].length)));
  for (const line of cells) {
    const padded = line.map((cell, c) => (c < 3 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])));
    console.log(`  ${padded.join("   ")}`);
  }
}

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "20" }, record: { type: "boolean", default: false } },
});
if (values.record) demandCommitted();
const budgetSeconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-demo-"));
const built = [];
let rows = [];
try {
  for (const target of hasCompiler ? ["wasm", "native"] : ["wasm"]) {
    for (const variant of variants) {
      // The loops are the same whatever the target.
      if (target === "native" && variant.mode === "off") continue;
      for (const host of Object.keys(hosts)) built.push(await build(host, target, variant, folder, budgetSeconds));
    }
  }
  rows = runInTurns(built);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\nGEMM f32 512³, one thread, ${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}\n`);
printTable(rows);
if (values.record) {
  const runs = rows.map(({ output: _, ...row }) => row);
  const core = { wasm: await coreGflops("wasm"), native: hasCompiler ? await coreGflops("native") : null };
  appendLine("demo/results.jsonl", { extent: 512, budgetSeconds, runs, core });
}
const reasons = new Set(rows.flatMap(({ twinReason }) => twinReason ?? []));
for (const reason of reasons) console.log(`\n  not the fastest twin: ${reason} (Node ${process.version})`);
if (!hasCompiler) console.log("\n  no gcc or clang here: the CPU's own instructions (?tune=native) are left out");
