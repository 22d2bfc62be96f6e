// Candidates that are measured elsewhere: out, there, and back.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import {
  DiagnosticError,
  exportBatch,
  importResults,
  type Measurement,
  measure,
  mutate,
  predictSchedule,
  runBatch,
  type Schedule,
} from "../../src/api/index.ts";
import { taskOf } from "../../src/api/task.ts";
import { targets } from "../../src/compiler/index.ts";
import { hostTarget } from "../../src/native/machine/machine.ts";
import { targetClass } from "../../src/tuner/data/key.ts";
import { taskKey } from "../../src/tuner/data/task-key.ts";
import { openDatabase } from "../../src/tuner/record/database.ts";
import { batchText, openBatch, openResults, resultsText } from "../../src/tuner/remote/batch.ts";

const options = { target: "wasm", parameters: { M: 24, N: 32, K: 10 } } as const;
const { parameters } = options;
const best = predictSchedule(gemm, options);
const other = mutate(gemm, best, options)!;
const nobodys: Schedule = { ...best, assignment: { ...best.assignment, [Object.keys(best.assignment)[0]!]: 7919 } };
const batch = exportBatch(gemm, [best, other, nobodys], options);
const results = await runBatch(gemm, batch, { parameters, samples: 3 });

const directory = mkdtempSync(join(tmpdir(), "batch-"));
afterAll(() => rmSync(directory, { recursive: true }));

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  return "it was taken";
}

const bodyOf = <T>(opened: { readonly kind: "ok"; readonly body: T } | { readonly kind: "malformed" }): T => {
  if (opened.kind !== "ok") throw new Error("it was written by us");
  return opened.body;
};

describe("a batch", () => {
  test("is rebuilt from decisions, checked and timed, and what the space does not hold has failed", () => {
    const measured = bodyOf(openResults(results)).results;
    expect(measured.map(({ candidate }) => candidate)).toEqual([best, other, nobodys]);
    expect(measured.map(({ measurement }) => measurement.kind)).toEqual(["ok", "ok", "build-failed"]);
    expect(measured[0]!.measurement).toMatchObject({ timing: { repeats: 3 } });
  });

  test("comes back as records of the machine that measured, each once", () => {
    const records = join(directory, "records.jsonl");
    const targetOfWasm = targetClass({ ...hostTarget("wasm"), threads: 1 });
    expect(importResults(gemm, results, { ...options, records })).toEqual({
      added: 3,
      duplicates: 0,
      skippedLines: 0,
      targetClass: targetOfWasm,
      toolchain: "wasm",
    });
    expect(importResults(gemm, results, { ...options, records })).toMatchObject({ added: 0, duplicates: 3 });
    const task = taskKey(taskOf(gemm, options));
    const [first] = openDatabase(records).fastest({ task, targetClass: targetOfWasm }, 1);
    expect([best, other]).toContainEqual(first?.candidate);
  });

  test("of another machine is kept apart from what was measured here", () => {
    const records = join(directory, "foreign.jsonl");
    const theirs = resultsText({ ...bodyOf(openResults(results)), targetClass: "wasm of another machine" });
    expect(importResults(gemm, theirs, { ...options, records })).toMatchObject({ added: 3 });
    const task = taskKey(taskOf(gemm, options));
    const database = openDatabase(records);
    expect(database.best({ task, targetClass: targetClass({ ...hostTarget("wasm"), threads: 1 }) })).toBeNull();
    expect(database.best({ task, targetClass: "wasm of another machine" })).not.toBeNull();
  });
});

describe("a file is refused", () => {
  const records = join(directory, "nothing.jsonl");
  const imported = (text: string, parameters = options.parameters as Record<string, number>) =>
    refusalOf(() => importResults(gemm, text, { ...options, parameters, records }));

  test.each([
    ["a time", results.replace(/"medianNs": [\d.]+/, '"medianNs": 1'), "it was changed after it was written"],
    [
      "its target class",
      results.replace(/"targetClass": "/, '"targetClass": "x'),
      "it was changed after it was written",
    ],
    [
      "a field of its own",
      results.replace('"kind": "results"', '"kind": "results", "note": 1'),
      "body.note must be absent",
    ],
    ["a time below zero", results.replace(/"medianNs": [\d.]+/, '"medianNs": -1'), "must be a number in 0.."],
    ["half of it missing", results.slice(0, results.length / 2), "it is no JSON, or only a part of it"],
    ["a batch in its place", batch, "body."],
    ["nothing in it", "", "it is no JSON"],
  ])("with %s", (_, text, reason) => {
    expect(text).not.toBe(results);
    expect(imported(text)).toContain(reason);
    expect(openDatabase(records).records({ task: null, targetClass: null })).toEqual([]);
  });

  test("for another shape, by either side", async () => {
    expect(imported(results, { M: 24, N: 32, K: 11 })).toContain("it is of another operator, or another shape");
    await expect(runBatch(gemm, batch, { parameters: { M: 24, N: 32, K: 11 } })).rejects.toThrow(
      "batch.foreign: the file is not used: it is of another operator, or another shape",
    );
  });

  test("of another version, though its digest is right", async () => {
    const old = batchText({ ...bodyOf(openBatch(batch)), codegen: "0" });
    await expect(runBatch(gemm, old, { parameters })).rejects.toThrow("it is of version 0, this is");
    expect(imported(resultsText({ ...bodyOf(openResults(results)), codegen: "0" }))).toContain("it is of version 0");
  });

  test("for a machine with other instructions", async () => {
    const body = bodyOf(openBatch(batch));
    const alien = batchText({ ...body, target: { ...body.target, name: "avx2", codegen: "c", features: ["avx1024"] } });
    await expect(runBatch(gemm, alien, { parameters })).rejects.toThrow(
      "batch.missing-features: this machine cannot run the batch: it lacks avx1024",
    );
  });

  test("for engines on other processors, which it could run and whose times it does not have", async () => {
    const body = bodyOf(openBatch(batch));
    const name = process.arch === "x64" ? "wasm-arm" : "wasm-x86";
    const { backend, kind: _, ...target } = targets[name];
    const alien = batchText({ ...body, target: { ...target, codegen: backend } });
    await expect(runBatch(gemm, alien, { parameters })).rejects.toThrow(
      /batch.missing-features: this machine cannot measure the batch: this CPU is \w+, and the target is \w+$/,
    );
  });
});

test("a schedule is measured with hot and with cold caches", async () => {
  const timed: Measurement[] = [
    await measure(gemm, best, { ...options, samples: 4 }),
    await measure(gemm, best, { ...options, samples: 4, cache: "cold" }),
  ];
  expect(timed).toMatchObject(Array(2).fill({ kind: "ok", timing: { repeats: 4 } }));
});
