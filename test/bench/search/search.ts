// Strategies of the search against each other: which finds how good a schedule with how many candidates, in what time. Runs
// are kept in results.jsonl beside this file as they finish, so that it can be done in pieces; what is there is not run again.
//
//     npm run bench:search -- --list                      what is missing, and how long it takes
//     npm run bench:search -- --minutes 30                as much as fits into half an hour
//     npm run bench:search -- --only gemm-512,wasm,cga,1  of each of task, target, strategy, seed what is named; `long`
//     npm run bench:search -- --long                      the long runs first
//     npm run bench:search -- --report                    docs/search-bench.md and docs/plots/ from what is there
//
// --again runs once more what ran on an unsteady machine (--drift 0.1: a tenth faster or slower than it usually is), --fresh all
// that is chosen. --seconds, --results and --docs are for trying things out.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { nowMs } from "../../../src/native/clock.ts";
import { withPrivateDirectory } from "../../../src/native/private-directory.ts";
import { strategyNames } from "../../../src/tuner/search/strategy.ts";
import { actAsChild, inChild } from "./child.ts";
import { cpuModel } from "./perform-run.ts";
import { chosenRuns, longFirst, plannedRuns, secondsOf } from "./planned-runs.ts";
import { appendResult, readResults } from "./results-file.ts";
import { type PlannedRun, type RunResult, runKey } from "./run-result.ts";
import { searchTargets, searchTasks } from "./search-task.ts";
import { unsteadyRuns } from "./steadiness.ts";
import { writeReport } from "./write-report.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      list: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
      minutes: { type: "string", default: "100000" },
      only: { type: "string" },
      long: { type: "boolean", default: false },
      again: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      seconds: { type: "string", default: "60" },
      drift: { type: "string", default: "0.1" },
      docs: { type: "string", default: "docs" },
      results: { type: "string", default: "test/bench/search/results.jsonl" },
    },
  });
  const [seconds, drift] = [Number(values.seconds), Number(values.drift)];
  const plan = { tasks: searchTasks, targets: searchTargets(), strategies: strategyNames, seconds };
  const chosen = chosenRuns(plannedRuns(plan), values.only ?? null);
  const runs = values.long ? longFirst(chosen) : chosen;
  const results = readResults(values.results);
  if (values.report) return writeReport(results, { seconds, drift }, values.docs);
  const missing = values.fresh ? runs : missingOf(runs, results, values.again ? drift : null);
  console.log(`${missing.length} of ${runs.length} runs are missing: at most ${minutesOf(missing, results)} minutes`);
  if (values.list) for (const run of missing) console.log(`  ${nameOf(run)}`);
  else await runAll(missing, values.results, Number(values.minutes));
}

function missingOf(
  runs: readonly PlannedRun[],
  results: readonly RunResult[],
  drift: number | null,
): readonly PlannedRun[] {
  const cpu = cpuModel();
  const unsteady = new Set<PlannedRun>(drift === null ? [] : unsteadyRuns(results, drift));
  const done = new Set(results.filter((result) => !unsteady.has(result)).map((result) => runKey(result.cpu, result)));
  return runs.filter((run) => !done.has(runKey(cpu, run)));
}

const minutesOf = (runs: readonly PlannedRun[], results: readonly RunResult[]): number =>
  Math.ceil(runs.reduce((sum, run) => sum + secondsOf(run, results), 0) / 60);

const nameOf = ({ task, target, strategy, seed, seconds, isLong }: PlannedRun): string =>
  `${task} ${target} ${isLong ? "long" : strategy}, seed ${seed}, ${seconds} s`;

/** Stops before the first that would not fit. A run that fails costs itself. */
async function runAll(runs: readonly PlannedRun[], results: string, minutes: number): Promise<void> {
  const start = nowMs();
  await withPrivateDirectory(async (directory) => {
    const sentinels = new Set<string>();
    for (const [at, run] of runs.entries()) {
      if ((nowMs() - start) / 1000 + secondsOf(run, readResults(results)) > minutes * 60) {
        console.log(`${runs.length - at} runs are left`);
        return;
      }
      const path = join(directory, `${run.task}-${run.target}`);
      try {
        if (!sentinels.has(path)) await inChild({ kind: "make-sentinel", run, path });
        sentinels.add(path);
        const began = nowMs();
        const beforeNs = await inChild({ kind: "time-sentinel", run, path });
        const beforeMs = nowMs() - began;
        const ran = await inChild({ kind: "run", run, path, beforeNs });
        const result = { ...ran, overheadMs: ran.overheadMs + beforeMs };
        appendResult(results, result);
        console.log(`${at + 1}/${runs.length} ${nameOf(run)}: ${textOf(result)}`);
      } catch (error) {
        console.error(`${at + 1}/${runs.length} ${nameOf(run)}: ${(error as Error).message}`);
        process.exitCode = 1;
      }
    }
  });
}

function textOf({ improvements, trials, endedMs, ended }: RunResult): string {
  const [trial, elapsedMs, ns] = improvements.at(-1) ?? [0, 0, Number.NaN];
  const found = `${(ns / 1e6).toFixed(3)} ms, candidate ${trial} of ${trials}, after ${(elapsedMs / 1000).toFixed(1)} s`;
  return `${found}; ${ended} at ${(endedMs / 1000).toFixed(1)} s`;
}

if (!(await actAsChild())) await main();
