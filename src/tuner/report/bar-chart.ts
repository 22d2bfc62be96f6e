// Speeds of several programs on several works → bars, those of one work together, beside the limit of the machine.

import { linearAxis } from "./axis.ts";
import { colourOf, plotDocument } from "./plot-style.ts";
import { element, label } from "./svg.ts";

export interface BarChart {
  readonly title: string;
  /** Unit of the bars: "GFLOP/s". */
  readonly unit: string;
  /** Names of programs. Each has one bar at each work, null where there is none; the order gives the colours. */
  readonly programs: readonly string[];
  readonly works: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** Height of a line across all bars; null: there is none. */
  readonly limit: number | null;
}

const [labelWidth, plotWidth, barHeight, gap, right] = [170, 640, 9, 10, 40];
const [top, legendHeight, axisHeight] = [44, 26, 34];

/**
 * Draws bars from left to right.
 *
 * @returns an SVG document, for light and dark surroundings alike
 * @example writeFileSync("gemm.svg", barChart({ title, unit: "GFLOP/s", programs: ["ours", "OpenBLAS"], works, limit: 118 }));
 */
export function barChart(chart: BarChart): string {
  const { title, unit, programs, works, limit } = chart;
  const groupHeight = programs.length * barHeight + gap;
  const plotHeight = works.length * groupHeight;
  const [width, height] = [labelWidth + plotWidth + right, top + legendHeight + plotHeight + axisHeight];
  const most = Math.max(limit ?? 0, ...works.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const { place, ticks } = linearAxis(0, most * 1.02, stepOf(most), plotWidth);
  const groups = works.map(({ name, values }, at) =>
    element(
      "g",
      { transform: `translate(0 ${at * groupHeight})` },
      label(name, { x: -8, y: (groupHeight - gap) / 2 + 4, "text-anchor": "end" }),
      ...values.flatMap((value, program) =>
        value === null
          ? []
          : element("rect", {
              x: 0,
              y: program * barHeight,
              width: place(value),
              height: barHeight - 1,
              fill: colourOf(program),
            }),
      ),
    ),
  );
  const grid = ticks.flatMap((tick) => [
    element("line", { class: "grid", x1: place(tick), x2: place(tick), y1: 0, y2: plotHeight }),
    label(tick.toLocaleString("en-US"), { x: place(tick), y: plotHeight + 16, "text-anchor": "middle" }),
  ]);
  const limitLine =
    limit === null
      ? []
      : [element("line", { class: "frame", x1: place(limit), x2: place(limit), y1: 0, y2: plotHeight })];
  return plotDocument(
    { title, width, height },
    label(title, { class: "title", x: 16, y: 24 }),
    legend(programs),
    element(
      "g",
      { transform: `translate(${labelWidth} ${top + legendHeight})` },
      ...grid,
      ...groups,
      ...limitLine,
      label(unit, { x: plotWidth, y: plotHeight + 32, "text-anchor": "end" }),
    ),
  );
}

/** Returns the distance of marks, 1, 2 or 5 times a power of ten, for 4 to 10 of them. */
function stepOf(most: number): number {
  const decade = 10 ** Math.floor(Math.log10(most));
  return most / decade < 2 ? decade / 5 : most / decade < 5 ? decade / 2 : decade;
}

const legendStep = 130;

const legend = (programs: readonly string[]): string =>
  element(
    "g",
    { transform: `translate(16 ${top})` },
    ...programs.flatMap((name, at) => [
      element("rect", { x: at * legendStep, y: -9, width: 10, height: 10, fill: colourOf(at) }),
      label(name, { x: at * legendStep + 15, y: 0 }),
    ]),
  );
