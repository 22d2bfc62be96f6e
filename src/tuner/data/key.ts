// Keys of the store: every input that can change the result, as named fields → canonical JSON → sha256.
// Never in a key: paths, times, host names, spellings such as "native".

import type { Numerics, Target } from "../../compiler/index.ts";
import { sha256 } from "../../compiler/index.ts";
import type { Candidate } from "./space.ts";
import type { TuningTask } from "./task.ts";

/** Raise it when the meaning of a field changes: all older entries become misses. */
export const keySchema = 1;

/** Inputs that decide which schedule is best: the question that a tuning answers. */
export interface ScheduleKeyFields {
  /** sha256 of the operator's canonical text: shapes, dtypes and stages included, names of files not. */
  readonly op: string;
  /** Resolved features and sizes, all of them. */
  readonly target: Target;
  readonly numerics: Numerics;
  readonly threads: number;
  /** Version of the space rules, passes and code generators together. */
  readonly codegen: string;
}

/** Part of a target in which machines of one class may differ. */
export type CacheSizes = Pick<Target, "l1Bytes" | "l2Bytes" | "l3Bytes">;

export const cacheSizes = ({ l1Bytes, l2Bytes, l3Bytes }: CacheSizes): CacheSizes => ({ l1Bytes, l2Bytes, l3Bytes });

/** Inputs that decide the bytes of a built kernel. */
export interface ArtifactKeyFields {
  /** The schedule key of the task. */
  readonly schedule: string;
  readonly candidate: Candidate;
  /** sha256 of the generated source. */
  readonly source: string;
  readonly toolchain: {
    /** "gcc", "wasm". */
    readonly name: string;
    readonly version: string;
    /** Target triple, or null for wasm. */
    readonly triple: string | null;
    /** Every option, in order, with no path in it. */
    readonly options: readonly string[];
  };
}

export const scheduleKey = (fields: ScheduleKeyFields): string =>
  sha256(canonicalJson({ key: "schedule", schema: keySchema, ...fields }));

/**
 * Key of the question that all machines of a class ask: as the schedule key, without cache sizes. A lock ignores the same ones, so a
 * decision that serves another machine through the lock is found by it, too.
 */
export const classKey = ({ target, ...fields }: ScheduleKeyFields): string => {
  const { l1Bytes: _l1, l2Bytes: _l2, l3Bytes: _l3, ...ofClass } = target;
  return sha256(canonicalJson({ key: "class", schema: keySchema, ...fields, target: ofClass }));
};

/** Key of a prediction: a function of the same facts as a tuning's answer, but another one. */
export const predictionKey = (fields: ScheduleKeyFields): string =>
  sha256(canonicalJson({ key: "prediction", schema: keySchema, ...fields }));

export const artifactKey = (fields: ArtifactKeyFields): string =>
  sha256(canonicalJson({ key: "artifact", schema: keySchema, ...fields }));

/** Makes the fields of a task's key; `opText` is the canonical print of `task.op`. */
export const scheduleKeyFields = (task: TuningTask, opText: string, codegen: string): ScheduleKeyFields => ({
  op: sha256(opText),
  target: task.target,
  numerics: task.numerics,
  threads: task.threads,
  codegen,
});

/**
 * Prints a target. Machines with one text share timings: "avx2 avx2+f16c+fma 32B 16r l1=32768 l2=524288 l3=4194304
 * threads=1". A user's target has a digest of all its fields behind that: records keep it apart from ours.
 */
export const targetClass = (target: Target): string => {
  const { name, features, ...sizes } = target;
  return [
    name,
    features.join("+"),
    `${sizes.vectorBytes}B`,
    `${sizes.vectorRegisters}r`,
    `l1=${sizes.l1Bytes}`,
    `l2=${sizes.l2Bytes}`,
    `l3=${sizes.l3Bytes}`,
    `threads=${sizes.threads}`,
    ...(isOwn(target) ? [`own=${sizes.own ?? name}:${sha256(canonicalJson(target)).slice(0, 16)}`] : []),
  ].join(" ");
};

/** Says whether a user changed the target's numbers, or brought intrinsics for it. */
const isOwn = ({ own, intrinsics }: Target): boolean => own !== undefined || intrinsics !== undefined;

/** Prints JSON with sorted fields and no spaces: one text a value. Numbers as in ECMAScript, as RFC 8785 has it. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
