// A made-up decision, for tests of stores that do not build it.

import type { SharedDecision } from "../../../src/tuner/store/exchange.ts";

export const key = "a".repeat(64);

export const decisionWith = (itsKey: string, medianNs = 1500.5): SharedDecision => ({
  key: itsKey,
  candidate: { template: "C tiled", assignment: { "C.i.register": 4 } },
  source: "f".repeat(64),
  measured: { medianNs, gflops: 5.46, machine: "wasm 16B", toolchain: "wasm", trials: 12 },
});
