// Rows of benches say where they come from, and pages how old their rows are.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codegenVersion } from "../../src/compiler/index.ts";
import { appendLine, readLines } from "../bench/json-lines.ts";
import { ageText, codeDigest, type Measured, type Provenance } from "../bench/provenance.ts";

test("every row has its date, commit, code, tools and machine, and all attempts stay", () => {
  const path = join(mkdtempSync(join(tmpdir(), "rows-")), "results.jsonl");
  appendLine(path, { name: "64³", medianNs: 2 });
  appendLine(path, { name: "64³", medianNs: 1 });
  const rows = readLines<Measured & { readonly medianNs: number }>(path);
  expect(rows.map(({ medianNs }) => medianNs)).toEqual([2, 1]);
  const { measured } = rows[0]!;
  expect(measured).toMatchObject({ codegen: codegenVersion, node: process.version, code: codeDigest() });
  expect(measured!.commit).toMatch(/^[0-9a-f]{7,}/);
  expect(Date.parse(measured!.date)).not.toBeNaN();
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3);
});

test("another file of the code is another digest", () => {
  expect(codeDigest()).toMatch(/^[0-9a-f]{12}$/);
  expect(codeDigest(["compiler"])).not.toBe(codeDigest(["tuner"]));
});

test("a page says when its rows were measured, and how many are of older code or unknown", () => {
  const row = (date: string, codegen: string): Measured => ({ measured: { date, codegen } as Provenance });
  expect(ageText([row("2026-12-01T10:00:00Z", "20"), row("2026-12-03T10:00:00Z", "20")], "20")).toBe(
    "Measured from 2026-12-01 to 2026-12-03. All are of today's code generator, 20.",
  );
  const mixed = ageText([row("2026-12-01T10:00:00Z", "19"), row("2026-12-03T10:00:00Z", "20"), {}], "20");
  expect(mixed).toContain(
    "1 of 3 rows are of an older code generator than today's, which is 20; 1 of 3 rows were measured before",
  );
});
