// What one core of this machine can do, measured: the best of some tries, as somebody else may have a part of it.

import { join } from "node:path";
import { compileShared } from "./native-peer.ts";

export interface Peak {
  /** Of f32, multiplications and additions fused. */
  readonly gflops: number;
  /** GB/s of 64 MB that are read once. */
  readonly reading: number;
}

const tries = 20;

export function measurePeak(directory: string): Peak {
  const library = compileShared("peak.c", join(directory, "peak.so"), ["-O3", "-ffast-math"]);
  const flops = library.func("double peak_flops(int)");
  const reading = library.func("double peak_reading(double)");
  const best = (measure: () => number): number => Math.max(...Array.from({ length: tries }, measure));
  return { gflops: best(() => flops(200_000)), reading: best(() => reading(64e6)) };
}
