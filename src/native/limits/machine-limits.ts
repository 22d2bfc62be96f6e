// Measures the limits of one core of this machine for a target, within a second. The report compares speeds with them.

import type { CpuTarget } from "../../compiler/index.ts";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { createMeasureLock } from "../lock/measure-lock.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import { nativeLimits } from "./native-limits.ts";
import { wasmLimits } from "./wasm-limits.ts";

/**
 * Names of rates: what is counted a second, by the type of the values.
 *
 * - `multiply`: multiplications, each with an addition that rides along where the target fuses the two
 * - `any`: operations of any kind, of which many cores do more than multiplications; a fused pair is one
 * - `dot`: products that instructions for dot products sum in a wider type
 * - `relaxed`: multiplications fused with additions by relaxed SIMD
 */
export const rateNames = [
  "f64.multiply",
  "f64.any",
  "f64.relaxed",
  "f32.multiply",
  "f32.any",
  "f32.relaxed",
  "i32.multiply",
  "i32.any",
  "i16.multiply",
  "i16.any",
  "i8.any",
  "i16.dot",
  "i8.dot",
  "bf16.dot",
] as const;
export type RateName = (typeof rateNames)[number];

/** Rates in 1e9 a second. Null: the target has no instruction for it. */
export type Rates = Readonly<Record<RateName, number | null>>;

/** Speed at which a buffer of a size is read again and again. */
export interface ReadingSpeed {
  readonly bytes: number;
  /** Speed in GB/s. */
  readonly speed: number;
}

export interface MachineLimits {
  readonly rates: Rates;
  /** Speeds for buffers from those that fit into the first cache to those that fit into none. */
  readonly reading: readonly ReadingSpeed[];
}

/**
 * Measures the limits. Nothing else is measured meanwhile.
 *
 * @param toolchain null for WASM
 * @returns the limits, or null where the probes could not be built
 */
export const measureLimits = (target: CpuTarget, toolchain: Toolchain | null): Promise<MachineLimits | null> =>
  createMeasureLock({ directory: null, onNotice: () => undefined }).alone(async () =>
    toolchain ? withPrivateDirectory((directory) => nativeLimits(target, toolchain, directory)) : wasmLimits(),
  );

/** Takes the greater of each limit: others had a part of the core when the lesser one was measured. */
export function greaterLimits(one: MachineLimits, other: MachineLimits): MachineLimits {
  const greater = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? (a ?? b) : Math.max(a, b);
  const rates = Object.fromEntries(rateNames.map((name) => [name, greater(one.rates[name], other.rates[name])]));
  const speedIn = ({ reading }: MachineLimits, bytes: number): number =>
    reading.find((it) => it.bytes === bytes)?.speed ?? 0;
  const sizes = [...new Set([...one.reading, ...other.reading].map(({ bytes }) => bytes))].sort((a, b) => a - b);
  return {
    rates: rates as Rates,
    reading: sizes.map((bytes) => ({ bytes, speed: Math.max(speedIn(one, bytes), speedIn(other, bytes)) })),
  };
}

/** Returns the buffer sizes to read, powers of two: the larger caches of machines have no other sizes in common. */
export const readingSizes = (most: number): readonly number[] =>
  Array.from({ length: Math.log2(most) - 13 }, (_, at) => 2 ** (14 + at));
