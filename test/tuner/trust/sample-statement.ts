// A statement on a kernel's binaries for the tests of trust.

import { sha256 } from "../../../src/compiler/index.ts";
import { type KernelStatement, kernelPredicate, statementType } from "../../../src/tuner/trust/statement.ts";

export const addon: Uint8Array = new TextEncoder().encode("an addon");

export const kernelStatement: KernelStatement = {
  _type: statementType,
  subject: [{ name: "blobs/addon", digest: { sha256: sha256(addon) } }],
  predicateType: kernelPredicate,
  predicate: {
    scheduleKey: "1".repeat(64),
    decision: "2".repeat(64),
    sizes: { "blobs/addon": addon.length },
    toolchain: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01",
    platform: "linux-x64",
    features: ["avx2", "fma"],
    builder: "a machine of ours",
    time: "2026-11-25T01:23:45.000Z",
  },
};
