// Runs the cells of docs/operators.md that are missing or stale, writes each when it is finished, and then the table.
// Started by operators.js.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nowMs } from "../../src/native/machine/clock.ts";
import { titleOf } from "../support/library/library-operator.ts";
import { type CellOf, runCell } from "../support/operator-table/cell.ts";
import { allCells, isFinished, keepCell, readCells } from "../support/operator-table/cells-file.ts";
import { isWrong, printTable, problemOf } from "../support/operator-table/print-table.ts";

const {
  OPERATORS_ONLY: only,
  OPERATORS_TARGET: target,
  OPERATORS_TYPE: type,
  OPERATORS_FRESH: fresh,
  OPERATORS_REPORT: report,
} = process.env;
const trials = Number(process.env.OPERATORS_TRIALS ?? 16);
const limitMs = Number(process.env.OPERATORS_MINUTES ?? 1e6) * 60_000;
const budget = { seconds: 20, trials };

const isWanted = (of: CellOf): boolean =>
  (!only || of.operator.name === only || titleOf(of.operator) === only) &&
  (!target || of.target === target) &&
  (!type || of.type === type);

const nameOf = ({ operator, target: on, type: of }: CellOf): string => `${titleOf(operator)} ${on} ${of}`;

test("the operators' table", { timeout: 24 * 3_600_000 }, async () => {
  const start = nowMs();
  const done = readCells();
  const wanted = report ? [] : allCells.filter((of) => isWanted(of) && (fresh || !isFinished(of, done)));
  console.log(`${wanted.length} cells to run, ${allCells.length} in all`);
  const problems: string[] = [];
  for (const [at, of] of wanted.entries()) {
    if (nowMs() - start > limitMs) break;
    const cell = await runCell(of, budget);
    keepCell(cell);
    const speeds = cell.shapes.map(({ gflops }) => gflops?.toFixed(1) ?? "not measured").join(", ");
    console.log(`${at + 1}/${wanted.length} ${nameOf(of)}: ${speeds}`);
    problems.push(...cell.shapes.filter(isWrong).map((shape) => `${nameOf(of)}: ${problemOf(shape)}`));
  }
  writeFileSync(join(import.meta.dirname, "../../docs/operators.md"), printTable(readCells()));
  expect(problems).toEqual([]);
});
