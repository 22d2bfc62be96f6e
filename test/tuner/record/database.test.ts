import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import { recordSchema, type TuningRecord } from "../../../src/tuner/data/record.ts";
import { openDatabase, parseRecords } from "../../../src/tuner/record/database.ts";
import { exportRecords, importRecords, linesOf } from "../../../src/tuner/record/merge.ts";

const task = "a".repeat(64);
const anything = { task: null, targetClass: null };

const timed = (medianNs: number): Measurement => ({
  kind: "ok",
  timing: { medianNs, minNs: medianNs - 1, p20Ns: medianNs - 0.5, repeats: 5 },
});

const record = (tile: number, measurement: Measurement = timed(100 * tile)): TuningRecord => ({
  schema: recordSchema,
  task,
  family: "f".repeat(64),
  extents: { "C.i": 512, "C.j": 256 },
  targetClass: "avx2 avx2+fma",
  toolchain: "gcc 12.2.0",
  codegen: "17",
  candidate: { template: "pack A at ic", assignment: { "i.1": tile } },
  facts: [[1, 2.5, 3]],
  measurement,
  trial: tile,
});

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "records-"));
  path = join(directory, "deep", "records.jsonl");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a database", () => {
  it("is empty where there is no file", () => {
    expect(openDatabase(path).records(anything)).toEqual([]);
  });

  it("gives back every kind of measurement", () => {
    const written = [
      record(1),
      record(2, { kind: "build-failed", reason: "C.c:3: error\n  too many registers" }),
      record(3, { kind: "crashed", reason: "SIGSEGV" }),
      record(4, { kind: "timed-out", deadlineMs: 2000 }),
      record(5, { kind: "wrong-result", reason: "C[0, 0] is 1, the reference gives 2" }),
    ];
    const database = openDatabase(path);
    for (const one of written) database.append(one);
    expect(database.records(anything)).toEqual(written);
    expect(openDatabase(path).records(anything)).toEqual(written);
    expect(openDatabase(path).skippedLines).toBe(0);
  });

  it("clips what a compiler says, and refuses what it could not read back", () => {
    const database = openDatabase(path);
    database.append(record(1, { kind: "build-failed", reason: `${"error ".repeat(1000)}\0` }));
    const [read] = openDatabase(path).records(anything);
    expect(read?.measurement.kind === "build-failed" && read.measurement.reason.length).toBe(2000);
    expect(() => database.append(record(1.5))).toThrow("must be an integer");
    expect(openDatabase(path).skippedLines).toBe(0);
  });

  it("finds the fastest by task and target class, once a candidate", () => {
    const database = openDatabase(path);
    for (const one of [record(3), record(1), record(2), record(1, timed(90)), { ...record(9), task: "b".repeat(64) }])
      database.append(one);
    database.append({ ...record(7, timed(1)), targetClass: "wasm" });
    database.append(record(8, { kind: "crashed", reason: "SIGILL" }));
    const best = database.fastest({ task, targetClass: "avx2 avx2+fma" }, 2);
    expect(best.map(({ candidate, measurement }) => [candidate.assignment["i.1"], measurement])).toEqual([
      [1, timed(90)],
      [2, timed(200)],
    ]);
  });
});

describe("a query", () => {
  const [own, other] = ["avx2 avx2+fma", "avx512 avx512f"];
  const records = [own, other].flatMap((targetClass, at) =>
    ["gcc 12.2.0", "gcc 13.1.0"].map((toolchain, of) => ({
      ...record(1 + at + 10 * of, timed(1000 - 100 * at - 10 * of)),
      targetClass,
      toolchain,
    })),
  );

  it.each([own, other])("never gives the record of another target than %s, faster or not", (targetClass) => {
    const database = openDatabase(path);
    for (const one of records) database.append(one);
    database.append({ ...record(5, timed(1)), targetClass: "wasm" });
    database.append({ ...record(5, timed(1)), task: "b".repeat(64), targetClass });
    const query = { task, targetClass };
    const mine = records.filter((one) => one.targetClass === targetClass);
    expect(database.records(query)).toEqual(mine);
    expect(database.fastest(query, 10)).toEqual(mine.toReversed());
    expect(database.best(query)).toEqual(mine[1]);
    expect(database.best({ ...query, toolchain: "gcc 12.2.0" })).toEqual(mine[0]);
    expect(database.best({ ...query, targetClass: `${targetClass} l1=1` })).toBeNull();
  });

  it("has no best where nothing ran", () => {
    const database = openDatabase(path);
    database.append(record(1, { kind: "crashed", reason: "SIGILL" }));
    expect(database.best({ task, targetClass: own })).toBeNull();
  });
});

describe("merging", () => {
  it("adds each record once, and counts torn lines", () => {
    const [from, to] = [openDatabase(path), openDatabase(join(directory, "to.jsonl"))];
    for (const one of [record(1), record(2), record(2), record(3)]) from.append(one);
    for (const one of [record(3), record(4)]) to.append(one);
    const text = `${exportRecords(from, anything)}{"schema":1,"task":"aa`;
    expect(importRecords(to, text)).toEqual({ added: 2, duplicates: 2, skippedLines: 1 });
    expect(importRecords(to, text)).toEqual({ added: 0, duplicates: 4, skippedLines: 1 });
    expect(openDatabase(join(directory, "to.jsonl")).records(anything)).toEqual([3, 4, 1, 2].map((at) => record(at)));
  });

  it("keeps a second measurement of a candidate, and takes out what a query finds", () => {
    const database = openDatabase(path);
    const again = { ...record(1, timed(7)), targetClass: "wasm" };
    expect(importRecords(database, linesOf([record(1), again]))).toMatchObject({ added: 2 });
    expect(parseRecords(exportRecords(database, { task, targetClass: "wasm" })).records).toEqual([again]);
  });
});

describe("a damaged file", () => {
  it("loses only the torn line, and the next append starts a new one", () => {
    const database = openDatabase(path);
    database.append(record(1));
    appendFileSync(path, JSON.stringify(record(2)).slice(0, 70));
    const reopened = openDatabase(path);
    expect(reopened.skippedLines).toBe(1);
    reopened.append(record(3));
    expect(openDatabase(path).records(anything)).toEqual([record(1), record(3)]);
    expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
  });

  it.each([
    ["an unknown field", { ...record(1), note: "hello" }],
    ["another schema", { ...record(1), schema: 4 }],
    ["a field of a newer schema", { ...record(1), schema: 1 }],
    ["a field of the newest schema", { ...record(1), schema: 2 }],
    ["an extent of 0", { ...record(1), extents: { "C.i": 0 } }],
    ["a fact that is no number", { ...record(1), facts: [["1"]] }],
    ["no family", { ...record(1), family: undefined }],
    ["no code generator", { ...record(1), codegen: undefined }],
    ["a missing field", { ...record(1), trial: undefined }],
    ["a fraction as a decision", { ...record(1), candidate: { template: "t", assignment: { i: 1.5 } } }],
    ["a text as a decision", { ...record(1), candidate: { template: "t", assignment: { i: "4" } } }],
    ["an unknown kind", { ...record(1), measurement: { kind: "splendid" } }],
    ["a field of another kind", { ...record(1), measurement: { kind: "crashed", reason: "x", timing: {} } }],
    ["a short digest", { ...record(1), task: "abc" }],
    ["code in a template name", { ...record(1), candidate: { template: 'a"; system("x")', assignment: {} } }],
    ["not an object", 7],
  ])("skips and counts a line with %s", (_, line) => {
    expect(parseRecords(`${JSON.stringify(line)}\n${JSON.stringify(record(1))}\n`)).toEqual({
      records: [record(1)],
      skippedLines: 1,
    });
  });
});

describe("several processes", () => {
  it("lose no line", async () => {
    const source = join(process.cwd(), "src/tuner/record/database.ts");
    const script = join(directory, "append.mjs");
    const { buildSync } = await import("esbuild");
    buildSync({
      stdin: {
        contents: `import { openDatabase } from ${JSON.stringify(source)};
          const database = openDatabase(process.argv[2]);
          for (let i = 0; i < 100; i++) database.append({ ...JSON.parse(process.argv[3]), trial: i });`,
        resolveDir: directory,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: script,
    });
    const argument = JSON.stringify(record(1));
    await Promise.all([1, 2, 3].map(() => execa(process.execPath, [script, path, argument])));
    const database = openDatabase(path);
    expect(database.skippedLines).toBe(0);
    expect(database.records(anything)).toHaveLength(300);
  });
});

it("counts every line of a file that is something else", () => {
  writeFileSync(join(directory, "x"), "#!/bin/sh\nrm -rf /\n");
  expect(openDatabase(join(directory, "x")).skippedLines).toBe(2);
});
