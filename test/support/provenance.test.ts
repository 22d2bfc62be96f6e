// Rows of benches say where they come from, and pages how old their rows are.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codegenVersion, targets } from "../../src/compiler/index.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import { platformHere } from "../../src/native/toolchain/platform.ts";
import { appendLine, readLines } from "../bench/json-lines.ts";
import {
  ageText,
  codeDigest,
  compilerVersion,
  demandCommitted,
  digestOfFolders,
  isOfToday,
  type Measured,
  type Provenance,
  provenance,
} from "../bench/provenance.ts";

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
  expect(codeDigest()).toBe(digestOfFolders(["compiler", "tuner", "native"]));
  expect(codeDigest()).toMatch(/^[0-9a-f]{12}$/);
  expect(digestOfFolders(["compiler"])).not.toBe(digestOfFolders(["tuner"]));
});

/** A row of a day, a generator and a state of the code. */
const row = (date: string, codegen: string, code = "a", commit = "0123456789ab"): Measured => ({
  measured: { date: `${date}T10:00:00Z`, codegen, code, commit } as Provenance,
});
const today = { codegen: "20", code: "a" };

test("a page says when its rows were measured, and how many are of older code or unknown", () => {
  expect(ageText([row("2026-12-01", "20"), row("2026-12-03", "20")], today)).toBe(
    "Measured from 2026-12-01 to 2026-12-03. All are of today's code generator, 20.",
  );
  const mixed = ageText([row("2026-12-01", "19"), row("2026-12-03", "20"), {}], today);
  expect(mixed).toContain(
    "1 of 3 rows are of an older code generator than today's, which is 20; 1 of 3 rows were measured before",
  );
});

test("rows of today's code generator, but of another state of the code, are no rows of today", () => {
  const text = ageText([row("2026-12-01", "20", "b"), row("2026-12-01", "20")], today);
  expect(text).toContain(
    "1 of 2 rows are of today's code generator, 20, but of another state of src/compiler, src/tuner or src/native",
  );
  expect(text).not.toContain("All are");
});

test("rows of a tree with uncommitted changes are called so", () => {
  const text = ageText([row("2026-12-01", "20", "a", "0123456789ab-dirty"), row("2026-12-01", "20")], today);
  expect(text).toContain("1 of 2 rows were measured on a tree with uncommitted changes");
});

test("a row counts as done for the code generator of today alone", () => {
  expect([{}, row("2026-12-01", "1"), row("2026-12-01", codegenVersion)].map(isOfToday)).toEqual([false, false, true]);
});

test("rows of the front page are measured on a commit that can be checked out", () => {
  expect(() => demandCommitted("0123456789ab-dirty")).toThrow("there are uncommitted changes");
  expect(() => demandCommitted("0123456789ab")).not.toThrow();
});

test("the compiler of a row is the one that kernels are built with", async () => {
  const used = await toolchainFor(targets.avx2);
  expect(provenance().compiler === null).toBe(used === null);
  if (used) expect(provenance().compiler).toContain(used.version);
});

test("a program that is called gcc and is clang is not named as gcc", () => {
  const path = mkdtempSync(join(tmpdir(), "compilers-"));
  const put = (name: string, said: string): void =>
    writeFileSync(join(path, name), `#!/bin/sh\necho "${said}"\n`, { mode: 0o755 });
  put("gcc", "Apple clang version 15.0.0");
  put("clang", "Debian clang version 14.0.6");
  expect(compilerVersion({ path, project: path, platform: platformHere })).toBe("Debian clang version 14.0.6");
});
