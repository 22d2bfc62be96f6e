// Logs how tunings went: a line of JSON a tuning, beside the records of what was measured. For people alone: no decision reads it.

import { codegenVersion } from "../../compiler/index.ts";
import { targetClass } from "../data/key.ts";
import type { TuningTask } from "../data/task.ts";
import { appendLine, readOrEmpty } from "../record/append-line.ts";
import type { ConvergenceRun } from "../report/convergence.ts";
import type { Profile } from "../support/profile.ts";
import {
  type Decode,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  ShapeError,
  sha256Hex,
  text,
} from "../support/strict.ts";
import type { TuneResult, TuningEnd, TuningOptions } from "./tuning.ts";

export const tuningSchema = 2;

export interface LoggedTuning {
  readonly schema: typeof tuningSchema;
  /** Digest of the task, as in `TuningRecord`. */
  readonly task: string;
  readonly targetClass: string;
  readonly toolchain: string;
  /** Null in lines of schema 1. */
  readonly codegen: string | null;
  /** Name of the strategy. */
  readonly strategy: string;
  readonly ended: TuningEnd;
  /** Number of candidates measured, without those of earlier records. */
  readonly measured: number;
  readonly elapsedMs: number;
  readonly history: ConvergenceRun;
  /** Time by phase, in milliseconds; all zeros where none was recorded. */
  readonly profile: Profile;
}

const duration = number(0, 1e12);
const trial = integer(0, 1e9);

const improvement: Decode<ConvergenceRun["improvements"][number]> = (value, path) => {
  if (!Array.isArray(value) || value.length !== 3) throw new ShapeError(path, "a list of three numbers");
  const [at, elapsedMs, ns] = value;
  return [trial(at, [...path, 0]), duration(elapsedMs, [...path, 1]), duration(ns, [...path, 2])];
};

const firstFields = {
  task: sha256Hex,
  targetClass: text(2000),
  toolchain: text(200),
  strategy: text(100),
  ended: oneOf("budget", "converged", "exhausted"),
  measured: trial,
  elapsedMs: duration,
  history: object<ConvergenceRun>({
    improvements: list(improvement, 10_000),
    stopped: nullable(object({ trial, elapsedMs: duration })),
  }),
  profile: object<Profile>({
    space: duration,
    sampling: duration,
    search: duration,
    prediction: duration,
    training: duration,
    lowering: duration,
    build: duration,
    run: duration,
  }),
};

type First = Omit<LoggedTuning, "schema" | "codegen"> & { readonly schema: 1 };

const decodeFirst = object<First>({ schema: oneOf(1), ...firstFields });
const decodeSecond: Decode<LoggedTuning> = object<LoggedTuning>({
  schema: oneOf(tuningSchema),
  ...firstFields,
  codegen: nullable(text(100)),
});

const decodeTuning: Decode<LoggedTuning> = (value, path) =>
  typeof value === "object" && value !== null && "schema" in value && value.schema === 1
    ? { ...decodeFirst(value, path), schema: tuningSchema, codegen: null }
    : decodeSecond(value, path);

export const loggedTuning = (
  task: TuningTask,
  { taskKey, workbench, strategy }: TuningOptions,
  { ended, measured, elapsedMs, history, profile }: TuneResult,
): LoggedTuning => ({
  schema: tuningSchema,
  task: taskKey,
  targetClass: targetClass(task.target),
  toolchain: workbench.toolchain,
  codegen: codegenVersion,
  strategy: strategy.name,
  ended,
  measured,
  elapsedMs,
  history,
  profile,
});

/** Appends a tuning to the log. Throws what the file system throws. */
export const appendTuning = (path: string, tuning: LoggedTuning): void => appendLine(path, JSON.stringify(tuning));

/** Reads the log, in the order of the file; a line that is not exactly a tuning is left out. */
export const readTunings = (path: string): readonly LoggedTuning[] => parseTunings(readOrEmpty(path));

export const parseTunings = (content: string): readonly LoggedTuning[] =>
  content.split("\n").flatMap((line) => parseLine(line) ?? []);

function parseLine(line: string): LoggedTuning | null {
  if (line.trim() === "") return null;
  try {
    return decodeTuning(JSON.parse(line), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
