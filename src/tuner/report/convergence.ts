// Tunings → a plot: the best so far, as a share of the best known, against candidates and against seconds, side by side. A
// colour a strategy, its median over the runs drawn bold, the runs thin; a dot where a run stopped by itself.

import { linearAxis, logAxis, type PlotAxis, roundDown } from "./axis.ts";
import { medianSteps, type Step, shareAt } from "./best-so-far.ts";
import { colourOf, plotDocument } from "./plot-style.ts";
import { element, label } from "./svg.ts";

export interface ConvergenceRun {
  /** The candidate's number from 1, milliseconds since the start, its time in nanoseconds. */
  readonly improvements: readonly (readonly [trial: number, elapsedMs: number, ns: number])[];
  /** Position at which it stopped by itself; null: the budget ended it. */
  readonly stopped: { readonly trial: number; readonly elapsedMs: number } | null;
}

export interface ConvergenceSeries {
  readonly name: string;
  readonly runs: readonly ConvergenceRun[];
}

export interface ConvergencePlot {
  readonly title: string;
  /** Time of the best known candidate, drawn as 100 %. */
  readonly bestNs: number;
  readonly series: readonly ConvergenceSeries[];
  /** Ends of the axes: candidates, and milliseconds. */
  readonly trials: number;
  readonly elapsedMs: number;
}

const [width, panelWidth, panelHeight] = [920, 380, 250];
const [left, top, between] = [62, 44, 80];
const legendTop = top + panelHeight + 62;
const [legendColumns, legendRow] = [5, 20];

const style = "path{fill:none;stroke-linejoin:round}.run{stroke-width:1;stroke-opacity:.4}.median{stroke-width:2.2}";

/**
 * Draws strategies' tunings of one task.
 *
 * @returns an SVG document, for light and dark surroundings alike
 * @example writeFileSync("gemm.svg", convergencePlot({ title, bestNs, series, trials: 1000, elapsedMs: 60_000 }));
 */
export function convergencePlot(plot: ConvergencePlot): string {
  const height = legendTop + Math.ceil(plot.series.length / legendColumns) * legendRow + 4;
  return plotDocument(
    { title: plot.title, width, height, style },
    label(plot.title, { class: "title", x: left, y: 24 }),
    panel(plot, byTrials, left),
    panel(plot, bySeconds, left + panelWidth + between),
    legend(plot.series),
  );
}

// ── panels ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Quantity of the horizontal axis. */
interface Measure {
  readonly title: string;
  readonly steps: (run: ConvergenceRun, bestNs: number) => readonly Step[];
  readonly stop: (run: ConvergenceRun) => number | null;
  readonly end: (plot: ConvergencePlot) => number;
}

const byTrials: Measure = {
  title: "candidates",
  steps: ({ improvements }, bestNs) => improvements.map(([trial, , ns]) => [trial, bestNs / ns]),
  stop: ({ stopped }) => stopped?.trial ?? null,
  end: ({ trials }) => trials,
};
const bySeconds: Measure = {
  title: "seconds",
  steps: ({ improvements }, bestNs) => improvements.map(([, ms, ns]) => [ms / 1000, bestNs / ns]),
  stop: ({ stopped }) => stopped && stopped.elapsedMs / 1000,
  end: ({ elapsedMs }) => elapsedMs / 1000,
};

interface Frame {
  readonly x: PlotAxis;
  readonly y: PlotAxis;
}

function panel(plot: ConvergencePlot, measure: Measure, offset: number): string {
  const starts = plot.series.flatMap(({ runs }) => runs.flatMap((run) => measure.steps(run, 1)[0]?.[0] ?? []));
  const end = measure.end(plot);
  const from = Math.min(roundDown(Math.min(end, ...starts)), end / 2);
  const frame = { x: logAxis(from, end, panelWidth), y: linearAxis(leastShare(plot), 1, 0.1, panelHeight) };
  const curves = plot.series.map((series, at) => curvesOf(series, plot.bestNs, measure, frame, colourOf(at)));
  return element(
    "g",
    { transform: `translate(${offset} ${top})` },
    ...gridOf(frame, measure.title),
    element("rect", { class: "frame", width: panelWidth, height: panelHeight }),
    ...curves,
  );
}

/** Returns the lower end of the plot: 50 %, or less where the slowest strategy ends lower. */
function leastShare({ series, bestNs }: ConvergencePlot): number {
  const ends = series.flatMap(({ runs }) =>
    runs.flatMap(({ improvements }) => bestNs / (improvements.at(-1)?.[2] ?? bestNs)),
  );
  return Math.min(0.5, Math.floor(Math.min(1, ...ends) * 10) / 10);
}

function gridOf({ x, y }: Frame, title: string): readonly string[] {
  const rows = y.ticks.flatMap((share) => {
    const at = panelHeight - y.place(share);
    const text = label(`${Math.round(share * 100)} %`, { x: -8, y: at + 4, "text-anchor": "end" });
    return [element("line", { class: "grid", x1: 0, x2: panelWidth, y1: at, y2: at }), text];
  });
  const columns = x.ticks.flatMap((value) => {
    const at = x.place(value);
    const text = label(value.toLocaleString("en-US"), { x: at, y: panelHeight + 18, "text-anchor": "middle" });
    return [element("line", { class: "grid", x1: at, x2: at, y1: 0, y2: panelHeight }), text];
  });
  const middle = { x: panelWidth / 2, y: panelHeight + 38, "text-anchor": "middle" };
  const turned = { transform: `translate(-48 ${panelHeight / 2}) rotate(-90)`, "text-anchor": "middle" };
  return [...rows, ...columns, label(title, middle), label("best so far, of the best known", turned)];
}

function curvesOf({ runs }: ConvergenceSeries, bestNs: number, measure: Measure, frame: Frame, colour: string): string {
  const steps = runs.map((run) => measure.steps(run, bestNs));
  const thin = runs.length > 1 ? steps.map((own) => pathOf(own, frame, "run")) : [];
  const stops = runs.flatMap((run, at) => {
    const stop = measure.stop(run);
    return stop === null ? [] : [dotAt(stop, shareAt(steps[at]!, stop), frame, colour)];
  });
  return element("g", { stroke: colour }, ...thin, pathOf(medianSteps(steps), frame, "median"), ...stops);
}

/** Draws a staircase that goes on to the plot's end: what was found stays found. */
function pathOf(steps: readonly Step[], { x, y }: Frame, kind: "run" | "median"): string {
  if (steps.length === 0) return "";
  const [first, ...rest] = steps.map(
    ([at, share]) => [tenth(x.place(at)), tenth(panelHeight - y.place(share))] as const,
  );
  const moves = rest.map(([at, height]) => `H${at}V${height}`);
  return element("path", { class: kind, d: `M${first!.join(" ")}${moves.join("")}H${panelWidth}` });
}

const dotAt = (at: number, share: number, { x, y }: Frame, colour: string): string =>
  element("circle", { cx: x.place(at), cy: panelHeight - y.place(share), r: 3.5, fill: colour });

const tenth = (value: number): number => Math.round(value * 10) / 10;

// ── legend ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function legend(series: readonly ConvergenceSeries[]): string {
  const entries = series.flatMap(({ name }, at) => {
    const x = left + (at % legendColumns) * ((width - left) / legendColumns);
    const y = legendTop + Math.floor(at / legendColumns) * legendRow;
    const line = element("path", { class: "median", stroke: colourOf(at), d: `M${tenth(x)} ${y - 4}h22` });
    return [line, label(name, { x: x + 28, y })];
  });
  return element("g", {}, ...entries);
}
