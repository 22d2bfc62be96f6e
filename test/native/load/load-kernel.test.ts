// A built kernel that this machine cannot run.

import { expect, test } from "vitest";
import type { CSource } from "../../../src/compiler/index.ts";
import { loadKernel } from "../../../src/native/load/load-kernel.ts";

test("an addon for another CPU is an error that says what is missing, before its file is looked at", () => {
  const source = { kind: "c", name: "gemm", parameters: [], features: ["avx1024"] } as unknown as CSource;
  expect(() => loadKernel({ kind: "native", path: "/nowhere/gemm.node", kernels: [source] })).toThrow(
    /^target\.unavailable: .*avx1024/,
  );
});
