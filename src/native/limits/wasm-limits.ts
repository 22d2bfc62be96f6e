// What one core can do in WASM: multiplications and additions on values that stay in registers, and reading from memory.

import { nowMs } from "../clock.ts";
import type { MachineLimits } from "./machine-limits.ts";

/** test/support/limits-module.ts is its text, and a test holds the two together. 64 MB of memory. */
export const limitsModule = [
  "AGFzbQEAAAABCgJgAX8AYAJ/fwADAwIAAQUEAQCACAchAwZtZW1vcnkCAAphcml0aG1ldGljAAAHcmVhZGluZwABCuEDAp4CAQ57QQD9AAQAIQFBEP0A",
  "BAAhAgNAIAMgAf3mASAC/eQBIQMgBCAB/eYBIAL95AEhBCAFIAH95gEgAv3kASEFIAYgAf3mASAC/eQBIQYgByAB/eYBIAL95AEhByAIIAH95gEgAv3k",
  "ASEIIAkgAf3mASAC/eQBIQkgCiAB/eYBIAL95AEhCiALIAH95gEgAv3kASELIAwgAf3mASAC/eQBIQwgDSAB/eYBIAL95AEhDSAOIAH95gEgAv3kASEO",
  "IABBAWshACAADQALQSD9DAAAAAAAAAAAAAAAAAAAAAAgA/3kASAE/eQBIAX95AEgBv3kASAH/eQBIAj95AEgCf3kASAK/eQBIAv95AEgDP3kASAN/eQB",
  "IA795AH9CwQAC74BAQh7A0AgAiAA/QAEAP3kASECIAMgAP0ABBD95AEhAyAEIAD9AAQg/eQBIQQgBSAA/QAEMP3kASEFIAYgAP0ABED95AEhBiAHIAD9",
  "AARQ/eQBIQcgCCAA/QAEYP3kASEIIAkgAP0ABHD95AEhCSAAQYABaiEAIAAgAUkNAAtBIP0MAAAAAAAAAAAAAAAAAAAAACAC/eQBIAP95AEgBP3kASAF",
  "/eQBIAb95AEgB/3kASAI/eQBIAn95AH9CwQACw==",
].join("");

interface LimitsExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  arithmetic(steps: number): void;
  reading(from: number, to: number): void;
}

const [steps, accumulators, lanes] = [100_000, 12, 4];
/** The engine compiles it anew while it runs, and others may have a part of the core. */
const tries = 40;

export function wasmLimits(): MachineLimits {
  const module = new WebAssembly.Module(Buffer.from(limitsModule, "base64"));
  const { memory, arithmetic, reading } = new WebAssembly.Instance(module).exports as unknown as LimitsExports;
  // Not numbers that take longer, and every page is one of its own.
  new Float32Array(memory.buffer).fill(0.5);
  const { byteLength } = memory.buffer;
  const arithmeticMs = leastMs(() => arithmetic(steps));
  const readingMs = leastMs(() => reading(0, byteLength));
  return {
    gflops: (2 * steps * accumulators * lanes) / (arithmeticMs * 1e6),
    reading: byteLength / (readingMs * 1e6),
  };
}

function leastMs(work: () => void): number {
  const times = Array.from({ length: tries }, () => {
    const start = nowMs();
    work();
    return nowMs() - start;
  });
  return Math.min(...times);
}
