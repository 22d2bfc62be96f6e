// Finished runs → docs/search-bench.md, its plots, and the bars on the console.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convergencePlot } from "../../../src/tuner/report/convergence.ts";
import { barsOf, barText } from "./bars.ts";
import { plotName, printReport } from "./print-report.ts";
import type { RunResult } from "./run-result.ts";
import { searchTaskNamed } from "./search-task.ts";
import type { SettledTimes } from "./settled-times.ts";
import { type Contest, contestsOf, latestCpu, standingsOf } from "./summary.ts";

export interface ReportOptions {
  readonly results: readonly RunResult[];
  /** Settled times of one CPU. */
  readonly times: (cpu: string) => readonly SettledTimes[];
  /** Budget of the runs that are compared. */
  readonly seconds: number;
  /** The folder of the documents. */
  readonly docs: string;
}

export function writeReport({ results: all, times, seconds, docs }: ReportOptions): void {
  const cpu = latestCpu(all);
  if (cpu === null) throw new Error("there are no results to report");
  const results = all.filter((run) => run.cpu === cpu);
  const contests = contestsOf(results, times(cpu), seconds);
  const bars = barsOf(contests);
  mkdirSync(join(docs, "plots"), { recursive: true });
  writeFileSync(join(docs, "search-bench.md"), printReport({ cpu, seconds, results, contests, bars }));
  for (const contest of contests) {
    if (contest.best && contest.runs.length > 0) writeFileSync(join(docs, "plots", plotName(contest)), plotOf(contest));
  }
  for (const bar of bars) console.log(barText(bar));
}

function plotOf(contest: Contest): string {
  return convergencePlot({
    title: `${searchTaskNamed(contest.task).title}, ${contest.target}`,
    bestNs: contest.best!.ns,
    trials: Math.max(...contest.runs.map(({ trials }) => trials)),
    elapsedMs: Math.max(...contest.runs.map(({ endedMs }) => endedMs)),
    series: standingsOf(contest).map(({ strategy, runs }) => ({
      name: strategy,
      runs: runs.map(({ improvements, ended, trials, endedMs }) => {
        const stopped = ended === "budget" ? null : { trial: trials, elapsedMs: endedMs };
        return {
          improvements: improvements.map(({ trial, elapsedMs, ns }) => [trial, elapsedMs, ns] as const),
          stopped,
        };
      }),
    })),
  });
}
