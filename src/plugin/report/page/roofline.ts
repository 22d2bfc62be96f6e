// The candidates of a kernel under the roof of the machine (Williams, Waterman and Patterson, CACM 2009).

import { logAxis, roundDown } from "../../../tuner/report/axis.ts";
import { colourOf } from "../../../tuner/report/plot-style.ts";
import type { KernelReport } from "../report-data.ts";
import { type Chart, type ChartAxis, type ChartSeries, chartFigure } from "./chart.ts";
import { element } from "./dom.ts";
import { bytes, percent, threeDigits } from "./figures.ts";

export function roofline(kernel: KernelReport): HTMLElement {
  const section = element("section", {}, element("h3", {}, "Roofline"));
  const points = pointsOf(kernel);
  const note = points.length > 0 ? roofNote(kernel) : "Nothing of it was measured here.";
  if (points.length > 0) section.append(chartFigure(chartOf(kernel, points)));
  section.append(element("p", { class: "note" }, note));
  return section;
}

function roofNote({ roof, bytes: moved }: KernelReport): string {
  const { gflops, reading, isCached, source } = roof;
  if (gflops === null && reading === null)
    return `The peak and the bandwidth of the machine are not known here (${source}), so no roof is drawn.`;
  const limits = [
    gflops === null
      ? "a peak that is not known for this kind of arithmetic"
      : `a peak of ${threeDigits(gflops)} GFLOP/s`,
    reading === null ? "a bandwidth that is not known for several threads" : `${threeDigits(reading)} GB/s from memory`,
  ];
  const cached = isCached
    ? ` The ${bytes(moved)} of its operands fit into the caches, which bring more than memory does: it may be above the slanted line.`
    : "";
  return `The roof, ${limits.join(" and ")}, was ${source}.${cached}`;
}

interface Point {
  readonly series: "candidates" | "default" | "winner";
  readonly speed: number;
}

function pointsOf({ candidates, winner, default: predicted, flops }: KernelReport): readonly Point[] {
  return candidates.flatMap(({ ns }, at): Point[] => {
    if (ns === null) return [];
    const series = at === winner ? "winner" : at === predicted ? "default" : "candidates";
    return [{ series, speed: flops / ns }];
  });
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

function chartOf(kernel: KernelReport, points: readonly Point[]): Chart {
  const { flops, bytes, roof } = kernel;
  const intensity = flops / bytes;
  const speeds = points.map(({ speed }) => speed);
  const [least, most] = [speeds.reduce((a, b) => Math.min(a, b)), speeds.reduce((a, b) => Math.max(a, b))];
  const ridge = roof.gflops !== null && roof.reading !== null ? roof.gflops / roof.reading : intensity;
  const from = roundDown(Math.min(intensity, ridge) / 4);
  const to = Math.max(intensity, ridge) * 6;
  const lines = roofLines(roof, from, to);
  const top = Math.max(most, ...lines.flatMap(({ corners }) => corners.map(({ y }) => y)));
  const bottom = roundDown(Math.min(least, intensity * (roof.reading ?? Number.POSITIVE_INFINITY)) / 1.5);
  const all = [
    ...lines.flatMap(({ name, corners }) => corners.map(({ x, y }) => ({ x, y, name }))),
    ...points.map(({ series, speed }) => ({ x: intensity, y: speed, name: series })),
  ].sort((a, b) => a.x - b.x);
  const series = (name: string, kind: ChartSeries["kind"], colour: string): ChartSeries[] =>
    all.some((it) => it.name === name)
      ? [{ name, kind, colour, values: all.map((it) => (it.name === name ? it.y : null)) }]
      : [];
  return {
    title: "Operations a second over operations a byte",
    summary: summaryOf(kernel, intensity, least, most),
    x: axis("operations for each byte of input and output", from, to),
    y: axis("GFLOP/s", bottom, top * 1.6),
    positions: all.map(({ x }) => x),
    series: [
      ...lines.flatMap(({ name }) => series(name, "line", colourOf(3))),
      ...series("candidates", "dots", colourOf(0)),
      ...series("winner", "spot", colourOf(2)),
      // Around the winner where the two are as fast.
      ...series("default", "ring", colourOf(1)),
    ],
    isLive: false,
  };
}

const axis = (title: string, from: number, to: number): ChartAxis => {
  const marks = logAxis(from, to, 1).ticks;
  return { title, from, to, logMarks: marks.length > 0 ? marks : [from] };
};

interface RoofLine {
  readonly name: string;
  readonly corners: readonly Corner[];
}

/** Two lines that meet, or one alone from end to end. */
function roofLines({ gflops, reading }: KernelReport["roof"], from: number, to: number): readonly RoofLine[] {
  const ridge = gflops !== null && reading !== null ? Math.min(to, Math.max(from, gflops / reading)) : null;
  const memoryEnd = ridge ?? to;
  return [
    ...(reading === null
      ? []
      : [{ name: "limit of memory", corners: [from, memoryEnd].map((x) => ({ x, y: x * reading })) }]),
    ...(gflops === null
      ? []
      : [{ name: "limit of arithmetic", corners: [ridge ?? from, to].map((x) => ({ x, y: gflops })) }]),
  ];
}

function summaryOf(
  { roof, winner, candidates, flops }: KernelReport,
  intensity: number,
  least: number,
  most: number,
): string {
  const ns = winner === null ? null : candidates[winner]!.ns;
  const best = ns === null ? most : flops / ns;
  const { gflops, reading, isCached } = roof;
  const ofMemory = reading === null || isCached ? Number.POSITIVE_INFINITY : reading * intensity;
  const limit = Math.min(gflops ?? Number.POSITIVE_INFINITY, ofMemory);
  const share = Number.isFinite(limit) ? `, ${percent(best / limit)} of what the roof allows there` : "";
  return `All candidates do ${threeDigits(intensity)} operations for each byte that has to move, at ${threeDigits(least)} to ${threeDigits(most)} GFLOP/s; the winner at ${threeDigits(best)}${share}.`;
}
