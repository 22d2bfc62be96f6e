// Tunings that `npm run bench` keeps: one of older code is no tuning of today, so that no row says today's code of an old schedule.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { codegenVersion, opLibrary, targets } from "../../../src/compiler/index.ts";
import { tunedKernel } from "../../bench/peers/ours.ts";
import { taskOf } from "../../bench/peers/work.ts";
import { codeDigest } from "../../bench/provenance.ts";

const directory = mkdtempSync(join(tmpdir(), "tunings-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const path = join(directory, "schedules.jsonl");
const task = taskOf({ op: opLibrary.gemm({ M: 8, N: 8, K: 8 }) }, targets.wasm);
const tuned = () => tunedKernel(task, { seconds: 60, trials: 2, seed: 1, isFresh: false, path, directory });
const kept = (): readonly string[] => readFileSync(path, "utf8").trim().split("\n");

test("a kept tuning is taken again, with where it comes from, until the code is another", async () => {
  const first = await tuned();
  expect(first.tuned).toMatchObject({ codegen: codegenVersion, code: codeDigest() });
  // A day ago, so that it is told from a new one.
  writeFileSync(path, kept()[0]!.replace(/"date":"[^"]*"/, '"date":"2026-01-01T00:00:00.000Z"'));
  const again = await tuned();
  expect(again.tuned.date).toBe("2026-01-01T00:00:00.000Z");
  expect(again.candidate).toEqual(first.candidate);
  expect(kept()).toHaveLength(1);
  writeFileSync(path, `${kept()[0]!.replace(`${codegenVersion} ${codeDigest()}`, `${codegenVersion} 000000000000`)}\n`);
  expect((await tuned()).tuned.date).not.toBe("2026-01-01T00:00:00.000Z");
  expect(kept()).toHaveLength(2);
  // As keys were before they had the code.
  writeFileSync(path, `${kept()[0]!.replace(/ code \S+ \S+/, "")}\n`);
  expect((await tuned()).tuned.date).not.toBe("2026-01-01T00:00:00.000Z");
  expect(kept()).toHaveLength(2);
});
