// Limits as they were measured once: of one AMD core by target, and of one Intel core what the benches measured of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineLimits, Rates } from "../../src/native/limits/machine-limits.ts";
import { rateNames } from "../../src/native/limits/machine-limits.ts";

interface Recorded {
  readonly cpu: string;
  readonly limits: Readonly<Record<string, MachineLimits>>;
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded-limits.json"), "utf8")) as Recorded;

/** CPU of `recordedLimits`. */
export const recordedCpu: string = recorded.cpu;

export function recordedLimits(target: string): MachineLimits {
  const limits = recorded.limits[target];
  if (!limits) throw new Error(`no limits of ${target} were recorded`);
  return limits;
}

/** Peaks that benches recorded beside their results, in 1e9 operations a second: f32 with its additions, and dot products with theirs. */
export interface RecordedPeak {
  readonly gflops: number;
  readonly int8?: number;
  readonly bf16?: number;
}

/**
 * A core's: two vectors a cycle of any kind, of which bytes have four times the lanes; of integers AMD's have four vectors a cycle, but for
 * products. Reading was not recorded by size.
 */
export function limitsOfPeak({ gflops, int8 = 0, bf16 = 0 }: RecordedPeak, cpu: string): MachineLimits {
  const f32 = gflops / 2;
  const ofIntegers = cpu.startsWith("AMD") ? 2 * f32 : f32;
  const rates: Partial<Rates> = {
    "f32.multiply": f32,
    "f32.any": f32,
    "f64.multiply": f32 / 2,
    "f64.any": f32 / 2,
    "i32.multiply": f32 / 2,
    "i32.any": ofIntegers,
    "i16.multiply": f32 * 2,
    "i16.any": ofIntegers * 2,
    "i8.any": ofIntegers * 4,
    "i16.dot": f32 * 2,
    "i8.dot": int8 / 2,
    "bf16.dot": bf16 / 2,
  };
  const none = Object.fromEntries(rateNames.map((name) => [name, null])) as Rates;
  return { rates: { ...none, ...rates }, reading: [{ bytes: 1, speed: 1e9 }] };
}
