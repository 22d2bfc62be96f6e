// Every candidate that was measured: how fast, of which template, with which decisions, and why some failed.

import type { CandidateReport, KernelReport } from "../report-data.ts";
import { type Child, element } from "./dom.ts";
import { orNone, percent, plural, speed } from "./figures.ts";
import { type Column, sortableTable } from "./sortable-table.ts";

interface Row {
  readonly number: number;
  readonly gflops: number | null;
  readonly ofBest: number | null;
  readonly template: string;
  readonly candidate: CandidateReport;
  readonly mark: "winner" | "default" | null;
  readonly decisions: readonly DecidedValue[];
}

/** Value of one tunable, as a cell shows it. */
interface DecidedValue {
  readonly text: string;
  /** Whether the value differs from the winner's. */
  readonly isOther: boolean;
}

const statuses: Readonly<Record<CandidateReport["status"], string>> = {
  ok: "measured",
  "build-failed": "not built",
  crashed: "crashed",
  "timed-out": "too slow",
  "wrong-result": "wrong result",
  "ill-conditioned": "ill-conditioned",
};

const columns: readonly Column<Row>[] = [
  { title: "#", key: ({ number }) => -number, cell: ({ number }) => number, isFigure: true },
  {
    title: "GFLOP/s",
    key: ({ gflops }) => gflops,
    cell: ({ gflops }) => orNone(gflops, speed),
    isFigure: true,
  },
  {
    title: "of best",
    key: ({ ofBest }) => ofBest,
    cell: ({ ofBest }) => orNone(ofBest, percent),
    isFigure: true,
  },
  { title: "Outcome", key: outcomeOf, cell: outcomeCell },
  {
    title: "Template",
    key: ({ template }) => template,
    cell: ({ template }) => element("div", { class: "template" }, template),
  },
  {
    title: "Decisions",
    key: ({ decisions }) => decisions.map(({ text }) => text).join(" "),
    cell: ({ decisions }) => decisionsCell(decisions),
  },
];

function outcomeOf({ mark, candidate: { status, reason } }: Row): string {
  const words = [mark, statuses[status], reason];
  return words.filter((word) => word !== null).join(": ");
}

function outcomeCell({ mark, candidate: { status, reason } }: Row): Child {
  const cell = element("div", { class: "outcome" });
  if (mark) cell.append(element("span", { class: `badge ${mark}` }, mark));
  if (status !== "ok" || !mark)
    cell.append(element("span", { class: status === "ok" ? "plain" : "bad" }, statuses[status]));
  if (reason !== null) cell.append(element("span", { class: "reason", title: reason }, reason));
  return cell;
}

const decisionsCell = (decisions: readonly DecidedValue[]): Child =>
  element(
    "div",
    { class: "decisions" },
    ...decisions.flatMap(({ text, isOther }) => [element("span", { class: isOther ? "other" : null }, text), " "]),
  );

export function candidates(kernel: KernelReport): HTMLElement {
  const section = element("section", {}, element("h3", {}, "Candidates"));
  const rows = rowsOf(kernel);
  if (rows.length === 0) {
    section.append(element("p", { class: "note" }, "Nothing of it was measured here."));
    return section;
  }
  const failed = rows.filter(({ gflops }) => gflops === null).length;
  const said = `${plural(rows.length, "measurement")}, ${failed === 0 ? "none failed" : `${failed} failed`}. A candidate's speed is that of the least of its samples, which the search goes by; decisions that are not the winner's stand out.`;
  section.append(
    element("p", { class: "note" }, said),
    sortableTable<Row>({
      caption: `Candidates of ${kernel.name}`,
      columns,
      rows,
      sortedBy: 1,
      pageSize: 25,
      textOf: searchedText(),
      classOf: ({ mark }) => mark,
    }),
  );
  return section;
}

/** Returns a function that makes the text to search in, once for each row. */
function searchedText(): (row: Row) => string {
  const texts = new Map<Row, string>();
  return (row) => {
    const text =
      texts.get(row) ?? [row.template, outcomeOf(row), ...row.decisions.map((it) => it.text)].join(" ").toLowerCase();
    texts.set(row, text);
    return text;
  };
}

function rowsOf(kernel: KernelReport): readonly Row[] {
  const { candidates: all, templates, flops, winner, default: predicted } = kernel;
  const bestNs = all.reduce((best, { ns }) => Math.min(best, ns ?? best), Number.POSITIVE_INFINITY);
  const ours = winner === null ? null : all[winner]!;
  return all.map((candidate, at) => {
    const { template, values, ns } = candidate;
    const { name, tunables } = templates[template]!;
    const isOther = (place: number): boolean =>
      ours !== null && (ours.template !== template || ours.values[place] !== values[place]);
    return {
      number: at + 1,
      gflops: ns === null ? null : flops / ns,
      ofBest: ns === null ? null : bestNs / ns,
      template: name,
      candidate,
      mark: at === winner ? "winner" : at === predicted ? "default" : null,
      decisions: tunables.map((tunable, place) => ({ text: `${tunable}=${values[place]}`, isOther: isOther(place) })),
    };
  });
}
