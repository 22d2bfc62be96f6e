// Measures the peak of one core of this machine: the best of some tries, as others may use a part of the core.

import { join } from "node:path";
import { compileShared } from "./native-peer.ts";

export interface Peak {
  /** Peak of f32, multiplications and additions fused. */
  readonly gflops: number;
  /** 1e9 operations a second of dot products: of bytes in i32, of bf16 in f32. 0 or nothing: it has no instruction for it. */
  readonly int8?: number;
  readonly bf16?: number;
  /** GB/s of 64 MB that are read once. */
  readonly reading: number;
}

const tries = 20;

export function measurePeak(directory: string): Peak {
  const library = compileShared("peak.c", join(directory, "peak.so"), ["-O3", "-ffast-math"]);
  const reading = library.func("double peak_reading(double)");
  const best = (measure: () => number): number => Math.max(...Array.from({ length: tries }, measure));
  const [gflops, int8, bf16] = ["f32", "int8", "bf16"].map((type) => {
    const rate = library.func(`double peak_${type}(int)`);
    return best(() => rate(200_000));
  });
  return { gflops: gflops!, int8: int8!, bf16: bf16!, reading: best(() => reading(64e6)) };
}
