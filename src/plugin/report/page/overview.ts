// All kernels: what to do next, a chart of them, and a table whose rows lead to them.

import { compareKernels, groupOf, targetOf } from "../kernel-order.ts";
import type { FailedKernel, KernelReport, ReportData } from "../report-data.ts";
import { noKernels, tuneAction } from "./call-to-action.ts";
import { type Child, element } from "./dom.ts";
import { none, orNone, percent, plural, seconds, speed, times } from "./figures.ts";
import { fileOf, originOf, parametersOf, queryOf, shareOfLimit, speedUpOf } from "./kernel-status.ts";
import { groupsOf, overviewChart } from "./overview-chart.ts";
import { type Column, sortableTable } from "./sortable-table.ts";
import { outlierNote } from "./verdict.ts";

type Kernel = KernelReport | FailedKernel;

interface Row {
  readonly kernel: Kernel;
  /** Id of the kernel's part of the page. */
  readonly id: string;
  /** Place among all kernels. */
  readonly place: number;
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
    // Shapes in the order of their sizes.
    key: ({ place }) => place,
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
  column("of limit", shareOfLimit, (kernel) => orNone(shareOfLimit(kernel), percent), true),
  column("× default", speedUpOf, (kernel) => orNone(speedUpOf(kernel), times), true),
];

/** Text of a kernel's parameters; for one that failed, of its import alone. */
const writtenParameters = (kernel: Kernel): string =>
  kernel.kind === "kernel" ? parametersOf(kernel) : queryOf(kernel.name);

/** @param idOf of a kernel's part of the page */
export function overview(data: ReportData, idOf: (kernel: Kernel) => string, open: (id: string) => void): HTMLElement {
  const { kernels, commands } = data;
  const section = element("section", { class: "card kernels", id: "kernels" });
  if (kernels.length === 0) {
    section.append(noKernels(commands));
    return section;
  }
  const chart = overviewChart(groupsOf(kernels, groupOf), idOf);
  const ordered = [...kernels].sort(compareKernels);
  const action = tuneAction(data);
  section.append(
    ...(action ? [action] : []),
    ...(chart ? [chart] : []),
    ...outliers(kernels, idOf),
    element("h2", {}, "All figures"),
    element("p", { class: "note" }, summaryOf(kernels)),
    sortableTable<Row>({
      caption: "Kernels of the project",
      columns,
      rows: kernels.map((kernel) => ({ kernel, id: idOf(kernel), place: ordered.indexOf(kernel) })),
      sortedBy: 0,
      onOpen: ({ id }) => open(id),
    }),
  );
  return section;
}

/** Speed-ups that look too good, explained. */
function outliers(kernels: readonly Kernel[], idOf: (kernel: Kernel) => string): readonly HTMLElement[] {
  const notes = kernels.flatMap((kernel) => {
    const note = kernel.kind === "kernel" ? outlierNote(kernel) : null;
    return note === null || kernel.kind === "failed" ? [] : [{ kernel, note }];
  });
  return notes.map(({ kernel, note }) =>
    element(
      "p",
      { class: "note outlier" },
      element("a", { href: `#${idOf(kernel)}` }, `${fileOf(kernel.name)}, ${parametersOf(kernel)}`),
      `: ${note}`,
    ),
  );
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
  return `${parts.join(", ")}. GFLOP/s are 1e9 operations a second, the median of the final race; × default is the speed against the schedule predicted without measuring.`;
}
