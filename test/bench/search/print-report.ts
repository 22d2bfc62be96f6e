// docs/search-bench.md: finished runs → the tables, the bars and the links to the plots.

import { codegenVersion, factsOf } from "../../../src/compiler/index.ts";
import { perfTable } from "../../../src/tuner/report/perf-table.ts";
import { textTable } from "../../../src/tuner/report/text-table.ts";
import { timeSplit } from "../../../src/tuner/report/time-split.ts";
import { tuningParts } from "../../../src/tuner/support/profile.ts";
import { duration, percent, threeDigits } from "../../../src/tuner/support/readable-number.ts";
import { type Bar, barText, secondsText, trialsText } from "./bars.ts";
import type { RunResult } from "./run-result.ts";
import { definitionOf, searchTaskNamed, searchTasks } from "./search-task.ts";
import { type Contest, type MiddleAndWorst, type Standing, shares, standingsOf, sumOfProfiles } from "./summary.ts";

export interface Report {
  readonly cpu: string;
  /** Budget of the runs that are compared. */
  readonly seconds: number;
  readonly results: readonly RunResult[];
  readonly contests: readonly Contest[];
  readonly bars: readonly Bar[];
  /** Version of the code generator that the runs are held against; default: this one. */
  readonly today?: string;
}

export const plotName = ({ task, target }: Contest): string => `search-${task}-${target}.svg`;

export function printReport(report: Report): string {
  const sections = [
    introduction(report),
    "## Bars\n",
    report.bars.map((bar) => `- ${barText(bar)}`).join("\n"),
    "\n## What was found\n",
    perfTable(report.contests.map((contest) => performanceOf(contest, report.results))),
    "",
    ...report.contests.map(contestSection),
    "## Where the time goes\n",
    splitTable(report.contests),
    ...defaultSplit(report.contests),
    "\n## Noise\n",
    "How far the times from the even and from the odd rounds lie apart, the median over the candidates near the best.\n",
    noiseTable(report.contests),
  ];
  return `${sections.join("\n")}\n`;
}

function introduction({ cpu, seconds, results, contests, today = codegenVersion }: Report): string {
  const each = (pick: (run: RunResult) => string): string => [...new Set(results.map(pick))].sort().join(", ");
  const days = results.map(({ finishedAt }) => finishedAt.slice(0, 10)).sort();
  const older = results.filter(({ codegen }) => codegen !== today).length;
  const alone = contests.filter(({ runs }) => new Set(runs.map(({ strategy }) => strategy)).size < 2).length;
  const unsettled = contests.reduce((sum, contest) => sum + contest.unsettled, 0);
  return `# Strategies of the search

Made by \`npm run bench:search -- --report\` from \`test/bench/search/results.jsonl\`; do not edit.

${results.length} runs on ${cpu}; Node ${each(({ node }) => node)}; ${each(({ toolchain }) => toolchain)}; code generators' version ${each(({ codegen }) => codegen)}.
Measured from ${days[0]} to ${days.at(-1)}. ${
    older > 0
      ? `${older} of ${results.length} runs are of another code generator than today's, which is ${today}`
      : `All are of today's code generator, ${today}`
  }.
${runsText(results)}

**No task was kept aside.** \`default\` was developed on these ${searchTasks.length} tasks, and its prior for WASM was fitted to candidates of ${fitted.length} of them
(${fitted.map(({ title }) => title).join(", ")}): what it does on a task that nobody developed it on is not shown here.

A run is a process of its own with ${seconds} s for one task, one strategy and one seed, and no limit to the number of candidates. Only
\`default\` stops when it has converged, as it does for users: what it has found then is what it ends with. Seconds count from when a
user begins to wait: the space, the compiler's detection and the right answers come first. The right answers alone are in
the column "reference".

**Times** are not those that the searches recorded: runs of different hours had a different machine, and the best of a search is
the luckiest of many. All that was ever the best of a run, and what its race chose in the end, was measured once more, those of a
task side by side in 12 rounds or more, for 40 to 120 seconds, and the 10 % quantile of its samples is its time (\`--settle\`). So a run is as good as what it had found by
then, whether or not it knew how good that was. The **best known** of a task is the fastest of all runs of any length.
Seconds are those of the clock: a machine that others use too makes a search slower, and nothing is taken off for that.
${unsettled > 0 ? `\n${unsettled} runs are in no figure: they came after the last settling.\n` : ""}${
  alone > 0
    ? `\n**Not finished**: on ${alone} of ${contests.length} tasks and targets only one strategy has run so far. Its best is the best known there, whatever others would find.\n`
    : ""
}`;
}

const fitted = searchTasks.filter(({ isFitted }) => isFitted);

/** How often each run was done: only the last time is in the tables, and a strategy that was run more often was tried out more. */
function runsText(results: readonly RunResult[]): string {
  const of = (runs: readonly RunResult[]): string => {
    const counts = runs.map(({ attempts = 1 }) => attempts);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const all = counts.reduce((sum, count) => sum + count, 0);
    return `${least === most ? `${most}` : `${least} to ${most}`} times (${all} runs for ${runs.length})`;
  };
  const names = [...new Set(results.map(({ strategy }) => strategy))];
  const again = names.filter((name) => results.some(({ strategy, attempts = 1 }) => strategy === name && attempts > 1));
  const said = again.map((name) => `\`${name}\` ${of(results.filter(({ strategy }) => strategy === name))}`);
  return again.length > 0
    ? `The last run of each task, target, strategy and seed counts. They were done ${said.join(", ")}; all others once.`
    : "Each run was done once.";
}

function performanceOf(contest: Contest, results: readonly RunResult[]): Parameters<typeof perfTable>[0][number] {
  const task = searchTaskNamed(contest.task);
  const { flops } = factsOf(definitionOf(task));
  const own = results.filter((run) => run.task === contest.task && run.target === contest.target);
  return {
    task: task.title,
    target: contest.target,
    flops,
    bestNs: contest.best?.ns ?? null,
    trials: own.reduce((sum, { trials }) => sum + trials, 0),
    predictedNs: contest.settled?.predictedNs ?? null,
  };
}

// ── one task on one target ──────────────────────────────────────────────────────────────────────────────────────────

function contestSection(contest: Contest): string {
  const { title } = searchTaskNamed(contest.task);
  const standings = standingsOf(contest);
  const plot = `![${title}, ${contest.target}: best so far](plots/${plotName(contest)})`;
  const lines =
    contest.best && standings.length > 0
      ? [
          plot,
          "",
          bestText(contest.best),
          "",
          trialsTable(standings),
          "",
          secondsTable(standings),
          "",
          costTable(standings),
        ]
      : [`There is no settled run of it that is compared.${contest.best ? ` ${bestText(contest.best)}` : ""}`];
  return [`## ${title}, ${contest.target}`, "", ...lines, ""].join("\n");
}

function bestText({ ns, by }: NonNullable<Contest["best"]>): string {
  const run = `${by.isLong ? "the long run" : `\`${by.strategy}\``}, seed ${by.seed}`;
  const found = by.improvements.find((improvement) => improvement.ns === ns);
  const where = found ? `candidate ${found.trial} of ${by.trials}` : `chosen by the race among ${by.trials}`;
  return `Best known: ${duration(ns)}, found by ${run}, ${where}.`;
}

const reachedHead = shares.map((share) => `${Math.round(share * 100)} %`);

/** Median over the seeds, and the worst of them. */
const cells = (reached: readonly MiddleAndWorst[], text: (value: number) => string): readonly string[] =>
  reached.map(({ middle, worst }) => (middle === worst ? text(middle) : `${text(middle)} (${text(worst)})`));

function trialsTable(standings: readonly Standing[]): string {
  const rows = standings.map(({ strategy, runs, trials }) => [
    `\`${strategy}\``,
    ...cells(trials, trialsText),
    runs.length.toString(),
  ]);
  return textTable(["candidates to, median (worst)", ...reachedHead, "seeds"], rows);
}

function secondsTable(standings: readonly Standing[]): string {
  const rows = standings.map(({ strategy, runs, seconds, final }) => [
    `\`${strategy}\``,
    ...cells(seconds, secondsText),
    percent(final),
    middleOf(runs, ({ endedMs }) => endedMs),
    middleOf(runs, ({ referenceMs }) => referenceMs),
  ]);
  return textTable(["seconds to, median (worst)", ...reachedHead, "at the end", "ended", "reference"], rows);
}

function middleOf(runs: readonly RunResult[], ms: (run: RunResult) => number): string {
  return secondsText(runs.map(ms).sort((a, b) => a - b)[runs.length >> 1]! / 1000);
}

function costTable(standings: readonly Standing[]): string {
  const rows = standings.map((standing) => [
    `\`${standing.strategy}\``,
    percent(standing.validShare),
    failuresOf(standing.runs),
    threeDigits(standing.trialsPerSecond),
    percent(standing.decidingShare),
  ]);
  return textTable(["", "valid", "invalid", "candidates a second", "deciding"], rows);
}

function failuresOf(runs: readonly RunResult[]): string {
  const counts = new Map<string, number>();
  for (const [kind, count] of runs.flatMap(({ invalid }) => Object.entries(invalid))) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}

// ── time and noise ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Shares of all runs' time, a row a strategy and target. */
function splitTable(contests: readonly Contest[]): string {
  const runs = contests.flatMap((contest) => contest.runs);
  const groups = new Map(runs.map(({ strategy, target }) => [`${strategy} ${target}`, { strategy, target }]));
  const rows = [...groups.values()].map(({ strategy, target }) => {
    const profile = sumOfProfiles(runs.filter((run) => run.strategy === strategy && run.target === target));
    const total = tuningParts.reduce((sum, part) => sum + profile[part], 0);
    const { sampling, search, prediction, training } = profile;
    const deciding = (sampling + search + prediction + training) / total;
    return [`\`${strategy}\``, target, ...tuningParts.map((part) => percent(profile[part] / total)), percent(deciding)];
  });
  return textTable(["strategy", "target", ...tuningParts, "deciding"], rows);
}

function defaultSplit(contests: readonly Contest[]): readonly string[] {
  const runs = contests.flatMap((contest) => contest.runs).filter(({ strategy }) => strategy === "default");
  if (runs.length === 0) return [];
  const split = timeSplit(sumOfProfiles(runs));
  return [
    "\nAll runs of `default` together; deciding is sampling, search, prediction and training:\n",
    `\`\`\`\n${split}\n\`\`\``,
  ];
}

/** Table of the uncertainty of the times. */
function noiseTable(contests: readonly Contest[]): string {
  const rows = contests.flatMap(({ task, target, settled }) =>
    settled ? [[task, target, String(Object.keys(settled.times).length), percent(settled.noise)]] : [],
  );
  return textTable(["task", "target", "candidates settled", "halves apart"], rows);
}
