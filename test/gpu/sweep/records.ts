// Rows of the sweep in webgpu.jsonl and cuda.jsonl: how many schedules of an operator were right, which rounds they are of, and where to go on.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeCommit } from "../../support/code-commit.js";
import type { CountedRegisters } from "./machine-code.ts";

export type ExecutorName =
  | "interpreter"
  | "lowering"
  | "dawn"
  | "naga"
  | "nvrtc"
  | "machine-code"
  | "ptx-machine-code"
  | "cpu"
  | "ptx-cpu"
  | "lavapipe";

export interface SweepFailure {
  readonly round: number;
  readonly template: string;
  readonly reason: string;
}

export interface SweepRow {
  readonly date: string;
  /** Last commit of what makes spaces and kernels and runs them. */
  readonly commit: string;
  /** Absent in rows of before 27 November 2026, 7:00: webgpu. */
  readonly target?: string;
  readonly executor: ExecutorName;
  /** What computed. */
  readonly device: string;
  readonly operator: string;
  readonly seed: number;
  /** The first round, and the one behind the last. */
  readonly rounds: readonly [number, number];
  readonly schedules: number;
  readonly failed: number;
  readonly seconds: number;
  /** Of machine code: schedules whose space counts registers, and those where the compiler's are within 15 %. */
  readonly registers?: CountedRegisters;
  /** The first few. */
  readonly failures: readonly SweepFailure[];
}

const fileOf = (target = "webgpu"): string =>
  join(process.cwd(), `test/gpu/${target.startsWith("webgpu") ? "webgpu" : "cuda"}.jsonl`);

/** Changes of tests or documents make no row old. */
export const sweptCommit = (): string =>
  codeCommit(
    ":/src/compiler",
    ":/src/tuner/space",
    ":/src/tuner/prior",
    ":/src/tuner/constraint",
    ":/src/native/webgpu",
  );

export const addRow = (row: SweepRow): void => appendFileSync(fileOf(row.target), `${JSON.stringify(row)}\n`);

/** Where an executor is with an operator: the next round, and the schedules that it had. */
export function progressOf(
  { target = "webgpu", executor, operator, seed }: Pick<SweepRow, "target" | "executor" | "operator" | "seed">,
  commits: readonly string[],
): { readonly round: number; readonly schedules: number } {
  const file = fileOf(target);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  // Rows of before 27 November 2026 name a type, and no executor.
  const rows = lines
    .map((line) => JSON.parse(line) as SweepRow)
    .filter((row) => (row.target ?? "webgpu") === target)
    .filter((row) => row.executor === executor && row.operator === operator && row.seed === seed);
  return {
    round: rows.reduce((next, { rounds }) => Math.max(next, rounds[1]), 0),
    schedules: rows
      .filter(({ commit }) => commits.includes(commit))
      .reduce((count, { schedules }) => count + schedules, 0),
  };
}
