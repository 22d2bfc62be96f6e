// Facts about the browser: its name, cores, and the features that its engine lets a page use.

import { hasRelaxedSimd } from "../../../../native/load/relaxed-simd.ts";
import { nowMs } from "../../../../native/machine/clock.ts";
import type { BrowserFacts } from "../visit.ts";

const steps = 5;
/** Reads of a clock that stands still. */
const mostReads = 5e7;

/** Least step of the clock, in milliseconds: browsers make it coarse, and some of them unevenly. */
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
  hasRelaxedSimd: hasRelaxedSimd(),
  clockStepMs: clockStepMs(),
});
