// Charts of the best time of each tuning, over candidates and over seconds.

import { type Step, shareAt } from "../../../tuner/report/best-so-far.ts";
import { colourOf } from "../../../tuner/report/plot-style.ts";
import type { KernelReport, TuningReport } from "../report-data.ts";
import { type Chart, type ChartSeries, chartFigure } from "./chart.ts";
import { element } from "./dom.ts";
import { orNone, plural, seconds, threeDigits } from "./figures.ts";

export function convergence(kernel: KernelReport): HTMLElement {
  const { tunings } = kernel;
  const section = element("section", {}, element("h3", {}, "Convergence of the search"));
  if (tunings.length === 0) {
    const why = kernel.measured ? "It was tuned elsewhere: no measurements are kept here." : "It was not tuned.";
    section.append(element("p", { class: "note" }, why));
    return section;
  }
  const charts = [
    chartFigure(overCandidates(kernel)),
    ...(tunings.every(({ elapsedMs }) => elapsedMs !== null) ? [chartFigure(overSeconds(kernel))] : []),
  ];
  section.append(element("div", { class: "charts" }, ...charts));
  if (charts.length === 1)
    section.append(
      element("p", { class: "note" }, "When each was measured was not kept, so there is no curve over seconds."),
    );
  return section;
}

const endings = {
  budget: "its budget was spent",
  converged: "it had converged",
  exhausted: "there was nothing left to try",
} as const;

interface Curve {
  readonly tuning: TuningReport;
  readonly name: string;
  readonly colour: string;
  readonly steps: readonly Step[];
  readonly end: number;
}

/** The default strategy is not the default schedule. */
const strategyOf = ({ strategy }: TuningReport): string => (strategy === null ? "search" : `strategy ${strategy}`);

/** A colour a strategy. */
function curvesOf(
  { tunings, flops }: KernelReport,
  placeOf: (improvement: TuningReport["improvements"][number]) => number,
  endOf: (tuning: TuningReport) => number,
): readonly Curve[] {
  const names = [...new Set(tunings.map(strategyOf))];
  return tunings.map((tuning, at) => {
    const strategy = strategyOf(tuning);
    const before = tunings.slice(0, at).filter((it) => strategyOf(it) === strategy).length;
    const steps = tuning.improvements.map((it): Step => [placeOf(it), flops / it[2]]);
    const name = before === 0 ? strategy : `${strategy}, run ${before + 1}`;
    return { tuning, name, colour: colourOf(names.indexOf(strategy)), steps, end: endOf(tuning) };
  });
}

const stepsOf = ({ name, colour, steps, end }: Curve, positions: readonly number[]): ChartSeries => ({
  name,
  colour,
  kind: "steps",
  values: positions.map((at) => (at >= (steps[0]?.[0] ?? 0) && at <= end ? shareAt(steps, at) || null : null)),
});

function overCandidates(kernel: KernelReport): Chart {
  const { candidates, flops, tunings } = kernel;
  const curves = curvesOf(
    kernel,
    ([trial]) => trial,
    ({ measured }) => measured,
  );
  // With several tunings it is not known which of them measured a candidate, so none is drawn.
  const hasDots = tunings.length === 1 && candidates.length === tunings[0]!.measured;
  const places = [...curves.flatMap(({ steps, end }) => [...steps.map(([at]) => at), end])];
  const positions = hasDots ? [...candidates.keys()].map((at) => at + 1) : sorted(places);
  const dots: ChartSeries = {
    name: "each candidate",
    kind: "dots",
    colour: colourOf(3),
    values: candidates.map(({ ns }) => (ns === null ? null : flops / ns)),
  };
  const series = [...(hasDots ? [dots] : []), ...curves.map((curve) => stepsOf(curve, positions))];
  const ends = curves.map(({ name, tuning }) => {
    const { ended, measured } = tuning;
    return `${name}: ${plural(measured, "candidate")}${ended ? `, until ${endings[ended]}` : ""}`;
  });
  return {
    title: "Over candidates",
    summary: `${ends.join("; ")}. ${reached(curves, (at) => plural(at, "candidate"))}`,
    ...frame("candidates measured", positions, series),
  };
}

function overSeconds(kernel: KernelReport): Chart {
  const curves = curvesOf(
    kernel,
    ([, elapsedMs]) => (elapsedMs ?? 0) / 1000,
    ({ elapsedMs }) => (elapsedMs ?? 0) / 1000,
  );
  const positions = sorted(curves.flatMap(({ steps, end }) => [...steps.map(([at]) => at), end]));
  const series = curves.map((curve) => stepsOf(curve, positions));
  const took = curves.map(({ name, end }) => `${name}: ${seconds(end * 1000)} with the final race`).join("; ");
  return {
    title: "Over seconds",
    summary: `${took}. ${reached(curves, (at) => seconds(at * 1000))}`,
    ...frame(secondsTitle, positions, series),
  };
}

const sorted = (values: readonly number[]): readonly number[] => [...new Set(values)].sort((a, b) => a - b);

/** Says when the curve with the best end had nine tenths of it. */
function reached(curves: readonly Curve[], print: (at: number) => string): string {
  const bests = curves.flatMap(({ steps }) => steps.at(-1)?.[1] ?? []);
  const best = bests.length > 0 ? Math.max(...bests) : null;
  const from = curves.flatMap(
    ({ steps }) => steps.find(([, speed]) => best !== null && speed >= 0.9 * best)?.[0] ?? [],
  );
  if (best === null || from.length === 0) return "None of them ran.";
  return `90 % of the best, ${orNone(best, threeDigits)} GFLOP/s, after ${print(Math.min(...from))}.`;
}

const secondsTitle = "seconds";

function frame(
  title: string,
  positions: readonly number[],
  series: readonly ChartSeries[],
): Pick<Chart, "x" | "y" | "positions" | "series" | "isLive"> {
  const speeds = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const most = speeds.reduce((so, speed) => Math.max(so, speed), 0) || 1;
  return {
    positions,
    series,
    isLive: true,
    x: { title, from: 0, to: positions.at(-1) || 1, logMarks: null, isWhole: title !== secondsTitle },
    y: { title: "GFLOP/s", from: 0, to: most * 1.08, logMarks: null },
  };
}
