// A chart: uPlot, in the colours of the page, as wide as its place, with words beside it for those who do not see it.

import uPlot from "uplot";
import { element } from "./dom.ts";
import { threeDigits } from "./figures.ts";

export interface ChartAxis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** Marks of a logarithmic axis; null: the axis is linear. */
  readonly logMarks: readonly number[] | null;
  /** Marks at whole numbers only. */
  readonly isWhole?: boolean;
}

export interface ChartSeries {
  readonly name: string;
  readonly kind: "steps" | "line" | "dots" | "ring" | "spot";
  readonly colour: string;
  /** One for each of the chart's positions. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  /** Description of the chart in words. */
  readonly summary: string;
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  /** Positions from left to right; several may be the same. */
  readonly positions: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Values under the pointer are told below. */
  readonly isLive: boolean;
}

const height = 280;
/** Width of a chart, in pixels, until it is on the page, and on paper. */
const usualWidth = 640;

const redraws = new Set<() => void>();

/** Draws all charts anew, when the colours of the page have changed. */
export function redrawCharts(): void {
  for (const redraw of redraws) redraw();
}

/** Makes a figure whose chart is drawn when it gets its place on the page. */
export function chartFigure(chart: Chart): HTMLElement {
  const place = element("div", { class: "plot", role: "img", "aria-label": `${chart.title}. ${chart.summary}` });
  let plot: uPlot | null = null;
  const draw = (): void => {
    plot?.destroy();
    plot = new uPlot(optionsOf(chart, place.clientWidth || usualWidth), dataOf(chart), place);
  };
  redraws.add(draw);
  new ResizeObserver(() => {
    const width = place.clientWidth;
    if (width === 0) return;
    if (!plot) draw();
    else if (plot.width !== width) plot.setSize({ width, height });
  }).observe(place);
  const caption = element("figcaption", {}, element("strong", {}, chart.title), " ", chart.summary);
  return element("figure", { class: "chart" }, caption, place);
}

const dataOf = ({ positions, series }: Chart): uPlot.AlignedData => [
  [...positions],
  ...series.map(({ values }) => [...values]),
];

/** A colour of the style sheet as canvases take it. */
function pageColour(name: string): string {
  const probe = document.body.appendChild(element("span", { hidden: true }));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function optionsOf({ x, y, series, isLive }: Chart, width: number): uPlot.Options {
  const colours = { text: pageColour("muted"), grid: pageColour("line"), ground: pageColour("surface") };
  return {
    width,
    height,
    padding: [12, 22, 0, 0],
    scales: { x: { time: false, ...scaleOf(x) }, y: scaleOf(y) },
    axes: [
      { ...axisOf(x, colours), size: 34, labelSize: 20 },
      { ...axisOf(y, colours), size: 48, labelSize: 20 },
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 7 }, show: isLive },
    legend: { live: isLive },
    series: [{ label: x.title, value: figure }, ...series.map((one) => seriesOf(one, colours.ground))],
  };
}

const scaleOf = ({ from, to, logMarks }: ChartAxis): uPlot.Scale => ({
  distr: logMarks ? 3 : 1,
  range: () => [from, to],
});

const font = "12px system-ui, sans-serif";

/** Steps between whole marks: 1, 2, 5, 10, … */
const wholeSteps = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function axisOf({ title, logMarks, isWhole }: ChartAxis, { text, grid }: { text: string; grid: string }): uPlot.Axis {
  const marks = logMarks && { splits: () => [...logMarks], filter: (_: uPlot, splits: number[]) => splits };
  return {
    label: title,
    labelFont: font,
    font,
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    // The marks of the two axes would overlap in the corner.
    values: (_, splits, at) =>
      splits.map((value) => (value === null || (at === 1 && logMarks?.[0] === value) ? null : threeDigits(value))),
    ...(isWhole ? { incrs: wholeSteps } : {}),
    ...marks,
  };
}

const figure: uPlot.Series.Value = (_, value) => (value === null || value === undefined ? "" : threeDigits(value));

/** Style of dots: thousands of them are to show where they are dense. */
function dotsOf(values: ChartSeries["values"], colour: string): uPlot.Series.Points {
  const isDense = values.length > 500;
  return { show: true, size: isDense ? 3 : 5, width: 0, fill: `${colour}${isDense ? "59" : "80"}` };
}

function seriesOf({ name, kind, colour, values }: ChartSeries, ground: string): uPlot.Series {
  const common = { label: name, value: figure, stroke: colour, spanGaps: true };
  switch (kind) {
    case "steps":
      return { ...common, width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } };
    case "line":
      return { ...common, width: 2, points: { show: false } };
    case "dots":
      return { ...common, paths: () => null, points: dotsOf(values, colour) };
    case "ring":
      return {
        ...common,
        paths: () => null,
        points: { show: true, size: 17, width: 2, stroke: colour, fill: "transparent" },
      };
    case "spot":
      return { ...common, paths: () => null, points: { show: true, size: 12, width: 2, stroke: ground, fill: colour } };
  }
}
