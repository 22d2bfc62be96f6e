// One process of disturbed calls: node --expose-gc disturb.js <module> <seconds> <workers>. Workers call kernels and take their
// arrays' memory away; now and then one is terminated in the middle and another takes its place. Prints counts as JSON. A
// crash ends the process.

import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const [module, seconds, workers] = process.argv.slice(2);
const script = join(dirname(fileURLToPath(import.meta.url)), "disturb-worker.js");
const end = Date.now() + Number(seconds) * 1000;

const total = { calls: 0, refused: 0, terminated: 0, disturbed: {}, wrong: [] };

function add({ calls, refused, disturbed, wrong }) {
  total.calls += calls;
  total.refused += refused;
  for (const [name, count] of Object.entries(disturbed)) total.disturbed[name] = (total.disturbed[name] ?? 0) + count;
  total.wrong.push(...wrong);
}

/** Keeps one worker running. It lives for a while, some less than others, and ends in the middle of its calls. */
async function keep(seed) {
  for (let life = 0; Date.now() < end; life++) {
    const worker = new Worker(script, { workerData: { module, seed: seed + 1000 * life } });
    worker.on("message", add);
    worker.on("error", (error) => total.wrong.push(`worker ${seed}: ${error.stack}`));
    const lifeMs = 1000 + ((seed * 7919 + life * 104_729) % 4000);
    await sleep(Math.min(lifeMs, Math.max(500, end - Date.now())));
    await worker.terminate();
    total.terminated += 1;
  }
}

await Promise.all(Array.from({ length: Number(workers) }, (_, at) => keep(at)));
console.log(JSON.stringify({ ...total, wrong: total.wrong.slice(0, 20), wrongCount: total.wrong.length }));
