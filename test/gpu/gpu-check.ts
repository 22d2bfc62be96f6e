// Products of matrices on the GPU of this machine: that schedules are right, to the bit on integers, and how fast they are beside
// cuBLAS. `npm run gpu-check`; without a GPU it says so and fails. What it runs is one file and koffi: dist/test/gpu-check.mjs may be
// carried to a machine that has nothing but Node and a driver.
//
//   node test/run-typescript.js gpu-check -- [--size 4096] [--nvrtc <libnvrtc>] [--cublas <libcublas>] [--json <file>]

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type CudaDevice, openDevice } from "../../src/native/cuda/driver.ts";
import { loadNvrtc } from "../../src/native/cuda/nvrtc.ts";
import { type Blocks, byGroups, byWarps, type Product } from "../compiler/cuda/schedules.ts";
import { loadCublas } from "./cublas.ts";
import { createBench, type Measured, type Subject } from "./product-bench.ts";

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "4096" },
    nvrtc: { type: "string" },
    cublas: { type: "string", default: "libcublas.so.13" },
    json: { type: "string" },
  },
});

const blocks = (
  [rows, columns, depth]: readonly [number, number, number],
  [across, along]: readonly [number, number],
  stages: number,
  neighbours: number,
): Blocks => ({ rows, columns, depth, across, along, stages, neighbours });

/** Blocks of warps that were the best of some sixty, and further shapes that have to be right. */
const ofWarps: readonly Blocks[] = [
  blocks([128, 128, 32], [2, 2], 4, 2),
  blocks([128, 256, 64], [2, 4], 3, 2),
  blocks([128, 64, 32], [4, 1], 4, 1),
  blocks([64, 128, 64], [1, 4], 5, 4),
];

/** Blocks of groups of warps, and the columns of a product. */
const ofGroups: readonly (readonly [Blocks, number])[] = [
  [blocks([128, 256, 64], [2, 1], 4, 2), 256],
  [blocks([128, 256, 64], [1, 2], 4, 2), 128],
  [blocks([256, 128, 64], [2, 1], 4, 2), 128],
  [blocks([128, 128, 64], [2, 1], 5, 2), 128],
];

/** Ways of `wgmma` to its operands, by their names in the rows. */
const copiesOf = {
  wgmma: "by threads",
  boxes: "by boxes",
  "warp-specialized": "by boxes, warp-specialized",
  persistent: "by boxes, warp-specialized",
  clusters: "by boxes, warp-specialized",
} as const;

/** Rows of blocks that are walked together in a large product; in a small one the two of the tables. */
const neighboursOfLarge = 8;

/** Groups of a cluster, which are neighbours. */
const cluster = 2;

/** As many rounds as leave each processor one group, but two at least. */
function inRounds(blocks: Blocks, { M, N }: Product, processors: number): Blocks {
  const groups = (M / blocks.rows) * (N / blocks.columns);
  let rounds = 2;
  while (rounds < groups && (groups % rounds !== 0 || groups / rounds > processors)) rounds++;
  return { ...blocks, rounds };
}

function subjectsFor(product: Product, { capability, processors }: CudaDevice): readonly Subject[] {
  const placed = (it: Blocks): Blocks =>
    (product.M / it.rows) % neighboursOfLarge === 0 ? { ...it, neighbours: neighboursOfLarge } : it;
  const warps = ofWarps.map(placed).map((it): Subject => ({ name: "mma", blocks: it, trace: byWarps(product, it) }));
  const groups = Object.entries(copiesOf).flatMap(([name, copies]) => {
    // Threads that only copy are as many for each of the warps along the columns, and take their registers.
    const fitting = ofGroups.filter(([{ along }]) => copies !== "by boxes, warp-specialized" || along === 1);
    return fitting.map(([it, wide]): Subject => {
      const inTurns = inRounds(placed(it), product, processors);
      const own = { persistent: inTurns, clusters: { ...inTurns, cluster } }[name] ?? placed(it);
      return { name, blocks: own, trace: byGroups(product, own, wide, copies) };
    });
  });
  return capability[0] === 9 ? [...warps, ...groups] : warps;
}

const lineOf = ({ subject, product, isRight, ms, peerMs, tflops }: Measured): string =>
  [
    subject.name.padEnd(16),
    product.dtype.padEnd(4),
    `${product.M}³`,
    JSON.stringify(Object.values(subject.blocks)),
    isRight ? "right" : "WRONG",
    ms === null ? "" : `${tflops?.toFixed(0)} TFLOP/s`,
    ms === null || peerMs === null ? "" : `${(peerMs / ms).toFixed(2)} of cuBLAS`,
  ].join("  ");

const device = await openDevice().catch((error: Error) => {
  console.error(`nothing was checked: ${error.message}`);
  process.exit(1);
});
const compiler = await loadNvrtc(values.nvrtc);
if (!compiler) throw new Error("there is no NVRTC: --nvrtc <path of libnvrtc>");
const cublas = await loadCublas(values.cublas);
console.log(
  `${device.name}, sm_${device.capability.join("")}; cuBLAS ${cublas ? "found" : "not found: --cublas <path>"}`,
);
const bench = createBench(device, compiler, cublas);
const [small, large] = [512, Number(values.size)];
const results: Measured[] = [];
for (const dtype of ["f16", "bf16"] as const) {
  const product: Product = { M: small, N: small, K: small, dtype };
  results.push(...bench.check(product, subjectsFor(product, device)));
}
const product: Product = { M: large, N: large, K: large, dtype: "bf16" };
results.push(...bench.time(product, subjectsFor(product, device)));
for (const result of results) console.log(lineOf(result));
if (values.json) writeFileSync(values.json, `${JSON.stringify(results)}\n`);
process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1;
