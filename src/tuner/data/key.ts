// Keys of the store: every input that can change the result, as named fields → canonical JSON → sha256.
// Never in a key: paths, times, host names, spellings such as "native".

import { asCpu, type CpuTarget, type Numerics, sha256, type Target } from "../../compiler/index.ts";
import type { Candidate } from "./space.ts";
import { type CpuTargetJson, encodeTarget } from "./target-json.ts";
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
export type CacheSizes = Pick<CpuTarget, "l1Bytes" | "l2Bytes" | "l3Bytes">;

export const cacheSizes = ({ l1Bytes, l2Bytes, l3Bytes }: CacheSizes): CacheSizes => ({ l1Bytes, l2Bytes, l3Bytes });

/** Caches of a target; a machine without any has sizes of 0. */
export const cachesOf = (target: Target): CacheSizes =>
  cacheSizes(asCpu(target) ?? { l1Bytes: 0, l2Bytes: 0, l3Bytes: 0 });

/** Returns the target with other cache sizes; a machine without caches as it is. */
export function withCaches(target: Target, sizes: CacheSizes): Target {
  const cpu = asCpu(target);
  return cpu ? { ...cpu, ...cacheSizes(sizes) } : target;
}

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

const jsonOf = (fields: ScheduleKeyFields): object => ({ ...fields, target: encodeTarget(fields.target) });

export const scheduleKey = (fields: ScheduleKeyFields): string =>
  sha256(canonicalJson({ key: "schedule", schema: keySchema, ...jsonOf(fields) }));

/**
 * Key of the question that all machines of a class ask: as the schedule key, without cache sizes and core. A lock ignores the same ones, so a
 * decision that serves another machine through the lock is found by it, too.
 */
export const classKey = ({ target, ...fields }: ScheduleKeyFields): string => {
  const {
    l1Bytes: _l1,
    l2Bytes: _l2,
    l3Bytes: _l3,
    core: _,
    ...ofClass
  } = encodeTarget(target) as Partial<CpuTargetJson>;
  return sha256(canonicalJson({ key: "class", schema: keySchema, ...fields, target: ofClass }));
};

/** Key of a prediction: a function of the same facts as a tuning's answer, but another one. */
export const predictionKey = (fields: ScheduleKeyFields): string =>
  sha256(canonicalJson({ key: "prediction", schema: keySchema, ...jsonOf(fields) }));

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
 * threads=1". Limits of an accelerator are sorted by name. A user's target has a digest of all its fields behind that: records keep it
 * apart from ours.
 */
export function targetClass(target: Target): string {
  const { name, features, threads } = target;
  return [name, features.join("+"), ...sizesOf(target), `threads=${threads}`, ...ownMark(target)].join(" ");
}

function sizesOf(target: Target): readonly string[] {
  switch (target.kind) {
    case "cpu": {
      const { vectorBytes, vectorRegisters, l1Bytes, l2Bytes, l3Bytes, core } = target;
      const caches = [`l1=${l1Bytes}`, `l2=${l2Bytes}`, `l3=${l3Bytes}`];
      return [`${vectorBytes}B`, `${vectorRegisters}r`, ...caches, ...(core ? [`core=${core}`] : [])];
    }
    case "accelerator":
      return Object.entries(target.limits)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([limit, value]) => `${limit}=${value}`);
  }
}

/** Mark of a target whose numbers a user changed, or brought intrinsics for. */
function ownMark(target: Target): readonly string[] {
  const cpu = asCpu(target);
  if (!cpu || (cpu.own === undefined && cpu.intrinsics === undefined)) return [];
  return [`own=${cpu.own ?? cpu.name}:${sha256(canonicalJson(encodeTarget(cpu))).slice(0, 16)}`];
}

/** Prints JSON with sorted fields and no spaces: one text a value. Numbers as in ECMAScript, as RFC 8785 has it. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
