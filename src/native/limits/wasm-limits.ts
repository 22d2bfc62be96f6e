// What one core can do in WASM: multiplications and additions on values in the first cache, and reading from memory.

import { nowMs } from "../clock.ts";
import type { MachineLimits } from "./machine-limits.ts";

/** test/support/limits-module.ts is its text, and a test holds the two together. 64 MB of memory. */
export const limitsModule = [
  "AGFzbQEAAAABCgJgAX8AYAJ/fwADAwIAAQUEAQCACAchAwZtZW1vcnkCAAphcml0aG1ldGljAAAHcmVhZGluZwABCpsEAtgCAgF/DXtBAP0ABAAhAgNA",
  "IAMgAf0ABAAgAv3mAf3kASEDIAQgAf0ABBAgAv3mAf3kASEEIAUgAf0ABCAgAv3mAf3kASEFIAYgAf0ABDAgAv3mAf3kASEGIAcgAf0ABEAgAv3mAf3k",
  "ASEHIAggAf0ABFAgAv3mAf3kASEIIAkgAf0ABGAgAv3mAf3kASEJIAogAf0ABHAgAv3mAf3kASEKIAsgAf0ABIABIAL95gH95AEhCyAMIAH9AASQASAC",
  "/eYB/eQBIQwgDSAB/QAEoAEgAv3mAf3kASENIA4gAf0ABLABIAL95gH95AEhDiABQcABakH/H3EhASAAQQFrIQAgAA0AC0Eg/QwAAAAAAAAAAAAAAAAA",
  "AAAAIAP95AEgBP3kASAF/eQBIAb95AEgB/3kASAI/eQBIAn95AEgCv3kASAL/eQBIAz95AEgDf3kASAO/eQB/QsEAAu+AQEIewNAIAIgAP0ABAD95AEh",
  "AiADIAD9AAQQ/eQBIQMgBCAA/QAEIP3kASEEIAUgAP0ABDD95AEhBSAGIAD9AARA/eQBIQYgByAA/QAEUP3kASEHIAggAP0ABGD95AEhCCAJIAD9AARw",
  "/eQBIQkgAEGAAWohACAAIAFJDQALQSD9DAAAAAAAAAAAAAAAAAAAAAAgAv3kASAD/eQBIAT95AEgBf3kASAG/eQBIAf95AEgCP3kASAJ/eQB/QsEAAs=",
].join("");

interface LimitsExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  arithmetic(steps: number): void;
  reading(from: number, to: number): void;
}

const [steps, accumulators, lanes] = [100_000, 12, 4];
/** The engine compiles it anew while it runs, and others may have a part of the core now and then. */
const triesMs = 200;

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
  const end = nowMs() + triesMs;
  let least = Number.POSITIVE_INFINITY;
  for (let start = nowMs(); start < end; ) {
    work();
    const now = nowMs();
    least = Math.min(least, now - start);
    start = now;
  }
  return least;
}
