// The finished cells of docs/operators.md, one JSON line each, in the order of the table: an interrupted run goes on where
// it stopped, and the table can be printed again without running anything.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { library } from "../library/library.ts";
import { titleOf } from "../library/library-operator.ts";
import { type Cell, type CellOf, cellKey, tableTargets } from "./cell.ts";

const file = join(import.meta.dirname, "../../sweep/operators.jsonl");

/** Every cell that the table has, f32 first, so that a run that is stopped early has something of each operator. */
export const allCells: readonly CellOf[] = library
  .flatMap((operator) => tableTargets.flatMap((target) => operator.types.map((type) => ({ operator, target, type }))))
  .sort((a, b) => Number(b.type === "f32") - Number(a.type === "f32"));

export const readCells = (): readonly Cell[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Cell)
    : [];

const place = ({ operator, target, type }: Pick<Cell, "operator" | "target" | "type">): number => {
  const row = library.findIndex((it) => titleOf(it) === operator);
  return (row * tableTargets.length + tableTargets.indexOf(target)) * 16 + (library[row]?.types.indexOf(type) ?? 0);
};

const isSame = (a: Cell, b: Cell): boolean => place(a) === place(b);
const exists = ({ operator, type }: Cell): boolean =>
  library.some((it) => titleOf(it) === operator && it.types.includes(type));

/** Puts a cell in the place of the one before; cells of operators that are gone are dropped. */
export function keepCell(cell: Cell): void {
  const others = readCells().filter((it) => exists(it) && !isSame(it, cell));
  const lines = [...others, cell].sort((a, b) => place(a) - place(b)).map((it) => JSON.stringify(rounded(it)));
  // By rename: runs for several targets may go on at a time.
  const written = `${file}.${process.pid}.tmp`;
  writeFileSync(written, `${lines.join("\n")}\n`);
  renameSync(written, file);
}

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

export const isFinished = (of: CellOf, cells: readonly Cell[]): boolean =>
  cells.some(
    ({ operator, target, type, key }) =>
      operator === titleOf(of.operator) && target === of.target && type === of.type && key === cellKey(of),
  );
