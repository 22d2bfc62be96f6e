// One kernel: its figures, and all about its search and its schedule. What is closed is not made yet.

import { targetOf } from "../kernel-order.ts";
import type { FailedKernel, KernelReport } from "../report-data.ts";
import { candidates } from "./candidates.ts";
import { convergence } from "./convergence.ts";
import { type Child, element } from "./dom.ts";
import { bytes, cacheText, count, duration, orNone, percent, speed, threeDigits, times } from "./figures.ts";
import { fileOf, parametersOf, queryOf, shareOfLimit, speedUpOf, statusOf } from "./kernel-status.ts";
import { roofline } from "./roofline.ts";
import { schedules } from "./schedules.ts";
import { timeSplit } from "./time-split.ts";
import { outlierNote, verdictOf } from "./verdict.ts";

export interface KernelSection {
  readonly element: HTMLDetailsElement;
  /** Opens the section at once, as a browser sends the event of its own opening only later. */
  open(): void;
}

export interface SectionOptions {
  readonly id: string;
  /** Shape that tells it from others under the same heading; null: it has none. */
  readonly shape: string | null;
  /** Command that measures it. */
  readonly tune: string;
}

export function kernelSection(kernel: KernelReport | FailedKernel, { id, shape, tune }: SectionOptions): KernelSection {
  const name = element("span", { class: "name" }, shape ?? fileOf(kernel.name));
  const about = element("span", { class: "about" }, aboutOf(kernel, shape !== null));
  const summary = element("summary", {}, element("h2", {}, name, " ", about));
  const details = element("details", { id, class: "card kernel" }, summary);
  let isMade = false;
  const make = (): void => {
    if (isMade || !details.open) return;
    isMade = true;
    details.append(...(kernel.kind === "kernel" ? contentOf(kernel, tune) : [failure(kernel)]));
  };
  details.addEventListener("toggle", make);
  return {
    element: details,
    open() {
      details.open = true;
      make();
    },
  };
}

function aboutOf(kernel: KernelReport | FailedKernel, isUnderHeading: boolean): string {
  if (kernel.kind === "failed") return `${queryOf(kernel.name)} · failed`;
  const { measured } = kernel;
  const figures = [...(measured ? [`${speed(measured.gflops)} GFLOP/s`] : []), verdictOf(kernel)];
  return [...(isUnderHeading ? [] : [targetOf(kernel), parametersOf(kernel)]), ...figures].join(" · ");
}

const failure = ({ error }: FailedKernel): HTMLElement => element("pre", { class: "error" }, error);

function contentOf(kernel: KernelReport, tune: string): readonly HTMLElement[] {
  const outlier = outlierNote(kernel);
  const parts = [
    element("p", { class: "verdict" }, `${verdictOf(kernel)}.`),
    kernel.measured ? null : element("p", { class: "note" }, "Measure it: ", element("code", {}, tune)),
    outlier === null ? null : element("p", { class: "note outlier" }, outlier),
    figures(kernel),
    element("pre", { class: "expression", "aria-label": "What it computes", tabindex: 0 }, kernel.expression),
    convergence(kernel),
    roofline(kernel),
    schedules(kernel),
    candidates(kernel),
    timeSplit(kernel),
  ];
  return parts.filter((part) => part !== null);
}

function figures(kernel: KernelReport): HTMLElement {
  const { measured, tunedFor, flops, bytes: moved, twin, numerics, threads, candidates: all } = kernel;
  const failed = all.filter(({ ns }) => ns === null).length;
  const [first = twin, ...others] = twin.split(", ");
  const entries: readonly (readonly [name: string, value: string, more: Child])[] = [
    [
      "Speed",
      orNone(measured?.gflops ?? null, (value) => `${speed(value)} GFLOP/s`),
      measured
        ? `${duration(measured.medianNs)} a call${measured.isHere ? "" : ", on another machine"}`
        : "not measured",
    ],
    [
      "Against the default",
      orNone(speedUpOf(kernel), times),
      speedUpOf(kernel) === null ? "not measured here" : "its speed",
    ],
    ["Of the limit", orNone(shareOfLimit(kernel), percent), limitOf(kernel)],
    [
      "Schedule",
      statusOf(kernel),
      [
        ...(measured ? [`of ${count(measured.trials)} measured, ${shortToolchain(measured.toolchain)}`] : []),
        ...(tunedFor ? [`tuned for other caches: ${cacheText(tunedFor)}`] : []),
      ].join(", "),
    ],
    ["Candidates here", count(all.length), failed > 0 ? `${failed} failed` : "none failed"],
    ["Work", `${threeDigits(flops / 1e6)} MFLOP`, `${bytes(moved)} in and out`],
    ["Twin", first, [...others, `${numerics} numerics`, ...(threads > 1 ? [`${threads} threads`] : [])].join(", ")],
  ];
  const list = entries.map(([name, value, more]) =>
    element(
      "div",
      {},
      element("dt", {}, name),
      element("dd", {}, element("strong", {}, value), element("small", {}, more)),
    ),
  );
  return element("dl", { class: "figures" }, ...list);
}

const limitOf = ({ roof, flops }: KernelReport): string =>
  roof.leastNs === null ? "not known here" : `of ${threeDigits(flops / roof.leastNs)} GFLOP/s`;

/** "gcc 12.2.0 x86_64-linux-gnu …" → "gcc 12.2.0" */
const shortToolchain = (toolchain: string): string => toolchain.split(" ").slice(0, 2).join(" ");
