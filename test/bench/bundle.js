// Round robin against gradient on a bundle of small kernels for WASM, within one total of seconds: the weighted time of all
// kernels at the end, from one race of the chosen schedules in this process, interleaved.
//
//     npm run bench:bundle -- --seconds 40 --repeats 2 --kernels 18

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, load, tuneAll } from "../../dist/api.js";
import { conv2d, gemm as gemmOp, layerNorm, rmsNorm, softmax } from "../../dist/ops.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "40" },
    repeats: { type: "string", default: "2" },
    kernels: { type: "string", default: "18" },
    target: { type: "string", default: "wasm" },
  },
});
const [seconds, repeats, count] = [values.seconds, values.repeats, values.kernels].map(Number);
const { target } = values;

const gemm = (M, N, K, weight = 1) => ({ name: `gemm ${M}x${N}x${K}`, op: gemmOp({ M, N, K }), weight });
const conv = (H, C, F, R, weight = 1) => {
  const sizes = { H, W: H, C, F, KH: R, KW: R, padding: (R - 1) / 2 };
  return {
    name: `conv2d ${H}x${H}x${C} ${R}x${R} ${F}`,
    op: conv2d(sizes, { bias: true, activation: "relu" }),
    weight,
  };
};
const normalize = { softmax, layerNorm, rmsNorm };
const rows = (name, M, N, weight = 1) => ({ name: `${name} ${M}x${N}`, op: normalize[name]({ M, N }), weight });

/** A small vision model and a small language model: sizes, costs and weights differ by three orders of magnitude. */
const bundle = [
  gemm(64, 64, 64, 12),
  gemm(128, 128, 128, 12),
  gemm(37, 53, 71),
  gemm(256, 256, 256, 4),
  gemm(1, 256, 1024, 8),
  gemm(64, 1024, 256, 6),
  gemm(64, 256, 1024, 6),
  gemm(384, 384, 384),
  rows("softmax", 128, 128, 12),
  rows("softmax", 256, 512),
  rows("layerNorm", 64, 256, 12),
  rows("rmsNorm", 64, 256, 12),
  conv(56, 16, 16, 3, 3),
  conv(28, 32, 32, 3, 6),
  conv(14, 64, 64, 3, 6),
  conv(28, 32, 64, 1, 2),
  conv(14, 64, 128, 1, 2),
  conv(7, 128, 128, 3, 2),
  gemm(96, 96, 480, 2),
  gemm(200, 120, 80),
  rows("softmax", 37, 71),
  rows("layerNorm", 128, 768),
  conv(32, 3, 16, 3),
  conv(16, 16, 32, 3),
  gemm(512, 64, 64),
  gemm(64, 512, 64),
  rows("rmsNorm", 256, 1024),
  conv(8, 64, 64, 3, 4),
  gemm(16, 16, 16, 40),
  gemm(32, 32, 32, 20),
].slice(0, count);

async function tuneWith(policy, seed) {
  const start = performance.now();
  const kernels = bundle.map(({ op, weight }) => ({ op, weight, target }));
  const tasks = await tuneAll(kernels, { seconds, policy, seed });
  return { tasks, elapsedMs: performance.now() - start };
}

/** The chosen schedule, loaded; its arrays stay the same. */
async function runnerOf({ op }, { schedule }, folder) {
  const artifact = await build(op, schedule, { target, outDir: folder });
  const kernel = load(artifact);
  const { parameters } = artifact.kind === "wasm" ? artifact.source : artifact.kernels[0];
  const arrays = parameters.map(({ length }) => Float32Array.from({ length }, (_, at) => ((at * 7) % 13) / 13));
  return () => kernel(...arrays);
}

function nsPerCall(run, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call++) run();
  return ((performance.now() - start) * 1e6) / calls;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** Medians of each, A B B A …; 2 ms a sample. */
function compare(left, right) {
  const calls = Math.max(1, Math.round(2e6 / Math.max(100, nsPerCall(left, 3))));
  for (const run of [left, right]) nsPerCall(run, calls);
  const times = { left: [], right: [] };
  for (let round = 0; round < 11; round++) {
    const order = round % 2 === 0 ? ["left", "right"] : ["right", "left"];
    for (const side of order) times[side].push(nsPerCall(side === "left" ? left : right, calls));
  }
  return [median(times.left), median(times.right)];
}

const ratios = [];
const folder = mkdtempSync(join(tmpdir(), "bench-bundle-"));
try {
  for (let seed = 1; seed <= repeats; seed++) {
    const names = seed % 2 === 1 ? ["round-robin", "gradient"] : ["gradient", "round-robin"];
    const results = {};
    for (const name of names) results[name] = await tuneWith(name, seed);
    const totals = [0, 0];
    console.log(`\nseed ${seed}: ${bundle.length} kernels for ${target}, ${seconds} s`);
    console.log("kernel".padEnd(30), "weight", "  round robin: trials, µs", "     gradient: trials, µs");
    for (const [at, kernel] of bundle.entries()) {
      const [theirs, ours] = ["round-robin", "gradient"].map((name) =>
        results[name].tasks.find(({ kernels }) => kernels.includes(at)),
      );
      const pair = [theirs, ours].map((one) => runnerOf(kernel, one, folder));
      const times = compare(...(await Promise.all(pair)));
      times.forEach((ns, side) => {
        totals[side] += kernel.weight * ns;
      });
      const cell = ({ measured }, ns) => `${String(measured).padStart(6)} ${(ns / 1000).toFixed(1).padStart(10)}`;
      console.log(
        kernel.name.padEnd(30),
        String(kernel.weight).padStart(6),
        cell(theirs, times[0]).padStart(25),
        cell(ours, times[1]).padStart(25),
      );
    }
    for (const name of names) console.log(`${name}: ${(results[name].elapsedMs / 1000).toFixed(1)} s`);
    ratios.push(totals[1] / totals[0]);
    const shown = totals.map((ns) => (ns / 1e6).toFixed(3));
    console.log(`weighted sum: round robin ${shown[0]} ms, gradient ${shown[1]} ms, ratio ${ratios.at(-1).toFixed(3)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`\ngradient / round robin, median of ${repeats}: ${median(ratios).toFixed(3)}`);
