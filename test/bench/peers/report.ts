// Results → docs/peers.md: a table for each suite, and how far its bars are reached.

import { textTable } from "../../../src/tuner/report/text-table.ts";
import { ageText } from "../provenance.ts";
import { againstBest, bars, geometricMean, type Judged, judge, ownNames, wasm } from "./bars.ts";
import type { Rival, Spread } from "./contest.ts";
import { gflopsOf, limitOf, nodeOf, type WorkResult } from "./result.ts";
import { type Timing, type TimingSuite, timingSuites, timingText, verdictText } from "./timing.ts";
import { type SuiteName, suiteNames } from "./work.ts";

const titles: Readonly<Record<SuiteName, string>> = {
  gemm: "f32 products",
  small: "Small f32 products",
  batch: "Batches of small f32 products",
  odd: "f32 products that fit no tile, and of few rows",
  packed: "f32 products whose right side stays the same",
  fused: "f32 products with an epilogue, whose right side stays the same",
  chain: "GEMM-exp-GEMM",
  gemv: "Matrix times vector",
  int8: "u8 · i8 products",
  "int8-packed": "i8 products whose right side stays the same",
  bf16: "bf16 products whose right side stays the same",
  conv: "Convolutions of ResNet-50",
  depthwise: "Depthwise convolutions of MobileNet",
  norm: "Softmax and layer normalisation",
  attention: "Attention",
  bytes: "Operators on bytes, beside our WASM and the same on f32",
};

/** A suite on a target, with so many threads. */
export interface Section {
  readonly suite: SuiteName;
  readonly target: string;
  /** Whether most native works of this CPU were measured for another native target. */
  readonly isUnusual: boolean;
  readonly node: number;
  readonly threads: number;
  readonly results: readonly WorkResult[];
}

export function sectionsOf(results: readonly WorkResult[]): readonly Section[] {
  const places = [...new Map(results.map((result) => [placeKey(result), result])).values()].sort(
    (a, b) => Number(a.target === wasm) - Number(b.target === wasm) || nodeOf(a) - nodeOf(b) || a.threads - b.threads,
  );
  const usual = mostFrequent(results.map(({ target }) => target).filter((target) => target !== wasm));
  return places.flatMap((place) =>
    suiteNames.flatMap((suite) => {
      const own = results.filter((it) => it.suite === suite && placeKey(it) === placeKey(place));
      const { target, threads } = place;
      const isUnusual = target !== wasm && target !== usual;
      return own.length > 0 ? [{ suite, target, isUnusual, node: nodeOf(place), threads, results: own }] : [];
    }),
  );
}

function mostFrequent(names: readonly string[]): string | undefined {
  const count = (name: string): number => names.filter((it) => it === name).length;
  return [...new Set(names)].sort((a, b) => count(b) - count(a))[0];
}

const placeKey = (result: WorkResult): string => [result.target, nodeOf(result), result.threads].join(" ");

type Named = Omit<Section, "results">;

export const titleOf = (section: Named): string => [titles[section.suite], ...placeOf(section)].join(", ");

/** @param suffix for CPUs other than that of docs/peers.md */
export const plotName = (section: Named, suffix: string): string =>
  `${["peers", section.suite, ...placeOf(section)].join(" ").toLowerCase().replace(" on ", " ").replaceAll(" ", "-")}${suffix}.svg`;

/** Conditions of a measurement that are not the usual ones: one thread, and the native target of the CPU. */
const placeOf = ({ target, isUnusual, node, threads }: Named): readonly string[] => [
  ...(target === wasm ? [`WASM on Node ${node}`] : []),
  ...(isUnusual ? [target] : []),
  ...(threads > 1 ? [`${threads} threads`] : []),
];

/** Names of the rivals in these results. */
export const namesOf = (results: readonly WorkResult[]): readonly string[] => [
  ...new Set(results.flatMap(({ rivals }) => rivals.map(({ name }) => name))),
];

/** @param results of one CPU, as are `timings` */
export function printReport(results: readonly WorkResult[], timings: readonly Timing[], suffix: string): string {
  const sections = sectionsOf(results).map((section) => sectionText(section, suffix));
  return `${[introduction(results, suffix), ...sections, ...timingTexts(timings)].join("\n\n")}\n`;
}

function introduction(results: readonly WorkResult[], suffix: string): string {
  const { cpu } = results[0]!;
  const best = (limit: (peak: WorkResult["peak"]) => number): string =>
    Math.max(...results.map(({ peak }) => limit(peak))).toFixed(0);
  const libraries = results.flatMap(({ rivals }) => rivals.filter(({ version }) => version !== ""));
  const versions = new Map(libraries.map(({ name, version }) => [name, version]));
  return [
    "# Our kernels beside libraries",
    `By \`npm run bench\`, on ${cpu}, one thread unless it says otherwise. One core was measured: ${best(({ gflops }) => gflops)} GFLOP/s of f32, ${best(({ bf16 = 0 }) => bf16)} of dot products of bf16, ${best(({ int8 = 0 }) => int8)} Gop/s of those of bytes; it reads ${best(({ reading }) => reading)} GB/s.`,
    ageText(results),
    "Works and libraries, in short: the geometric mean of the works, with the least and the most of them.",
    summaryTable(results),
    "Each kernel was tuned within half a minute; a row is the last of its attempts, all of which are in results.jsonl. Kernel and libraries then took samples in turns, in one process, on the same " +
      "arrays, from loops in C, with hot caches; all outputs were checked. A ratio is the library's time over ours in one round: above 1 " +
      "ours is faster. It is the median of the rounds, with the tenth and ninetieth per cent. Packages of npm are called from JavaScript, " +
      "as their users do, with their inputs where they have them.",
    "Inner loop: of the innermost loop that multiplies most, how many of its instructions multiply, of how many, and how many go to " +
      "memory, which may be the same.",
    `![roofline](plots/peers-roofline${suffix}.svg)`,
    `Libraries: ${[...versions].map(([name, version]) => `${name} ${version}`).join(", ")}.`,
  ].join("\n\n");
}

/** One row a section: how it stands to the fastest library of each work. */
export function summaryTable(results: readonly WorkResult[]): string {
  const rows = sectionsOf(results).flatMap((section) => {
    const libraries = namesOf(section.results).filter((name) => !ownNames.includes(name));
    const ratios = section.results.flatMap((result) => againstBest(result, libraries) ?? []);
    if (ratios.length === 0) return [];
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    const mean = `${geometricMean(ratios).toFixed(2)} (${least} … ${most})`;
    return [[titleOf(section), `${ratios.length}`, mean, libraries.join(", ")]];
  });
  return textTable(["", "works", "× the best library", "of"], rows);
}

function sectionText(section: Section, suffix: string): string {
  const { suite, target, threads, results } = section;
  const names = namesOf(results);
  const hasLoops = results.some(({ innerLoop }) => innerLoop);
  const head = ["", "GFLOP/s", "of the peak", "schedule", ...(hasLoops ? ["inner loop"] : []), ...names];
  const rows = results.map((result) => [
    result.name,
    gflopsOf(result, result.medianNs).toFixed(1),
    shareText(gflopsOf(result, result.medianNs), limitOf(result), threads),
    result.candidate.template,
    ...(hasLoops ? [mixText(result.innerLoop)] : []),
    ...names.map((name) => ratioText(result.rivals.find((rival) => rival.name === name))),
  ]);
  const own = bars.filter((bar) => {
    return bar.suite === suite && (bar.threads ?? 1) === threads && (bar.target === wasm) === (target === wasm);
  });
  const judged = own.map((bar) => barText(judge(bar, results)));
  const failures = results.flatMap(({ name, failures: own }) =>
    Object.entries(own).map(([library, reason]) => `- ${name}: ${library} ${reason}`),
  );
  return [
    `## ${titleOf(section)}`,
    `![${titleOf(section)}](plots/${plotName(section, suffix)})`,
    textTable(head, rows),
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
      const rows = own.map((timing) => [timing.name, timingText(timing), verdictText(timing)]);
      return own.length > 0 ? [`## ${timingTitles[suite]}, Node ${node}`, textTable(["", "time", "bar"], rows)] : [];
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

function barText({ bar, reached, below, isMet }: Judged): string {
  const against = bar.rivals.length > 1 ? `the best of ${bar.rivals.join(", ")}` : bar.rivals[0]!;
  const wanted = `- ${bar.of} at least ${bar.least.toFixed(2)} against ${against}`;
  if (reached === null) return `${wanted}: not measured`;
  const figure = `${bar.of === "each" ? "least " : ""}${reached.toFixed(2)}`;
  const missing = bar.of === "each" && below.length > 0 ? `, below in ${below.join("; ")}` : "";
  return `${wanted}: **${isMet ? "met" : "missed"}**, ${figure}${missing}`;
}
