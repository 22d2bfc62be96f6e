// The program of a carried folder: measures the candidates of each of its kernels on the first GPU, and writes the results beside them.
// Bundled to one file, so that it needs nothing but Node, koffi and a driver. `node measure.mjs`

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { namedDriver } from "../../native/cuda/driver.ts";
import type { CudaState } from "../../native/cuda/loader.ts";
import { stateOfCuda, whyNotMeasured } from "../../native/cuda/probe.ts";
import { replaceFile } from "../../native/file/replace-file.ts";
import { createRunner } from "../../native/runner/client.ts";
import { searchedNs } from "../data/measurement.ts";
import { batchSchema, openResults, resultsText } from "../remote/batch.ts";
import { kernelFolders } from "./carried-folder.ts";
import { type CarriedCode, headerOf, openBatchOf, readCode, resultsFile } from "./kernel-folder.ts";
import { measureKernel } from "./measure-kernel.ts";

/** Longest time for one candidate, in milliseconds: a matrix of gigabytes has to come to the GPU first. */
const deadlineMs = 60_000;

type UsableCuda = Extract<CudaState, { readonly gpus: unknown }>;

const folder = dirname(fileURLToPath(import.meta.url));
const loader = join(folder, "native/cuda-loader.js");

/** Says whether a kernel's results are there, of this very batch. */
function isMeasured(path: string, batch: string): boolean {
  if (!existsSync(resultsFile(path))) return false;
  const opened = openResults(readFileSync(resultsFile(path), "utf8"));
  return opened.kind === "ok" && opened.body.batch === batch;
}

const damaged = (reason: string): Error =>
  new Error(`it is damaged (${reason}): at home, tune --batch <folder> --again writes it anew`);

function codeOf(path: string): CarriedCode {
  try {
    return readCode(path);
  } catch (error) {
    throw damaged((error as Error).message);
  }
}

/** Measures a kernel, and says in a line what came of it. An Error says why it cannot be measured. */
async function measureOne(path: string, state: UsableCuda): Promise<string> {
  const [header, opened] = [headerOf(path), openBatchOf(path)];
  if (header === null || opened?.kind !== "ok") throw damaged("it has no batch");
  const { name, compiler, targetClass, architecture } = header;
  const why = whyNotMeasured(state, architecture);
  if (why !== null) throw new Error(why);
  if (isMeasured(path, opened.digest)) return `${name}: measured before`;
  const runner = createRunner({ deadlineMs, workerPath: join(folder, "native/worker.js") });
  try {
    const measurements = await measureKernel(runner, codeOf(path), loader);
    const { codegen, task, candidates } = opened.body;
    const results = candidates.map((candidate, at) => ({ candidate, measurement: measurements[at]! }));
    const toolchain = `${compiler}, on ${state.gpus[0]!.name}`;
    const origin = { codegen, batch: opened.digest, task, targetClass, toolchain };
    replaceFile(resultsFile(path), resultsText({ kind: "results", schema: batchSchema, ...origin, results }));
    const times = measurements.flatMap((measurement) => searchedNs(measurement) ?? []);
    const best = times.length > 0 ? `, the best in ${(Math.min(...times) / 1e6).toFixed(3)} ms` : "";
    return `${name}: ${times.length} of ${candidates.length} ran${best}`;
  } finally {
    await runner.close();
  }
}

const state = await stateOfCuda(pathToFileURL(loader).href, namedDriver());
if ("reason" in state) {
  console.error(`nothing was measured: ${state.reason}`);
  process.exitCode = 1;
} else {
  for (const path of kernelFolders(folder)) {
    try {
      console.log(await measureOne(path, state));
    } catch (error) {
      console.error(`${path} is not measured: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}
