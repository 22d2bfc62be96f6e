// Many callers at once for minutes: all kernels of the fixtures, native with threads and WASM with and without, called by 64 callers in four
// workers, half of them off the event loop. Every result is held against that of a first call; the memory of the process is
// read all the time. Ends with an error where a result was wrong, or the memory has grown by more than a twentieth.
//
// Then callers that take the memory of their arrays away while packed and plain calls are in flight, in workers that are terminated,
// on this version of Node and another: no process may crash, and no result be wrong.
//
//     npm run test:soak
//     npm run test:soak -- --minutes 10 --workers 4 --callers 16
//     npm run test:soak -- --minutes 0 --disturb 3                  the second part alone, three minutes a version

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import unpluginKernel from "../../../dist/esbuild.js";
import { otherNode } from "../../support/other-node.js";
import { npmRun, recordRun } from "../../support/record-run.js";
import { bundleDisturbed } from "./disturbed-kernels.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    workers: { type: "string", default: "4" },
    callers: { type: "string", default: "16" },
    disturb: { type: "string", default: "3" },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const operators = join(here, "../../../fixtures/ops");
const grownAtMost = 1.05;

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
  const running = Array.from({ length: Number(values.workers) }, () => {
    const worker = new Worker(join(here, "worker.js"), { workerData });
    return new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  });
  const memory = [];
  const reading = setInterval(() => memory.push(megabytes()), 1000);
  const results = await Promise.all(running);
  clearInterval(reading);
  const calls = results.reduce((sum, it) => sum + it.calls, 0);
  const wrong = results.flatMap((it) => it.wrong);
  // The first fifth is for caches and workers to fill.
  const steady = memory.slice(Math.floor(memory.length / 5));
  const part = Math.max(1, Math.floor(steady.length / 4));
  const mean = (numbers) => numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
  const [before, after] = [mean(steady.slice(0, part)), mean(steady.slice(-part))];
  console.log(
    `${results[0].kernels} kernels, ${results.length} workers, ${values.callers} callers each: ${calls} calls`,
  );
  console.log(`${wrong.length} wrong${wrong.length > 0 ? `: ${wrong.slice(0, 3).join("; ")}` : ""}`);
  const everyMinute = memory.filter((_, second) => second % 60 === 59).map((it) => it.toFixed(0));
  console.log(`memory at each minute: ${everyMinute.join(" ")} MB`);
  console.log(`memory ${before.toFixed(0)} → ${after.toFixed(0)} MB (${(after / before).toFixed(3)})`);
  const isRight = calls > 0 && wrong.length === 0 && after <= before * grownAtMost;
  return {
    isRight,
    found: `${calls} calls, ${wrong.length} wrong, memory ${before.toFixed(0)} to ${after.toFixed(0)} MB`,
  };
}

/** Disturbed calls in a process of one version of Node. */
function disturbedOn(node, module) {
  const args = ["--expose-gc", join(here, "disturb.js"), module, String(Number(values.disturb) * 60), values.workers];
  const { status, signal, stdout, stderr } = spawnSync(node, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  if (status !== 0) {
    const why = signal ?? `exit code ${status}`;
    console.log(`Node ${version} crashed: ${why}\n${stderr.slice(-2000)}`);
    return { isRight: false, found: `Node ${version} crashed: ${why}` };
  }
  const { calls, refused, terminated, disturbed, wrong, wrongCount } = JSON.parse(stdout);
  console.log(`Node ${version}: ${calls} calls disturbed (${JSON.stringify(disturbed)}), ${refused} refused by name`);
  console.log(
    `${terminated} workers terminated, ${wrongCount} wrong${wrong.length > 0 ? `: ${wrong.join("; ")}` : ""}`,
  );
  const all = ["transfer", "collect", "resize", "overwrite", "nothing"].every((name) => disturbed[name] > 0);
  return {
    isRight: all && calls > 0 && wrongCount === 0,
    found: `Node ${version}: ${calls} disturbed calls, ${wrongCount} wrong, ${refused} refused, ${terminated} workers terminated, 0 crashes`,
  };
}

async function disturbed(folder) {
  const module = await bundleDisturbed(folder);
  const nodes = [process.execPath, otherNode()].filter((node) => node !== null);
  return nodes.map((node) => disturbedOn(node, module));
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
