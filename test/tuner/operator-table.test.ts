// The table of docs/operators.md: it lists the operators of the library and is what the finished cells make; and a sample
// of its cells is run here, one shape with four trials. `npm run test:operators` runs them all.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { opLibrary } from "../../src/compiler/index.ts";
import { library } from "../support/library/library.ts";
import { titleOf } from "../support/library/library-operator.ts";
import { runShape, tableTargets } from "../support/operator-table/cell.ts";
import { readCells } from "../support/operator-table/cells-file.ts";
import { isWrong, printTable } from "../support/operator-table/print-table.ts";

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
    const trials = Number(/a search of (\d+) trials/.exec(text)?.[1]);
    expect(printTable(readCells(), trials), "npm run test:operators prints it anew").toBe(text);
    expect(readCells().flatMap(({ shapes }) => shapes.filter(isWrong))).toEqual([]);
  });
});

/** One of each kind: product, convolution, several stages, rows. */
const sample = ["gemm", "transposedConv2d", "groupConv2d", "attention", "scan", "softmax"];

test.each(sample)("%s is tuned for wasm, and right", async (name) => {
  const operator = library.find((it) => it.name === name)!;
  const of = { operator, target: "wasm", type: "f32" } as const;
  const result = await runShape(of, operator.shapes[2], { seconds: 20, trials: 4 });
  expect(result).toMatchObject({ failures: [], measured: 4 });
  expect(result.error).toBeLessThanOrEqual(result.allowed);
});
