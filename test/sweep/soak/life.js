// The life of one process, drawn by a seed: node --expose-gc life.js <module> <seed>. Its main thread and its workers call kernels and
// disturb their calls (caller.js), and end as drawn (plan.js), most of them in the middle. The last line on stdout is what was found, as JSON.
// A life that ends by itself says how much memory it holds more than after its first calls.

import { writeSync } from "node:fs";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { play } from "./caller.js";
import { endAsDrawn, planOf, thrown } from "./plan.js";

const [module, seedText] = process.argv.slice(2);
const seed = Number(seedText);
const plan = planOf(seed);

const total = { calls: 0, refused: 0, drawn: {}, wrong: [], grownBytes: null };
const count = (name) => {
  total.drawn[name] = (total.drawn[name] ?? 0) + 1;
};
function add({ way, disturbance, memory, calls, refused, wrong }) {
  total.calls += calls;
  total.refused += refused;
  for (const name of [`call: ${way}`, `disturbance: ${disturbance}`, `memory: ${memory}`]) count(name);
  total.wrong.push(...wrong);
}

/** Starts a worker and waits for its end, which is the drawn one. */
async function live(plan, at) {
  const worker = new Worker(new URL("./life-worker.js", import.meta.url), {
    workerData: { module, seed: seed * 64 + 16 * (at + 1), plan },
  });
  let isReady = () => {};
  const ready = new Promise((resolve) => {
    isReady = resolve;
  });
  worker.on("message", (found) => (found.isReady ? isReady() : add(found)));
  worker.on("error", (error) => {
    if (plan.ending !== "throw" || error.message !== thrown) total.wrong.push(`worker ${at}: ${error.stack}`);
  });
  const ended = new Promise((resolve) => worker.on("exit", resolve));
  if (plan.ending === "terminate") {
    await Promise.race([ready, ended]);
    await sleep(plan.endMs);
    await worker.terminate();
  }
  const code = await ended;
  if (plan.ending === "natural" && code !== 0) total.wrong.push(`worker ${at} ended with ${code}`);
  count(`end of a worker: ${plan.ending}`);
}

/** Bytes that this thread holds, with the memory of its arrays. */
async function heldBytes() {
  for (let turns = 0; turns < 6; turns++) {
    globalThis.gc();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Calls every kernel in each way that makes it take memory or workers of its own. */
async function warmUp(kernels) {
  for (const [, kernel] of kernels) {
    const { W, x } = kernel.buffers();
    const [matrix, vector] = [W.slice(), x.slice()];
    kernel(matrix, vector);
    await Promise.all(Array.from({ length: 8 }, () => kernel.async(matrix, vector)));
  }
}

process.on("exit", () => writeSync(1, `\n${JSON.stringify(total)}\n`));
count(`end: ${plan.main.ending}`);
const kernels = Object.entries(await import(module));
for (const [name, { info }] of kernels)
  if (info.target !== "wasm" && info.twin !== "native") total.wrong.push(`${name} is not native: ${info.twinReason}`);
const isWhole = plan.main.ending === "natural" && plan.main.callers > 0;
if (isWhole) await warmUp(kernels);
const before = isWhole ? await heldBytes() : 0;
endAsDrawn(plan.main);
await Promise.all([play(kernels, seed * 64, plan.main, add), ...plan.workers.map(live)]);
if (isWhole) total.grownBytes = (await heldBytes()) - before;
