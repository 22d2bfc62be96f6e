// The twins of all kernels in one table: how fast, and whether right.

import { type Child, element } from "../../../../plugin/report/page/dom.ts";
import { duration, none, orNone, percent, speed, threeDigits } from "../../../../plugin/report/page/figures.ts";
import { type Column, sortableTable } from "../../../../plugin/report/page/sortable-table.ts";
import type { BenchRow } from "../../bench-kernel.ts";
import type { Benched } from "../../bench-text.ts";

interface Row extends BenchRow {
  readonly kernel: string;
  readonly spread: number | null;
  readonly ofLoops: number | null;
  /** Time of a call as a share of the longest one of the same kernel. */
  readonly share: number | null;
}

const twinOf = ({ name, isBound }: Row): string => (isBound ? `${name} (bound)` : name);

export function resultOf({ isRight, why }: Pick<BenchRow, "isRight" | "why">): string {
  if (isRight === null) return `not measured: ${why}`;
  return isRight ? "right" : `wrong: ${why}`;
}

/** A bar as long as a call takes, beside those of the same kernel. */
function barOf({ share, isBound }: Row): HTMLElement {
  const bar = element("span", { class: isBound ? "fill bound" : "fill" });
  // The page's policy refuses style attributes.
  bar.style.width = `${100 * (share ?? 0)}%`;
  return element("span", { class: "track", "aria-hidden": "true" }, bar);
}

const callOf = (row: Row): Child =>
  row.times ? element("span", { class: "call" }, barOf(row), element("span", {}, duration(row.times.medianNs))) : none;

const columns: readonly Column<Row>[] = [
  { title: "Kernel", key: ({ kernel }) => kernel, cell: ({ kernel }) => kernel },
  {
    title: "Twin",
    key: ({ name }) => name,
    cell: (row) => element("span", { class: "twin" }, twinOf(row)),
  },
  { title: "GFLOP/s", key: ({ gflops }) => gflops, cell: ({ gflops }) => orNone(gflops, speed), isFigure: true },
  {
    title: "A call",
    key: ({ times }) => times?.medianNs ?? null,
    cell: callOf,
    isFigure: true,
  },
  { title: "Spread", key: ({ spread }) => spread, cell: ({ spread }) => orNone(spread, percent), isFigure: true },
  {
    title: "× reference",
    key: ({ ofLoops }) => ofLoops,
    cell: ({ ofLoops }) => orNone(ofLoops, (ratio) => `${threeDigits(ratio)} ×`),
    isFigure: true,
  },
  {
    title: "Result",
    key: resultOf,
    cell: (row) => element("div", { class: row.isRight === false ? "words bad" : "words" }, resultOf(row)),
  },
];

function rowsOf({ kernel, bench }: Benched): readonly Row[] {
  const longestNs = Math.max(...(bench?.rows ?? []).map(({ times }) => times?.medianNs ?? 0));
  const loopsNs = bench?.rows.find(({ name }) => name === "reference")?.times?.medianNs ?? null;
  return (bench?.rows ?? []).map((row) => ({
    ...row,
    kernel,
    spread: row.times && (row.times.p80Ns - row.times.p20Ns) / row.times.medianNs,
    ofLoops: row.times && loopsNs && loopsNs / row.times.medianNs,
    share: row.times && row.times.medianNs / longestNs,
  }));
}

export const resultsTable = (kernels: readonly Benched[]): HTMLElement =>
  sortableTable<Row>({
    caption: "Kernels in this browser",
    columns,
    rows: kernels.flatMap(rowsOf),
    sortedBy: 0,
    classOf: ({ isBound }) => (isBound ? "winner" : null),
  });
