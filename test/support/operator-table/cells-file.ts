// The finished cells of docs/operators.md, one JSON line each, only ever appended: an interrupted run goes on where it stopped, the
// table can be printed again without running anything, and earlier attempts stay. The last line of a cell is in the table.

import { join } from "node:path";
import { codegenVersion } from "../../../src/compiler/index.ts";
import { appendLine, attemptsBy, readLines } from "../../bench/json-lines.ts";
import { library } from "../library/library.ts";
import { titleOf } from "../library/library-operator.ts";
import { type Cell, type CellOf, cellKey, tableTargets } from "./cell.ts";

export const cellsFile = join(import.meta.dirname, "../../sweep/operators.jsonl");

/** Every cell that the table has, f32 first, so that a run that is stopped early has something of each operator. */
export const allCells: readonly CellOf[] = library
  .flatMap((operator) => tableTargets.flatMap((target) => operator.types.map((type) => ({ operator, target, type }))))
  .sort((a, b) => Number(b.type === "f32") - Number(a.type === "f32"));

const nameOf = ({ operator, target, type }: Pick<Cell, "operator" | "target" | "type">): string =>
  [operator, target, type].join("|");

const places = new Map(
  library
    .flatMap((it) =>
      tableTargets.flatMap((target) => it.types.map((type) => ({ operator: titleOf(it), target, type }))),
    )
    .map((cell, at) => [nameOf(cell), at]),
);

/** The last attempt of each cell, in the order of the table; cells of operators that are gone are left out. */
export function readCells(path: string = cellsFile): readonly Cell[] {
  const place = (cell: Cell): number => places.get(nameOf(cell)) ?? -1;
  return attemptsBy(readLines<Cell>(path), nameOf)
    .map((attempts) => ({ ...attempts.at(-1)!, attempts: attempts.length }))
    .filter((cell) => place(cell) >= 0)
    .sort((a, b) => place(a) - place(b));
}

/** Appends a cell: runs for several targets may go on at a time. */
export const keepCell = (cell: Cell, path: string = cellsFile): void => appendLine(path, rounded(cell));

/** Three digits say all that there is to say. */
const rounded = (cell: Cell): Cell => ({
  ...cell,
  shapes: cell.shapes.map((shape) => ({
    ...shape,
    error: shape.error && Number(shape.error.toPrecision(3)),
    allowed: Number(shape.allowed.toPrecision(3)),
    gflops: shape.gflops && Number(shape.gflops.toPrecision(3)),
  })),
});

/** Whether the table has a cell of this operator, by today's code generator: another one makes other kernels of it. */
export const isFinished = (of: CellOf, cells: readonly Cell[]): boolean =>
  cells.some(
    ({ operator, target, type, key, codegen }) =>
      operator === titleOf(of.operator) &&
      target === of.target &&
      type === of.type &&
      key === cellKey(of) &&
      codegen === codegenVersion,
  );
