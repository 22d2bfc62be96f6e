// All kernels in one picture: a bar for each, as long as its share of what the machine can do, with a mark where the predicted
// schedule is. Shapes of one operator stand together.

import { targetOf } from "../kernel-order.ts";
import type { FailedKernel, KernelReport } from "../report-data.ts";
import { type Child, element } from "./dom.ts";
import { percent, speed, times, wholePercent } from "./figures.ts";
import { fileOf, shapeOf, shareOfLimit, speedUpOf, varyingParameters } from "./kernel-status.ts";

type Kernel = KernelReport | FailedKernel;

export interface KernelGroup {
  readonly name: string;
  readonly kernels: readonly KernelReport[];
}

/** Groups the kernels, in their order; those that failed are left out. */
export function groupsOf(kernels: readonly Kernel[], groupOf: (kernel: Kernel) => string): readonly KernelGroup[] {
  const groups = new Map<string, KernelReport[]>();
  for (const kernel of kernels)
    if (kernel.kind === "kernel") groups.set(groupOf(kernel), [...(groups.get(groupOf(kernel)) ?? []), kernel]);
  return [...groups].map(([name, own]) => ({ name, kernels: own }));
}

/** Draws the chart; null: nothing was measured that a bar could show. */
export function overviewChart(groups: readonly KernelGroup[], idOf: (kernel: Kernel) => string): HTMLElement | null {
  const all = groups.flatMap(({ kernels }) => kernels);
  if (!all.some(({ measured }) => measured)) return null;
  const fastest = Math.max(...all.map(({ measured }) => measured?.gflops ?? 0));
  const hasShares = all.some((kernel) => shareOfLimit(kernel) !== null);
  const lengthOf = (kernel: KernelReport): number | null =>
    hasShares ? shareOfLimit(kernel) : kernel.measured && kernel.measured.gflops / fastest;
  const title = hasShares ? "Share of what this machine can do" : "Speed, in GFLOP/s";
  const hasMarks = all.some((kernel) => defaultLength(kernel, lengthOf(kernel)) !== null);
  const legend = [
    hasShares ? "A full bar is the most that a core can do of this kernel. " : "",
    hasMarks ? "The line across a bar is the schedule predicted without measuring; × is the speed against it." : "",
  ].join("");
  const figure = element("figure", { class: "overview" });
  figure.append(
    element("figcaption", {}, element("strong", {}, title), " ", legend),
    ...groups.map((group) => groupElement(group, lengthOf, idOf, hasShares)),
  );
  return figure;
}

function groupElement(
  { kernels }: KernelGroup,
  lengthOf: (kernel: KernelReport) => number | null,
  idOf: (kernel: Kernel) => string,
  hasShares: boolean,
): HTMLElement {
  const [first] = kernels;
  const varying = varyingParameters(kernels);
  const head = element(
    "h3",
    {},
    fileOf(first!.name),
    " ",
    element("span", { class: "about" }, [targetOf(first!), ...commonParameters(first!, varying)].join(" · ")),
  );
  const rows = kernels.map((kernel) => rowOf(kernel, varying, lengthOf(kernel), idOf(kernel), hasShares));
  return element("div", { class: "group" }, head, element("ul", {}, ...rows));
}

const commonParameters = ({ parameters }: KernelReport, varying: ReadonlySet<string>): readonly string[] => {
  const common = Object.entries(parameters).filter(([name]) => !varying.has(name));
  return varying.size === 0 || common.length === 0
    ? []
    : [common.map(([name, value]) => `${name} ${value}`).join(", ")];
};

function rowOf(
  kernel: KernelReport,
  varying: ReadonlySet<string>,
  length: number | null,
  id: string,
  hasShares: boolean,
): HTMLElement {
  const label = shapeOf(kernel, varying);
  const ratio = speedUpOf(kernel);
  const { measured } = kernel;
  const values: readonly Child[] = [
    element("span", { class: "share" }, hasShares && length !== null ? wholePercent(length) : ""),
    element("span", { class: "speed" }, measured ? `${speed(measured.gflops)} GFLOP/s` : "not tuned"),
    element("span", { class: "ratio" }, ratio === null ? "" : times(ratio)),
  ];
  return element(
    "li",
    {},
    element("a", { href: `#${id}`, class: "label" }, label),
    track(length, defaultLength(kernel, length)),
    element("span", { class: "values" }, ...values),
  );
}

function track(length: number | null, mark: number | null): HTMLElement {
  const made = element("span", { class: "track", "aria-hidden": "true" });
  if (length !== null) made.append(placed("fill", "width", length));
  if (mark !== null) made.append(placed("mark", "left", mark));
  return made;
}

function placed(name: string, side: "width" | "left", share: number): HTMLElement {
  const made = element("span", { class: name });
  made.style[side] = percent(Math.min(1, share)).replace(" ", "");
  return made;
}

/** Position of the mark for the predicted schedule, as a share of the width; null: its time is not known, or it is the one that was chosen. */
function defaultLength(kernel: KernelReport, length: number | null): number | null {
  const ratio = speedUpOf(kernel);
  return length === null || ratio === null || kernel.schedules.default === null ? null : length / ratio;
}
