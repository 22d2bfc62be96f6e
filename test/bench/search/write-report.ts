// Finished runs → docs/search-bench.md, its plots, and the bars on the console.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convergencePlot } from "../../../src/tuner/report/convergence.ts";
import { barsOf, barText } from "./bars.ts";
import { plotName, printReport } from "./print-report.ts";
import type { RunResult } from "./run-result.ts";
import { searchTaskNamed } from "./search-task.ts";
import { type Comparison, type Contest, contestsOf, mainCpu, standingsOf } from "./summary.ts";

/** @param docs the folder of the documents */
export function writeReport(results: readonly RunResult[], comparison: Comparison, docs: string): void {
  const cpu = mainCpu(results);
  if (cpu === null) throw new Error("there are no results to report");
  const own = results.filter((run) => run.cpu === cpu);
  const contests = contestsOf(own, comparison);
  const bars = barsOf(contests);
  mkdirSync(join(docs, "plots"), { recursive: true });
  writeFileSync(join(docs, "search-bench.md"), printReport({ ...comparison, cpu, results: own, contests, bars }));
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
        return { improvements, stopped };
      }),
    })),
  });
}
