// Sections of docs/peers.md: the works of a suite that were measured under one set of conditions, and how far its bars are reached.

import { bars, type Judged, judge, type NamedRatio, wasm } from "./bars.ts";
import { nodeOf, type WorkResult } from "./result.ts";
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
  softmax: "Softmax",
  "layer-norm": "Layer normalisation",
  attention: "Attention",
  bytes: "Operators on bytes, beside our WASM and the same on f32",
  layouts: "Channels first, strides, clamped edges, one column, transposes",
  pixels: "Pixels, sound, complex numbers",
  rows: "Products of few rows, weights stored by output",
  filters: "Filters of images, arithmetic of bytes",
  short: "Short sums: points, small matrices, pools",
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

/** A ratio that is not steady, with the tenth and ninetieth per cent of its rounds. */
export const wideText = ({ name, ratio: { low, median, high } }: NamedRatio): string =>
  `${name}, ${median.toFixed(2)} (${low.toFixed(2)} … ${high.toFixed(2)})`;

/** The bars of a section's works. */
export const judgedIn = ({ suite, target, threads, results }: Section): readonly Judged[] =>
  bars
    .filter(
      (bar) => bar.suite === suite && (bar.threads ?? 1) === threads && (bar.target === wasm) === (target === wasm),
    )
    .map((bar) => judge(bar, results));

/** @example "each at least 1.00 against the best of OpenBLAS, BLIS, oneDNN" */
export function wantedText({ bar }: Judged): string {
  const against = bar.rivals.length > 1 ? `the best of ${bar.rivals.join(", ")}` : bar.rivals[0]!;
  return `${bar.of} at least ${bar.least.toFixed(2)} against ${against}`;
}

/** @example "least 0.94" */
export const reachedText = ({ bar, reached }: Judged): string =>
  reached === null ? "not measured" : `${bar.of === "each" ? "least " : ""}${reached.toFixed(2)}`;
