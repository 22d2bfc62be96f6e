// Checks whether the seed of a search matters: each product is tuned with several seeds, and the kernels that they
// found race in turns in one process.
//
//     npm run bench:seeds                                 the products of `npm run bench`, seeds 1, 2 and 3
//     npm run bench:seeds -- --seconds 30 --only 512      those with this in their name

import { parseArgs } from "node:util";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import { textTable } from "../../../src/tuner/report/text-table.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { compete } from "./contest.ts";
import { type Ours, tunedKernel } from "./ours.ts";
import { enterSession } from "./session-entries.ts";
import { gemmWorks } from "./suites/gemm.ts";
import { taskOf, type Work } from "./work.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3" },
    seconds: { type: "string", default: "30" },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "40" },
    schedules: { type: "string", default: "out/peers/seeds.jsonl" },
  },
});

/** The slowest of them takes so many times as long as the fastest, at most. */
const most = 1.05;

const target = hostTarget("native");
const seeds = values.seeds.split(",").map(Number);

/** Times of what the seeds found over that of the first. */
async function ratiosOf(work: Work, directory: string): Promise<readonly number[]> {
  const task = taskOf(work, target);
  const found: Ours[] = [];
  for (const seed of seeds) {
    const settings = { seconds: Number(values.seconds), seed, isFresh: false, path: values.schedules, directory };
    found.push(await tunedKernel(task, settings));
  }
  const own = found.map(({ runnable }, at) => ({ name: `seed ${seeds[at]}`, runnable }));
  const { ours } = enterSession(referenceTask(task), own, work.call, []);
  const [first, ...others] = ours;
  const options = { rounds: Number(values.rounds), pauseMs: 0, warmNs: 0, sampleNs: 2e6 };
  const { rivals } = await compete(first!, others, options);
  return [1, ...rivals.map(({ ratio }) => ratio.median)];
}

await withPrivateDirectory(async (directory) => {
  const rows: string[][] = [];
  let worst = 1;
  for (const work of gemmWorks.gemm!.filter(({ name }) => name.includes(values.only))) {
    const ratios = await ratiosOf(work, directory);
    const spread = Math.max(...ratios) / Math.min(...ratios);
    worst = Math.max(worst, spread);
    rows.push([work.name, ...ratios.map((ratio) => ratio.toFixed(3)), spread.toFixed(3)]);
    console.log(`${work.name}: ${spread.toFixed(3)}`);
  }
  console.log(textTable(["", ...seeds.map((seed) => `seed ${seed}`), "slowest / fastest"], rows));
  console.log(`at most ${most}: ${worst <= most ? "met" : "missed"}, ${worst.toFixed(3)}`);
});
