// All kernels in one table; a row leads to its kernel.

import type { FailedKernel, KernelReport, ReportData } from "../report-data.ts";
import { type Child, element } from "./dom.ts";
import { none, orNone, percent, plural, seconds, speed, times } from "./figures.ts";
import { fileOf, originOf, parametersOf, queryOf, shareOfPeak, speedUpOf } from "./kernel-status.ts";
import { type Column, sortableTable } from "./sortable-table.ts";

type Kernel = KernelReport | FailedKernel;

interface Row {
  readonly kernel: Kernel;
  /** Of its part of the page. */
  readonly id: string;
}

/** A column of which failed kernels have nothing. */
const column = <Key extends number | string | null>(
  title: string,
  key: (kernel: KernelReport) => Key,
  cell: (kernel: KernelReport) => Child,
  isFigure = false,
): Column<Row> => ({
  title,
  key: ({ kernel }) => (kernel.kind === "kernel" ? key(kernel) : null),
  cell: ({ kernel }) => (kernel.kind === "kernel" ? cell(kernel) : none),
  isFigure,
});

const gflopsOf = ({ measured }: KernelReport): number | null => measured?.gflops ?? null;

const columns: readonly Column<Row>[] = [
  {
    title: "Kernel",
    key: ({ kernel }) => kernel.name,
    cell: ({ kernel, id }) => element("a", { href: `#${id}` }, fileOf(kernel.name)),
  },
  {
    title: "Parameters",
    key: ({ kernel }) => writtenParameters(kernel),
    cell: ({ kernel }) => writtenParameters(kernel),
  },
  column("Target", targetOf, targetOf),
  {
    title: "Schedule",
    key: ({ kernel }) => (kernel.kind === "kernel" ? originOf(kernel) : "failed"),
    cell: ({ kernel }) => (kernel.kind === "kernel" ? originOf(kernel) : element("span", { class: "bad" }, "failed")),
  },
  column("GFLOP/s", gflopsOf, (kernel) => orNone(gflopsOf(kernel), speed), true),
  column("of peak", shareOfPeak, (kernel) => orNone(shareOfPeak(kernel), percent), true),
  column("× default", speedUpOf, (kernel) => orNone(speedUpOf(kernel), times), true),
  column(
    "Twin",
    ({ twin }) => twin,
    ({ twin }) => twin,
  ),
];

/** Of a failed one there is only its import. */
const writtenParameters = (kernel: Kernel): string =>
  kernel.kind === "kernel" ? parametersOf(kernel) : queryOf(kernel.name);

function targetOf({ target, threads, numerics }: KernelReport): string {
  return [target, ...(threads > 1 ? [`${threads} threads`] : []), ...(numerics === "strict" ? ["strict"] : [])].join(
    ", ",
  );
}

/** @param idOf of a kernel's part of the page */
export function overview(
  { kernels }: ReportData,
  idOf: (kernel: Kernel) => string,
  open: (id: string) => void,
): HTMLElement {
  const section = element("section", { class: "card kernels", id: "kernels" }, element("h2", {}, "Kernels"));
  if (kernels.length === 0) {
    section.append(element("p", { class: "note" }, "No import of a kernel was found."));
    return section;
  }
  section.append(
    element("p", { class: "note" }, summaryOf(kernels)),
    sortableTable<Row>({
      caption: "Kernels of the project",
      columns,
      rows: kernels.map((kernel) => ({ kernel, id: idOf(kernel) })),
      sortedBy: 0,
      onOpen: ({ id }) => open(id),
    }),
  );
  return section;
}

function summaryOf(kernels: readonly Kernel[]): string {
  const reported = kernels.filter((kernel) => kernel.kind === "kernel");
  const measured = reported.filter((kernel) => kernel.measured !== null).length;
  const tuningMs = reported.flatMap(({ tunings }) => tunings).reduce((sum, { elapsedMs }) => sum + (elapsedMs ?? 0), 0);
  const parts = [
    plural(kernels.length, "kernel"),
    `${measured} measured`,
    ...(tuningMs > 0 ? [`tuned for ${seconds(tuningMs)} in all`] : []),
  ];
  return `${parts.join(", ")}. GFLOP/s are the median of the final race; × default is how much faster than the predicted schedule.`;
}
