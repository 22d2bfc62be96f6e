// Strategies of the search against each other: which finds how good a schedule with how many candidates, in what time. Runs
// are kept in results.jsonl beside this file as they finish, so that it can be done in pieces; what is there of today's code
// generator is not run again.
//
//     npm run bench:search -- --list                      what is missing, and how long it takes
//     npm run bench:search -- --minutes 30                as much as fits into half an hour
//     npm run bench:search -- --only gemm-512,wasm,cga,1  of each of task, target, strategy, seed what is named; `long`
//     npm run bench:search -- --long                      the long runs first
//     npm run bench:search -- --settle                    measures what they have found side by side
//     npm run bench:search -- --report                    docs/search-bench.md and docs/plots/ from what is there
//
// --fresh runs all that is chosen once more. --seconds, --results and --docs are for trying things out.

import { parseArgs } from "node:util";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { strategyNames } from "../../../src/tuner/search/strategy/strategy.ts";
import { cpuName } from "../cpu-name.ts";
import { actAsChild, inChild } from "./child.ts";
import { chosenRuns, longFirst, plannedRuns, secondsOf } from "./planned-runs.ts";
import { appendResult, isOfToday, readResults } from "./results-file.ts";
import { type Place, type PlannedRun, type RunResult, runKey } from "./run-result.ts";
import { searchTargets, searchTasks } from "./search-task.ts";
import { appendSettled, isSettled, readSettled } from "./settled-times.ts";
import { writeReport } from "./write-report.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      list: { type: "boolean", default: false },
      settle: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
      minutes: { type: "string", default: "100000" },
      only: { type: "string" },
      long: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      seconds: { type: "string", default: "60" },
      docs: { type: "string", default: "docs" },
      results: { type: "string", default: "test/bench/search/results.jsonl" },
      settled: { type: "string", default: "test/bench/search/settled.jsonl" },
    },
  });
  const seconds = Number(values.seconds);
  const plan = { tasks: searchTasks, targets: searchTargets(), strategies: strategyNames, seconds };
  const chosen = chosenRuns(plannedRuns(plan), values.only ?? null);
  const runs = values.long ? longFirst(chosen) : chosen;
  const results = readResults(values.results);
  const times = (cpu: string) => readSettled(values.settled, cpu);
  if (values.report) return writeReport({ results, times, seconds, docs: values.docs });
  const own = results.filter(({ cpu }) => cpu === cpuName());
  if (values.settle) return settleAll(runs, own, values.settled);
  const done = new Set(own.filter(isOfToday).map((result) => runKey(result.cpu, result)));
  const missing = values.fresh ? runs : runs.filter((run) => !done.has(runKey(cpuName(), run)));
  console.log(`${missing.length} of ${runs.length} runs are missing: at most ${minutesOf(missing, results)} minutes`);
  if (values.list) for (const run of missing) console.log(`  ${nameOf(run)}`);
  else await runAll(missing, values.results, Number(values.minutes));
}

const minutesOf = (runs: readonly PlannedRun[], results: readonly RunResult[]): number =>
  Math.ceil(runs.reduce((sum, run) => sum + secondsOf(run, results), 0) / 60);

const nameOf = ({ task, target, strategy, seed, seconds, isLong }: PlannedRun): string =>
  `${task} ${target} ${isLong ? "long" : strategy}, seed ${seed}, ${seconds} s`;

/** Stops before the first that would not fit. A run that fails costs itself. */
async function runAll(runs: readonly PlannedRun[], results: string, minutes: number): Promise<void> {
  const start = nowMs();
  for (const [at, run] of runs.entries()) {
    if ((nowMs() - start) / 1000 + secondsOf(run, readResults(results)) > minutes * 60) {
      console.log(`${runs.length - at} runs are left`);
      return;
    }
    try {
      const result = await inChild({ kind: "run", run });
      appendResult(results, result);
      console.log(`${at + 1}/${runs.length} ${nameOf(run)}: ${textOf(result)}`);
    } catch (error) {
      console.error(`${at + 1}/${runs.length} ${nameOf(run)}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}

/** Each task and target that has new runs, all of it: times are compared only within one settling. */
async function settleAll(planned: readonly PlannedRun[], results: readonly RunResult[], path: string): Promise<void> {
  const places = new Map(planned.map(({ task, target }): [string, Place] => [`${task} ${target}`, { task, target }]));
  for (const [name, place] of places) {
    const runs = results.filter(({ task, target }) => task === place.task && target === place.target);
    const known = readSettled(path, cpuName()).find(({ task, target }) => `${task} ${target}` === name) ?? null;
    if (runs.every((run) => isSettled(run, known))) continue;
    const settled = await inChild({ kind: "settle", place, runs });
    appendSettled(path, settled);
    const [count, noise] = [Object.keys(settled.times).length, (settled.noise * 100).toFixed(1)];
    console.log(`${name}: ${count} candidates, known to ${noise} %`);
  }
}

function textOf({ improvements, trials, endedMs, ended }: RunResult): string {
  const best = improvements.at(-1);
  if (!best) return `nothing ran; ${ended} at ${(endedMs / 1000).toFixed(1)} s`;
  const { trial, elapsedMs, ns } = best;
  const found = `${(ns / 1e6).toFixed(3)} ms, candidate ${trial} of ${trials}, after ${(elapsedMs / 1000).toFixed(1)} s`;
  return `${found}; ${ended} at ${(endedMs / 1000).toFixed(1)} s`;
}

if (!(await actAsChild())) await main();
