// Results → docs/peers.md: a table for each suite, and how far its bars are reached.

import { textTable } from "../../../src/tuner/report/text-table.ts";
import { ageText } from "../provenance.ts";
import { type Judged, ratiosAgainst } from "./bars.ts";
import type { Rival, Spread } from "./contest.ts";
import { librariesText } from "./libraries-text.ts";
import { attemptsOf, gflopsOf, limitOf, type WorkResult } from "./result.ts";
import {
  judgedIn,
  namesOf,
  plotName,
  reachedText,
  type Section,
  sectionsOf,
  titleOf,
  wantedText,
  wideText,
} from "./section.ts";
import { leftOutText, summaryTable } from "./summary.ts";
import { attemptsText, type Timing, type TimingSuite, timingSuites, timingText, verdictText } from "./timing.ts";

/** @param results of one CPU, as are `timings` */
export function printReport(results: readonly WorkResult[], timings: readonly Timing[], suffix: string): string {
  const sections = sectionsOf(results).map((section) => sectionText(section, suffix));
  return `${[introduction(results, suffix), ...sections, ...timingTexts(timings)].join("\n\n")}\n`;
}

function introduction(results: readonly WorkResult[], suffix: string): string {
  const { cpu } = results[0]!;
  const best = (limit: (peak: WorkResult["peak"]) => number): string =>
    Math.max(...results.map(({ peak }) => limit(peak))).toFixed(0);
  return [
    "# Our kernels beside libraries",
    `By \`npm run bench\`, on ${cpu}, one thread unless it says otherwise. One core was measured: ${best(({ gflops }) => gflops)} GFLOP/s of f32, ${best(({ bf16 = 0 }) => bf16)} of dot products of bf16, ${best(({ int8 = 0 }) => int8)} Gop/s of those of bytes; it reads ${best(({ reading }) => reading)} GB/s.`,
    ageText(results),
    "Works and libraries, in short: the geometric mean of the works, with the least and the most of them, against the fastest " +
      "library of each work. A library has the number of works that it was measured on, unless that is all; a mean with one library is " +
      "against that one alone. Works whose ratio was not steady (its ninetieth per cent is more than 1.5 times its tenth) are in no mean, " +
      "and named. Over all attempts: how many each work had, and the means with the worst and with the best of each.",
    summaryTable(results),
    "Each kernel was tuned within half a minute; a row is the last of its attempts, and says how many there were, and the least and the most " +
      "of ours in them. All are in results.jsonl. Kernel and libraries then took samples in turns, in one process, on the same " +
      "arrays, from loops in C, with hot caches; all outputs were checked. A ratio is the library's time over ours in one round: above 1 " +
      "ours is faster. It is the median of the rounds, with the tenth and ninetieth per cent. Packages of npm are called from JavaScript, " +
      "as their users do, with their inputs where they have them.",
    "Inner loop: of the innermost loop that multiplies most, how many of its instructions multiply, of how many, and how many go to " +
      "memory, which may be the same.",
    `![roofline](plots/peers-roofline${suffix}.svg)`,
    librariesText(results),
  ].join("\n\n");
}

function sectionText(section: Section, suffix: string): string {
  const { threads, results } = section;
  const names = namesOf(results);
  const hasLoops = results.some(({ innerLoop }) => innerLoop);
  const head = ["", "GFLOP/s", "attempts", "of the peak", "schedule", ...(hasLoops ? ["inner loop"] : []), ...names];
  const rows = results.map((result) => [
    result.name,
    gflopsOf(result, result.medianNs).toFixed(1),
    speedsText(attemptsOf(result)),
    shareText(gflopsOf(result, result.medianNs), limitOf(result), threads),
    result.candidate.template,
    ...(hasLoops ? [mixText(result.innerLoop)] : []),
    ...names.map((name) => ratioText(result.rivals.find((rival) => rival.name === name))),
  ]);
  const judged = judgedIn(section).map((it) => `- ${barText(it, results)}`);
  const failures = results.flatMap(({ name, failures: own }) =>
    Object.entries(own).map(([library, reason]) => `- ${name}: ${library} ${reason}`),
  );
  return [
    `## ${titleOf(section)}`,
    `![${titleOf(section)}](plots/${plotName(section, suffix)})`,
    textTable(head, rows),
    leftOutText(results) ?? "",
    [...judged, ...failures].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const timingTitles: Readonly<Record<TimingSuite, string>> = {
  "call-overhead": "Calls of a kernel, the product of two 4×4 matrices of f32",
  "build-time": "Builds with the plugin",
};

function timingTexts(timings: readonly Timing[]): readonly string[] {
  const nodes = [...new Set(timings.map(({ node }) => node))].sort((a, b) => a - b);
  return timingSuites.flatMap((suite) =>
    nodes.flatMap((node) => {
      const own = timings.filter((timing) => timing.suite === suite && timing.node === node);
      const rows = own.map((it) => [it.name, timingText(it), attemptsText(it), verdictText(it)]);
      const head = ["", "time", "attempts", "bar"];
      return own.length > 0 ? [`## ${timingTitles[suite]}, Node ${node}`, ageText(own), textTable(head, rows)] : [];
    }),
  );
}

/** @example "24 of 36, 12" */
const mixText = (mix: WorkResult["innerLoop"]): string =>
  mix ? `${mix.multiplying} of ${mix.instructions}, ${mix.loads + mix.stores}` : "–";

const shareText = (gflops: number, limit: number | null, threads: number): string =>
  limit === null ? "–" : `${((100 * gflops) / (threads * limit)).toFixed(0)} %`;

const ratioText = (rival: Rival | undefined): string => (rival ? spreadText(rival.ratio) : "–");

const spreadText = ({ low, median, high }: Spread): string =>
  `${median.toFixed(2)} (${low.toFixed(2)} … ${high.toFixed(2)})`;

/** @example "2: 95.1 … 104.0", how many attempts, and their GFLOP/s; "1" where there is only one */
function speedsText(attempts: readonly WorkResult[]): string {
  if (attempts.length === 1) return "1";
  const speeds = attempts.map((attempt) => gflopsOf(attempt, attempt.medianNs));
  return `${attempts.length}: ${Math.min(...speeds).toFixed(1)} … ${Math.max(...speeds).toFixed(1)}`;
}

function barText(judged: Judged, results: readonly WorkResult[]): string {
  const { bar, reached, below, leftOut, isMet } = judged;
  const wide = ratiosAgainst(results, bar.rivals).filter(({ name }) => leftOut.includes(name));
  const without = wide.length > 0 ? `, without ${wide.map(wideText).join("; ")}` : "";
  if (reached === null) return `${wantedText(judged)}: not measured${without}`;
  const missing = bar.of === "each" && below.length > 0 ? `, below in ${below.join("; ")}` : "";
  return `${wantedText(judged)}: **${isMet ? "met" : "missed"}**, ${reachedText(judged)}${missing}${without}`;
}
