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

function roofNote({ roof }: KernelReport): string {
  const { gflops, reading, source, isKernelFaster, relaxedGflops } = roof;
  if (gflops === null && reading === null)
    return `What this machine can do at most is not known (${source}), so no roof is drawn.`;
  const limits = [
    ...(gflops === null ? [] : [`${threeDigits(gflops)} GFLOP/s of the arithmetic that this kernel cannot do without`]),
    ...(reading === null
      ? []
      : [`${threeDigits(reading.speed)} GB/s for reading the ${bytes(reading.bytes)} that it needs`]),
  ];
  const relaxed =
    relaxedGflops !== null && gflops !== null && relaxedGflops > 1.05 * gflops
      ? ` Its twin with relaxed SIMD can do ${threeDigits(relaxedGflops)} GFLOP/s.`
      : "";
  const faster = isKernelFaster
    ? " The kernel was faster than that when it was tuned, so the roof is drawn where the kernel is: the limits were measured while the machine was busy, or the kernel skips some of the work."
    : "";
  return `The roof is ${limits.join(" and ")}, ${source}.${relaxed}${faster}`;
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

const intensityOf = ({ flops, bytes, roof }: KernelReport): number => flops / (roof.reading?.bytes ?? bytes);

function chartOf(kernel: KernelReport, points: readonly Point[]): Chart {
  const { roof } = kernel;
  const intensity = intensityOf(kernel);
  const speeds = points.map(({ speed }) => speed);
  const [least, most] = [speeds.reduce((a, b) => Math.min(a, b)), speeds.reduce((a, b) => Math.max(a, b))];
  const ridge = roof.gflops !== null && roof.reading !== null ? roof.gflops / roof.reading.speed : intensity;
  const from = roundDown(Math.min(intensity, ridge) / 4);
  const to = Math.max(intensity, ridge) * 6;
  const lines = roofLines(roof, from, to);
  const top = Math.max(most, ...lines.flatMap(({ corners }) => corners.map(({ y }) => y)));
  const bottom = roundDown(Math.min(least, roof.reading?.gflops ?? Number.POSITIVE_INFINITY) / 1.5);
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
    x: axis("operations for each byte that has to move", from, to),
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
  const ridge = gflops !== null && reading !== null ? Math.min(to, Math.max(from, gflops / reading.speed)) : null;
  const memoryEnd = ridge ?? to;
  return [
    ...(reading === null
      ? []
      : [{ name: "limit of reading", corners: [from, memoryEnd].map((x) => ({ x, y: x * reading.speed })) }]),
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
  const limit = roof.leastNs === null ? null : flops / roof.leastNs;
  const share = limit === null ? "" : `, ${percent(best / limit)} of what the roof allows there`;
  return `All candidates do ${threeDigits(intensity)} operations for each byte that has to move, at ${threeDigits(least)} to ${threeDigits(most)} GFLOP/s; the winner at ${threeDigits(best)}${share}.`;
}
