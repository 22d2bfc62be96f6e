// Many callers at once for minutes: all kernels of the fixtures, native with threads and WASM with and without, called by 64 callers in four
// workers, half of them off the event loop. Every result is held against that of a first call; the memory of the process is
// read all the time. Ends with an error where a result was wrong, or the memory has grown by more than a twentieth after the warm-up.
//
// Then the lives of many processes, each drawn by a seed (life.js): callers take the memory of their arrays away while calls are in flight, and
// their threads end in the middle of calls; on this version of Node and on those in out/. No process may crash or hang, no result be wrong, and
// none may hold memory of calls that are over.
//
//     npm run test:soak
//     npm run test:soak -- --minutes 10 --workers 4 --callers 16
//     npm run test:soak -- --minutes 0 --disturb 3                  the second part alone, three minutes a version
//     npm run test:soak -- --minutes 0 --seed 17 --lives 1          one life again, on each version

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import unpluginKernel from "../../../dist/esbuild.js";
import { otherNodes } from "../../support/other-node.js";
import { npmRun, recordRun } from "../../support/record-run.js";
import { bundleDisturbed } from "./disturbed-kernels.js";
import { livesOn } from "./lives.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    workers: { type: "string", default: "4" },
    callers: { type: "string", default: "16" },
    disturb: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    lives: { type: "string", default: "1000000" },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const operators = join(here, "../../../fixtures/ops");
const grownAtMost = 1.05;
/** Fewest seconds after the warm-up in which a growth can be seen. */
const leastSteady = 20;

/** A module that exports every fixture for each target; they are predicted, not tuned. */
async function bundle(folder) {
  const names = readdirSync(operators).filter((name) => name.endsWith(".op.ts"));
  const imports = names.flatMap((name, at) => [
    `export { default as native${at} } from ${JSON.stringify(`${join(operators, name)}?tune=native&threads=2`)};`,
    `export { default as wasm${at} } from ${JSON.stringify(`${join(operators, name)}?tune=wasm`)};`,
    `export { default as shared${at} } from ${JSON.stringify(`${join(operators, name)}?tune=wasm&threads=2`)};`,
  ]);
  const entry = join(folder, "kernels.js");
  writeFileSync(entry, imports.join("\n"));
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "kernels.mjs"),
    plugins: [unpluginKernel({ root: folder, mode: "predict", cacheDir: "store", logLevel: "warn" })],
  });
  return pathToFileURL(join(folder, "kernels.mjs")).href;
}

const megabytes = () => process.memoryUsage().rss / 2 ** 20;

/** Calls of all kernels, undisturbed. */
async function calm(folder) {
  const module = await bundle(folder);
  const end = Date.now() + Number(values.minutes) * 60_000;
  const workerData = { module, end, callers: Number(values.callers) };
  const callsOf = [];
  const running = Array.from({ length: Number(values.workers) }, (_, at) => {
    const worker = new Worker(join(here, "worker.js"), { workerData });
    const hear = (resolve) => (said) => {
      callsOf[at] = said.calls;
      if (said.isOver) resolve(said);
    };
    return new Promise((resolve, reject) => worker.on("message", hear(resolve)).on("error", reject));
  });
  const memory = [];
  const reading = setInterval(
    () => memory.push({ megabytes: megabytes(), calls: callsOf.reduce((a, b) => a + b, 0) }),
    1000,
  );
  const results = await Promise.all(running);
  clearInterval(reading);
  const calls = results.reduce((sum, it) => sum + it.calls, 0);
  const wrong = results.flatMap((it) => it.wrong);
  // A kernel takes memory and workers of its own at its first calls: until every caller has called every kernel, memory has to grow.
  const warm = results[0].kernels * results.length * Number(values.callers);
  const isWarm = ({ calls }, second) => calls >= warm && second >= memory.length / 5;
  const steady = memory.filter(isWarm).map((it) => it.megabytes);
  const part = Math.max(1, Math.floor(steady.length / 4));
  const mean = (numbers) => numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
  const [before, after] = [mean(steady.slice(0, part)), mean(steady.slice(-part))];
  console.log(
    `${results[0].kernels} kernels, ${results.length} workers, ${values.callers} callers each: ${calls} calls`,
  );
  console.log(`${wrong.length} wrong${wrong.length > 0 ? `: ${wrong.slice(0, 3).join("; ")}` : ""}`);
  const everyMinute = memory.filter((_, second) => second % 60 === 59).map((it) => it.megabytes.toFixed(0));
  console.log(`memory at each minute: ${everyMinute.join(" ")} MB`);
  console.log(
    `memory after ${memory.length - steady.length} s of warming up: ${before.toFixed(0)} → ${after.toFixed(0)} MB (${(after / before).toFixed(3)}) in ${steady.length} s`,
  );
  const isLong = steady.length >= leastSteady;
  if (!isLong)
    console.log(`too short: a growth is seen in ${leastSteady} s after the warm-up, not in ${steady.length}`);
  const isRight = isLong && calls > 0 && wrong.length === 0 && after <= before * grownAtMost;
  return {
    isRight,
    found: `${calls} calls, ${wrong.length} wrong, memory ${before.toFixed(0)} to ${after.toFixed(0)} MB`,
  };
}

/** Lives on this version of Node and on the others that are here. */
async function disturbed(folder) {
  const module = await bundleDisturbed(folder);
  const [minutes, seed, lives] = [values.disturb, values.seed, values.lives].map(Number);
  return [process.execPath, ...otherNodes()].map((node) => livesOn(node, module, { minutes, seed, lives }));
}

const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-soak-"));
try {
  const outcomes = [
    ...(Number(values.minutes) > 0 ? [await calm(folder)] : []),
    ...(Number(values.disturb) > 0 ? await disturbed(folder) : []),
  ];
  const isRight = outcomes.every((it) => it.isRight);
  recordRun(npmRun("test:soak"), `${isRight ? "passed" : "failed"}: ${outcomes.map(({ found }) => found).join("; ")}`);
  if (!isRight) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
