// The table of docs/operators.md: it lists the operators of the library and is what the finished cells make; and a sample
// of its cells is run here, one shape with four trials. `npm run test:operators` runs them all.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codegenVersion, opLibrary } from "../../src/compiler/index.ts";
import { readLines } from "../bench/json-lines.ts";
import type { Provenance } from "../bench/provenance.ts";
import { library } from "../support/library/library.ts";
import { titleOf } from "../support/library/library-operator.ts";
import { inTurn } from "../support/long.ts";
import { type Cell, cellKey, runShape, tableTargets } from "../support/operator-table/cell.ts";
import { cellsAge } from "../support/operator-table/cells-age.ts";
import { allCells, isFinished, keepCell, readCells } from "../support/operator-table/cells-file.ts";
import { isWrong, printTable } from "../support/operator-table/print-table.ts";

const turn = inTurn(4);

const text = readFileSync(join(import.meta.dirname, "../../docs/operators.md"), "utf8");

/** The first column of the table under a heading. */
const rowsUnder = (heading: string): readonly string[] => {
  const section = text.slice(text.indexOf(`\n## ${heading}\n`) + 1).split("\n## ")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|")[1]!.trim());
};

describe("docs/operators.md", () => {
  test("lists exactly the operators that are exported, for every target", () => {
    const exported = Object.keys(opLibrary).sort();
    for (const target of tableTargets) {
      expect(rowsUnder(target)).toEqual(library.map(titleOf));
      expect([...new Set(rowsUnder(target).map((row) => row.split(":")[0]))].sort()).toEqual(exported);
    }
  });

  test("is what the finished cells make, none of them wrong", () => {
    expect(printTable(readCells()), "npm run test:operators -- --report prints it anew").toBe(text);
    expect(readCells().flatMap(({ shapes }) => shapes.filter(isWrong))).toEqual([]);
  });
});

describe("cells", () => {
  const of = allCells[0]!;
  const cell: Cell = {
    operator: titleOf(of.operator),
    target: of.target,
    type: of.type,
    key: cellKey(of),
    codegen: codegenVersion,
    shapes: [],
  };

  test("of another code generator or of another operator are run again", () => {
    expect(isFinished(of, [cell])).toBe(true);
    expect(isFinished(of, [{ ...cell, codegen: "7" }])).toBe(false);
    expect(isFinished(of, [{ ...cell, key: "another" }])).toBe(false);
  });

  test("all stay in the file, with where they come from, and the last is in the table", () => {
    const path = join(mkdtempSync(join(tmpdir(), "cells-")), "operators.jsonl");
    keepCell({ ...cell, codegen: "7" }, path);
    keepCell({ ...cell, operator: "an operator that is gone" }, path);
    keepCell(cell, path);
    expect(readLines(path)).toHaveLength(3);
    const measured = expect.objectContaining({ node: process.version });
    expect(readCells(path)).toEqual([{ ...cell, measured, attempts: 2 }]);
  });

  test("say how many are of which code generator, when they were run and where", () => {
    const measured = { date: "2026-12-01T10:00:00Z", cpu: "a CPU", commit: "0123456789ab-dirty" } as Provenance;
    const cells = [
      { ...cell, codegen: "7" },
      { ...cell, codegen: "12" },
      { ...cell, codegen: "20", measured, attempts: 2 },
    ];
    expect(cellsAge(cells, "20").split("\n")).toEqual([
      "**Age of the 3 cells**, by the code generator that made their kernels: 1 of 7, 1 of 12, 1 of 20. Today's is 20: 1 are of it.",
      "1 were run from 2026-12-01 to 2026-12-01, on a CPU.",
      "2 were run before cells had a date or named their machine, in November 2026.",
      "1 were run on a tree with uncommitted changes.",
      "1 were run more than once: the last time is here, all are in operators.jsonl.",
    ]);
    expect(cellsAge([{ ...cell, codegen: "7" }], "20")).toContain("Today's is 20: no cell is of it.");
  });
});

/** One of each kind: product, convolution, several stages, rows. */
const sample = ["gemm", "transposedConv2d", "groupConv2d", "attention", "scan", "softmax"];

turn.each(sample)("%s is tuned for wasm, and right", async (name) => {
  const operator = library.find((it) => it.name === name)!;
  const of = { operator, target: "wasm", type: "f32" } as const;
  const result = await runShape(of, operator.shapes[2], { seconds: 600, trials: 4 });
  expect(result).toMatchObject({ failures: [], measured: 4 });
  expect(result.error).toBeLessThanOrEqual(result.allowed);
});
