// The work of an operator and the limits of one core → the least time that a call can take there, and what makes it so.

import { type ComputeDef, type LeastWork, leastTraffic, leastWork, type Numerics } from "../../compiler/index.ts";
import type { MachineLimits, RateName } from "../../native/limits/machine-limits.ts";

export interface LeastTime {
  /** Nanoseconds of arithmetic. Null: how fast the machine does some of it is not known. */
  readonly arithmeticNs: number | null;
  /** Nanoseconds of bringing operands from where they lie between calls, caches or memory. */
  readonly readingNs: number;
  /** Bytes that go the one way or the other, whichever are more: both go at once. */
  readonly bytes: number;
  /** GB/s, at which a buffer of so many bytes is read again and again. */
  readonly reading: number;
}

export interface Computing {
  /** The operator, or another definition of the same results that is computed in its place. */
  readonly op: ComputeDef;
  readonly constants?: readonly string[];
  readonly numerics: Numerics;
  /** Whether a multiplication and an addition are one instruction. */
  readonly hasFma: boolean;
}

export function leastTime(
  { op, constants, numerics, hasFma }: Computing,
  { rates, reading }: MachineLimits,
): LeastTime {
  const rate = (name: RateName): number => rates[name] ?? Number.NaN;
  const stageNs = (work: LeastWork): number => workNs(work, rate, hasFma && numerics === "fast", numerics);
  const arithmeticNs = leastWork(op, constants).reduce((sum, work) => sum + stageNs(work), 0);
  const { read, written } = leastTraffic(op);
  const bytes = Math.max(read, written);
  const speed = speedAt(reading, bytes);
  return {
    arithmeticNs: Number.isNaN(arithmeticNs) ? null : arithmeticNs,
    readingNs: bytes / speed,
    bytes,
    reading: speed,
  };
}

/** Nanoseconds of the work; NaN where a rate is not known. */
function workNs(
  { dtype, multiply, other, dot }: LeastWork,
  rate: (name: RateName) => number,
  isFused: boolean,
  numerics: Numerics,
): number {
  if (dtype === "bf16") {
    // Instructions for dot products round differently, so strict numerics compute in f32.
    const ofDots = numerics === "fast" ? rate("bf16.dot") : Number.NaN;
    if (!Number.isNaN(ofDots)) return dot / ofDots;
    return workNs({ dtype: "f32", multiply: dot, other: dot, dot: 0 }, rate, isFused, numerics);
  }
  const isFloat = dtype === "f32" || dtype === "f64";
  const ofDots = dot === 0 || isFloat ? 0 : dot / rate(dtype === "i8" ? "i8.dot" : "i16.dot");
  // Bytes are multiplied as i16.
  const multiplications = rate(`${dtype === "i8" ? "i16" : dtype}.multiply`);
  const any = Math.max(rate(`${dtype}.any`), multiplications);
  const alone = isFloat && isFused ? Math.max(0, other - multiply) : other;
  const rest = multiply + alone;
  return ofDots + (rest === 0 ? 0 : Math.max(multiply / multiplications, rest / any));
}

/** Greatest speed of the largest measured buffer that is no larger than this and of those beyond it. Smaller ones are read faster. */
function speedAt(reading: MachineLimits["reading"], bytes: number): number {
  const from = reading.findLastIndex((it) => it.bytes <= bytes);
  return Math.max(...reading.slice(Math.max(0, from)).map(({ speed }) => speed));
}
