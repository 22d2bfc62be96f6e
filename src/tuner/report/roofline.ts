// Kernels under the roof of their machine: as fast as memory brings operands, or as the core computes (Williams, Waterman and
// Patterson, CACM 2009).

import { logAxis, roundDown } from "./axis.ts";
import { colourOf, plotDocument } from "./plot-style.ts";
import { element, escapeText, label } from "./svg.ts";

export interface RooflinePoint {
  readonly name: string;
  readonly flops: number;
  /** Bytes that have to be read or written at least once. */
  readonly bytes: number;
  readonly ns: number;
}

export interface Roofline {
  readonly title: string;
  /** Limits of the machine: GFLOP/s, and GB/s of its memory. */
  readonly gflops: number;
  readonly reading: number;
  /** Series of points; their order gives the colours. */
  readonly series: readonly { readonly name: string; readonly points: readonly RooflinePoint[] }[];
}

const [plotWidth, plotHeight, left, top, right, bottom] = [720, 340, 62, 44, 24, 70];
const [legendColumns, legendRow] = [4, 20];

/**
 * Draws operations a byte against operations a second, both in logarithms.
 *
 * @returns an SVG document, for light and dark surroundings alike
 */
export function rooflinePlot({ title, gflops, reading, series }: Roofline): string {
  const points = series.flatMap((it) => it.points);
  const intensities = points.map(intensityOf);
  const speeds = points.map(speedOf);
  const [leastIntensity, leastSpeed] = [roundDown(Math.min(...intensities)), roundDown(Math.min(...speeds))];
  const x = logAxis(leastIntensity, Math.max(...intensities) * 1.3, plotWidth);
  const y = logAxis(leastSpeed, Math.max(gflops, ...speeds) * 1.3, plotHeight);
  const height = top + plotHeight + bottom + Math.ceil(series.length / legendColumns) * legendRow;
  const width = left + plotWidth + right;
  const at = (intensity: number, speed: number): string =>
    `${tenth(x.place(intensity))} ${tenth(plotHeight - y.place(speed))}`;
  const ridge = gflops / reading;
  const first = Math.max(leastIntensity, leastSpeed / reading);
  const roof = `M${at(first, first * reading)}L${at(ridge, gflops)}H${plotWidth}`;
  const grid = [
    ...x.ticks.flatMap((tick) => [
      element("line", { class: "grid", x1: x.place(tick), x2: x.place(tick), y1: 0, y2: plotHeight }),
      label(String(tick), { x: x.place(tick), y: plotHeight + 18, "text-anchor": "middle" }),
    ]),
    ...y.ticks.flatMap((tick) => {
      const line = plotHeight - y.place(tick);
      return [
        element("line", { class: "grid", x1: 0, x2: plotWidth, y1: line, y2: line }),
        label(String(tick), { x: -8, y: line + 4, "text-anchor": "end" }),
      ];
    }),
  ];
  const dots = series.flatMap((it, colour) =>
    it.points.map((point) =>
      element(
        "circle",
        { cx: x.place(intensityOf(point)), cy: plotHeight - y.place(speedOf(point)), r: 4, fill: colourOf(colour) },
        element("title", {}, escapeText(`${point.name}: ${speedOf(point).toFixed(1)} GFLOP/s`)),
      ),
    ),
  );
  return plotDocument(
    { title, width, height, style: "path{fill:none;stroke:#818b98;stroke-width:2}" },
    label(title, { class: "title", x: left, y: 24 }),
    element(
      "g",
      { transform: `translate(${left} ${top})` },
      ...grid,
      element("rect", { class: "frame", width: plotWidth, height: plotHeight }),
      element("path", { d: roof }),
      ...dots,
      label("operations a byte of input and output", { x: plotWidth / 2, y: plotHeight + 38, "text-anchor": "middle" }),
      label("GFLOP/s", { transform: `translate(-46 ${plotHeight / 2}) rotate(-90)`, "text-anchor": "middle" }),
      ...legend(series.map(({ name }) => name)),
    ),
  );
}

const intensityOf = ({ flops, bytes }: RooflinePoint): number => flops / bytes;
const speedOf = ({ flops, ns }: RooflinePoint): number => flops / ns;
const tenth = (value: number): number => Math.round(value * 10) / 10;

const legend = (names: readonly string[]): readonly string[] =>
  names.flatMap((name, at) => {
    const cx = (at % legendColumns) * (plotWidth / legendColumns) + 6;
    const cy = plotHeight + 62 + Math.floor(at / legendColumns) * legendRow;
    return [element("circle", { cx, cy: cy - 4, r: 4, fill: colourOf(at) }), label(name, { x: cx + 10, y: cy })];
  });
