// Kernels with constant inputs through the program interface: tuned, built, packed once and called often.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import { build, load, predictSchedule, type Schedule, tune } from "../../src/api/index.ts";
import { skipReason } from "../native/compiled.ts";

const { M, N, K } = { M: 13, N: 41, K: 29 };
const parameters = { M, N, K };
const options = { target: "wasm", parameters, constants: ["B"] } as const;

const counting = (length: number, step: number) => Float32Array.from({ length }, (_, at) => ((at * step) % 15) - 7);
const [A, B] = [counting(M * K, 4), counting(K * N, 11)];

function product(left: Float32Array, right: Float32Array): Float32Array {
  const dot = (i: number, j: number) =>
    Array.from({ length: K }, (_, k) => left[i * K + k]! * right[k * N + j]!).reduce((sum, term) => sum + term);
  return Float32Array.from({ length: M * N }, (_, at) => dot(Math.floor(at / N), at % N));
}

/** A schedule that lays B out: the predicted one, made to. */
function laidOut(target: "wasm" | "avx2"): Schedule {
  const { template, assignment } = predictSchedule(gemm, { ...options, target });
  return { template, assignment: { ...assignment, "C.pack.B": 1 } };
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-constants-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reasons = { wasm: null, avx2: skipReason };

describe.each(["wasm", "avx2"] as const)("of %s", (target) => {
  const why = reasons[target] ? ` (${reasons[target]})` : "";

  it.skipIf(reasons[target])(`weights are packed once for many calls${why}`, async () => {
    const artifact = await build(gemm, laidOut(target), { ...options, target, outDir: folder });
    expect(artifact.packing).toMatchObject({ constants: ["B"], prepare: expect.anything() });
    const kernel = load(artifact);
    const [first, second] = [kernel.pack!({ B }), kernel.pack!({ B: B.map((it) => -it) })];
    for (const input of [A, A.map((it) => it + 1)]) {
      const C = new Float32Array(M * N).fill(Number.NaN);
      first(input, C);
      expect(C).toEqual(product(input, B));
      second(input, C);
      expect(C).toEqual(product(input, B).map((it) => -it + 0));
    }
  });

  it.skipIf(reasons[target])(`all inputs may be given to each call${why}`, async () => {
    const artifact = await build(gemm, laidOut(target), { ...options, target, outDir: folder });
    const C = new Float32Array(M * N);
    load(artifact)(A, B, C);
    expect(C).toEqual(product(A, B));
  });

  it.skipIf(reasons[target])(`a schedule that takes them as they are packs nothing${why}`, async () => {
    const { template, assignment } = laidOut(target);
    const plain = { template, assignment: { ...assignment, "C.pack.B": 0 } };
    const artifact = await build(gemm, plain, { ...options, target, outDir: folder });
    expect(artifact.packing).toEqual({ constants: ["B"], prepare: null });
    const C = new Float32Array(M * N);
    load(artifact).pack!({ B })(A, C);
    expect(C).toEqual(product(A, B));
  });
});

it("candidates are measured without their preparation, after it", async () => {
  const { failed, measured, schedule } = await tune(gemm, { ...options, budget: { seconds: 600, trials: 24 } });
  expect({ failed, enough: measured >= 16 }).toEqual({ failed: 0, enough: true });
  const C = new Float32Array(M * N);
  load(await build(gemm, schedule, { ...options, outDir: folder })).pack!({ B })(A, C);
  expect(C).toEqual(product(A, B));
});

describe("is refused", () => {
  const kernel = async () => load(await build(gemm, laidOut("wasm"), { ...options, outDir: folder }));

  it("a constant that is no input", () =>
    expect(() => predictSchedule(gemm, { ...options, constants: ["W"] })).toThrow(
      "W is no input of the operator: A, B",
    ));

  it("what is none, and what is missing", async () => {
    const { pack } = await kernel();
    expect(() => pack!({ A, B })).toThrow(new TypeError("kernel.pack: A is no constant: B"));
    expect(() => pack!({})).toThrow(/^kernel.pack: B must be a Float32Array of/);
  });

  it("arrays that do not fit", async () => {
    const loaded = await kernel();
    expect(() => loaded.pack!({ B: A })).toThrow(/^kernel.pack: B must be a Float32Array of .*; got 377 elements$/);
    const C = new Float32Array(M * N);
    expect(() => loaded.pack!({ B })(B)).toThrow(RangeError);
    expect(() => loaded.pack!({ B })(B, C)).toThrow(RangeError);
    expect(() => loaded(A)).toThrow(new TypeError("kernel takes A, B and then none or all of C; got 1 arguments"));
  });
});

it("a kernel without constants cannot pack", async () => {
  const plain = { target: "wasm", parameters } as const;
  expect(load(await build(gemm, predictSchedule(gemm, plain), { ...plain, outDir: folder })).pack).toBeUndefined();
});
