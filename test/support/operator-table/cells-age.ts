// Age of the cells of docs/operators.md in words: code generators, days and machines, as the cells have them.

import { codegenVersion } from "../../../src/compiler/index.ts";
import { isDirty } from "../../bench/provenance.ts";
import type { Cell } from "./cell.ts";

/** @param today version of the code generator */
export function cellsAge(cells: readonly Cell[], today: string = codegenVersion): string {
  const versions = [...new Set(cells.map(({ codegen }) => codegen))].sort((a, b) => Number(a) - Number(b));
  const counts = versions.map((version) => `${countOf(cells, (cell) => cell.codegen === version)} of ${version}`);
  const current = countOf(cells, ({ codegen }) => codegen === today);
  const known = cells.flatMap(({ measured }) => measured ?? []);
  const days = known.map(({ date }) => date.slice(0, 10)).sort();
  const machines = [...new Set(known.map(({ cpu }) => cpu))];
  const again = cells.filter(({ attempts = 1 }) => attempts > 1).length;
  const dirty = known.filter(isDirty).length;
  return [
    `**Age of the ${cells.length} cells**, by the code generator that made their kernels: ${counts.join(", ")}. Today's is ${today}: ${current === 0 ? "no cell is" : `${current} are`} of it.`,
    ...(days.length > 0
      ? [`${days.length} were run from ${days[0]} to ${days.at(-1)}, on ${machines.join(" and ")}.`]
      : []),
    ...(known.length < cells.length
      ? [`${cells.length - known.length} were run before cells had a date or named their machine, in November 2026.`]
      : []),
    ...(dirty > 0 ? [`${dirty} were run on a tree with uncommitted changes.`] : []),
    ...(again > 0 ? [`${again} were run more than once: the last time is here, all are in operators.jsonl.`] : []),
  ].join("\n");
}

const countOf = (cells: readonly Cell[], of: (cell: Cell) => boolean): number => cells.filter(of).length;
