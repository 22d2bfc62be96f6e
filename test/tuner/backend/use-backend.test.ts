// A foreign back end: its targets are tuned, measured by its own loader in the measuring process, and written to locks, and no file of
// src knows of it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dump, predictSchedule, tune } from "../../../src/api/index.ts";
import { needsToolchain, opLibrary, targetNamed } from "../../../src/compiler/index.ts";
import { type Backend, useBackend } from "../../../src/tuner/backend/backend.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { lockEntry } from "../store/sample-entry.ts";
import { toyBackend, toyTarget } from "./toy-backend.ts";

const folder = mkdtempSync(join(tmpdir(), "toy-"));
const module = join(folder, "loader.mjs");
const toy: Backend = toyBackend(pathToFileURL(module).href);

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, "toy-loader.ts")];
  await build({ entryPoints, outfile: module, bundle: true, platform: "node", format: "esm" });
  useBackend(toy);
});
afterAll(() => rmSync(folder, { recursive: true }));

const gemm = opLibrary.gemm({ M: 6, N: 8, K: 5 });
const options = { target: "toy-1" } as const;

describe("a foreign back end", () => {
  it("is known by its targets, once", () => {
    useBackend(toy);
    expect(targetNamed("toy-1")).toBe(toyTarget);
    expect(needsToolchain(toyTarget)).toBe(false);
    expect(() => useBackend({ ...toy, targets: [] })).toThrow('"toy" is the name of another back end');
  });

  it("has the passes, the rules with their limits, and the listing that it brings", () => {
    const stages = dump(gemm, predictSchedule(gemm, options), options);
    expect(stages.map(({ name }) => name).slice(5)).toEqual([
      "06-01-lower-blocks.txt",
      "06-02-flatten.txt",
      "06-03-unroll.txt",
      "06-04-promote-registers.txt",
      "06-05-share-values.txt",
      "07-kernel.js",
    ]);
    expect(stages[2]!.text).toContain("the copies of C.j fit the machine");
  });

  it("measures by its own clock, and the clock decides", async () => {
    const tuned = await tune(gemm, { ...options, budget: { seconds: 600, trials: 8 } });
    expect(tuned.failed).toBe(0);
    expect(tuned.measured).toBe(3);
    // Copies make the text longer, and this machine's time is the length of the text.
    expect(tuned.schedule.assignment).toMatchObject({ "C.j.copies": 1 });
    expect(tuned.medianNs % 1000).toBe(0);
  });

  it("stands in a lock with its kind and limits, and is read where nobody knows the back end", () => {
    const entry = { ...lockEntry, target: { ...toyTarget, name: "toy-2", backend: "unheard-of" } };
    const text = printLockfile(new Map([["a.op.ts?tune=toy-2", entry]]));
    expect(text).toContain('"kind": "accelerator"');
    expect(parseLockfile(text, "lock")).toMatchObject({ kind: "ok" });
    expect(targetClass(toyTarget)).toBe("toy-1  copies=4 threads=1");
  });
});
