// A target and a lock entry for the tests of the store.

import type { CpuTarget } from "../../../src/compiler/index.ts";
import type { LockEntry } from "../../../src/tuner/lock/lock-entry.ts";

export const target: CpuTarget = {
  name: "avx2",
  kind: "cpu",
  backend: "c",
  features: ["avx2", "fma"],
  vectorBytes: 32,
  vectorRegisters: 16,
  hasFma: true,
  hasMaskedStore: true,
  l1Bytes: 32768,
  l2Bytes: 524288,
  l3Bytes: 4194304,
  threads: 1,
};

export const lockEntry: LockEntry & { readonly target: CpuTarget } = {
  op: { name: "gemm", digest: "1".repeat(64), parameters: { K: 512, M: 512, N: 512, dtype: "f32" } },
  target,
  numerics: "fast",
  threads: 1,
  codegen: "1",
  candidate: { template: "pack A at ic, pack B at kc", assignment: { "C.i.0": 4, "C.i.1": 12 } },
  source: "2".repeat(64),
  measured: {
    medianNs: 1441234.5,
    gflops: 186.2,
    machine: "avx2 avx2+fma 32B 16r",
    toolchain: "gcc 12.2.0",
    trials: 112,
  },
};
