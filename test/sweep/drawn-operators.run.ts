// Many random operators in pieces, a line in drawn-operators.jsonl for each. Started by drawn-operators.js.

import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appendLine, readLines } from "../bench/json-lines.ts";
import { codeCommit } from "../support/code-commit.js";
import { drawnKind } from "../support/drawn/draw-operator.ts";
import { type DrawnReport, newDrawnReport, printDrawnReport, runDrawn, runWhole } from "../support/drawn/run-drawn.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("DRAWN_SEED", 1);
const first = setting("DRAWN_FROM", 0);
const count = setting("DRAWN_COUNT", 1000);
const kind = drawnKind(process.env.DRAWN_KIND ?? "any");

const piece = 500;
const batch = 50;
const file = join(import.meta.dirname, "drawn-operators.jsonl");
const failuresFile = join(import.meta.dirname, "../../dist/test/drawn-failures.txt");
const rule = "\n\n────\n\n";
const commit = codeCommit("src", "test/support");

interface Finished {
  readonly when: string;
  readonly commit: string;
  /** Records from before there were kinds have none: of "any". */
  readonly kind?: string;
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  readonly operators: number;
  readonly schedules: number;
  readonly runs: Readonly<Record<string, number>>;
  readonly failures: number;
}

const isDone = (from: number, length: number): boolean =>
  !commit.endsWith("-dirty") &&
  readLines<Finished>(file).some(
    (it) =>
      it.commit === commit &&
      (it.kind ?? "any") === kind &&
      it.seed === seed &&
      it.from === from &&
      it.count === length &&
      it.failures === 0,
  );

async function runPiece(from: number, length: number): Promise<DrawnReport> {
  const report = newDrawnReport();
  for (let at = from; at < from + length; at += batch) {
    await runDrawn(report, { kind, seed, from: at, count: Math.min(batch, from + length - at) });
  }
  const finished: Finished = {
    when: new Date().toISOString(),
    commit,
    kind,
    seed,
    from,
    count: length,
    operators: report.operators,
    schedules: report.schedules,
    runs: Object.fromEntries(report.runs),
    failures: report.failures.length,
  };
  appendLine(file, finished);
  return report;
}

test("drawn operators", { timeout: 12 * 3_600_000 }, async () => {
  mkdirSync(dirname(failuresFile), { recursive: true });
  if (count === 1) {
    expect(await runWhole(seed, first, kind)).toEqual([]);
    return;
  }
  let failures = 0;
  for (let from = first; from < first + count; from += piece) {
    const length = Math.min(piece, first + count - from);
    if (isDone(from, length)) continue;
    const report = await runPiece(from, length);
    failures += report.failures.length;
    if (report.failures.length > 0) appendFileSync(failuresFile, `${report.failures.join(rule)}${rule}`);
    console.log(`${from + length} of ${first + count}: ${printDrawnReport(report)}`);
  }
  expect(failures, `failures, in ${failuresFile}`).toBe(0);
});
