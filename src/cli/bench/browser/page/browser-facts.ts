// What there is to know of the browser: its name, cores, and what its engine lets a page have.

import { nowMs } from "../../../../native/clock.ts";
import type { BrowserFacts } from "../visit.ts";

/** `(module (func (result v128) i32.const 1 i8x16.splat i32.const 2 i8x16.splat i8x16.relaxed_swizzle))` */
const relaxedModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  ...[10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
);

const steps = 5;
/** Reads of a clock that stands still. */
const mostReads = 5e7;

/** Browsers make the clock coarse, and some of them unevenly. */
function clockStepMs(): number {
  let largest = 0;
  for (let step = 0, reads = 0; step < steps && reads < mostReads; step++) {
    const start = nowMs();
    let now = start;
    for (; now === start && reads < mostReads; reads++) now = nowMs();
    // The first one begins somewhere within.
    if (step > 0) largest = Math.max(largest, now - start);
  }
  return largest;
}

export const browserFacts = (): BrowserFacts => ({
  userAgent: navigator.userAgent.replace(/[^\x20-\x7e]/g, "?").slice(0, 1000),
  cores: navigator.hardwareConcurrency ?? 1,
  // WebKitGTK isolates a page and gives it no SharedArrayBuffer all the same.
  hasSharedMemory: globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function",
  hasRelaxedSimd: WebAssembly.validate(relaxedModule),
  clockStepMs: clockStepMs(),
});
