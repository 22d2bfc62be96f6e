// Kernels of operators with constant inputs: packed once or in each call, on every twin, with the results of the loops.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { beforeAll, expect, test } from "vitest";
import type { PackableKernel } from "../../../src/compiler/expr/kernel-type.ts";
import { targets } from "../../../src/compiler/index.ts";
import { detectMachine, missingFeatures } from "../../../src/native/machine/machine.ts";
import type { CompiledKernel } from "../../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelRequest } from "../../../src/plugin/kernel/kernel-request.ts";
import { compileIn } from "../../support/compile-app.ts";
import { noAddon } from "../../support/fake-kernel.ts";
import { loadModule, writeModule } from "../../support/load-module.ts";
import { suitesInTurn } from "../../support/long.ts";
import { nativeOf, prepareOf, wasmOf } from "../../support/parts-of.ts";

const operator = `
import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
export default withConstants(gemm({ M: 32, N: 64, K: 64 }, { bias: true }), "B", "bias");
`;

type Shape = Readonly<Record<"M" | "N" | "K", number>>;

const integers = (length: number, salt: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);

/** Inputs of a shape, and the right answers with either of the weights. */
function dataOf({ M, N, K }: Shape) {
  const [A, bias] = [integers(M * K, 1), integers(N, 4)];
  const weights = [integers(K * N, 2), integers(K * N, 3)] as const;
  const product = (B: Float32Array): Float32Array =>
    Float32Array.from({ length: M * N }, (_, at) => {
      const [i, j] = [Math.floor(at / N), at % N];
      return A.subarray(i * K, i * K + K).reduce((sum, a, k) => sum + a * B[k * N + j]!, bias[j]!);
    });
  return { A, bias, weights, product };
}

type Gemm = PackableKernel<Float32Array, "B" | "bias">;

const noAvx2 = noAddon ?? (missingFeatures(targets.avx2, detectMachine()).length === 0 ? null : "no AVX2");
/** Which of these the predicted schedule lays B out for depends on twin, threads and machine. A and B of one differ in length. */
const shapes: readonly Shape[] = [
  { M: 32, N: 64, K: 64 },
  { M: 64, N: 128, K: 128 },
  { M: 128, N: 64, K: 64 },
  { M: 24, N: 41, K: 40 },
  { M: 4, N: 41, K: 40 },
  { M: 16, N: 64, K: 128 },
  { M: 160, N: 128, K: 144 },
  { M: 32, N: 512, K: 256 },
];
interface Case {
  readonly twin: "wasm" | "native" | "reference";
  /** Whether the schedule lays B out, once for all calls, or takes it as it is. */
  readonly isLaidOut: boolean;
  readonly request: Partial<KernelRequest>;
  readonly without: string | null;
}
const native: Pick<Case, "request" | "without"> = { request: { target: "avx2", fallback: "none" }, without: noAvx2 };
const cases: readonly Case[] = [
  { twin: "wasm", isLaidOut: true, request: { target: "wasm" }, without: null },
  { twin: "wasm", isLaidOut: false, request: { target: "wasm" }, without: null },
  { twin: "wasm", isLaidOut: true, request: { target: "wasm", threads: 2 }, without: null },
  { twin: "native", isLaidOut: true, ...native },
  { twin: "native", isLaidOut: false, ...native },
  { twin: "reference", isLaidOut: false, request: { mode: "off" }, without: null },
];

function appFolder(text: string): string {
  const root = mkdtempSync(join(tmpdir(), "packable-"));
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/gemm.op.ts"), text);
  return root;
}

/** What a kernel prepares of its constants: names of arrays; none: nothing. */
const preparedBy = (kernel: CompiledKernel): readonly string[] => {
  const native = nativeOf(kernel);
  const prepare = native ? native.split?.prepare : prepareOf(kernel)?.parameters;
  return (prepare ?? []).map(({ name }) => name);
};

/** The first shape whose predicted schedule has the form, and its kernel. */
async function kernelOf({ isLaidOut, request }: Case): Promise<{ shape: Shape; kernel: CompiledKernel }> {
  for (const shape of shapes) {
    const { kernel } = await compileIn(appFolder(operator), {
      options: { mode: "predict" },
      request: { mode: "predict", parameters: { ...shape }, ...request },
    });
    if (preparedBy(kernel).length > 0 === isLaidOut) return { shape, kernel };
  }
  throw new Error(`no shape here has a schedule that ${isLaidOut ? "lays B out" : "takes B as it is"}`);
}

const turn = suitesInTurn(2);

for (const one of cases) {
  const { twin, isLaidOut, request, without } = one;
  turn.skipIf(without !== null)(
    `${twin}, ${isLaidOut ? "laid out" : "as it is"}, ${request.threads ?? 1} thread${request.threads ? "s" : ""}${without ? ` (${without})` : ""}`,
    () => {
      let [M, N, K] = [0, 0, 0];
      let { A, bias, weights, product } = dataOf({ M, N, K });
      let kernel: CompiledKernel;
      let gemm: Gemm;
      beforeAll(async () => {
        const found = await kernelOf(one);
        kernel = found.kernel;
        ({ M, N, K } = found.shape);
        ({ A, bias, weights, product } = dataOf(found.shape));
        gemm = (await loadModule(kernel)) as unknown as Gemm;
      });

      test("answers, with something to prepare or without", () => {
        expect(gemm.info.twin?.replace("-relaxed", "")).toBe(twin);
        expect(kernel.constants).toEqual(["B", "bias"]);
        expect(preparedBy(kernel)).toEqual(isLaidOut ? ["B", "B.layout"] : []);
      });

      test("packs once for many calls, and two layers do not disturb each other", () => {
        const [first, second] = weights.map((B) => gemm.pack({ B, bias }));
        const C = new Float32Array(M * N).fill(Number.NaN);
        expect(first!(A, C)).toBe(C);
        expect(C).toEqual(product(weights[0]));
        expect(second!(A)).toEqual(product(weights[1]));
        expect(first!(A)).toEqual(product(weights[0]));
      });

      test("called as it is takes all inputs, and others each time", () => {
        expect(gemm(A, weights[0], bias)).toEqual(product(weights[0]));
        const C = new Float32Array(M * N);
        expect(gemm(A, weights[1], bias, C)).toBe(C);
        expect(C).toEqual(product(weights[1]));
      });

      test("off the event loop too, packed or not, in any order", async () => {
        const layers = weights.map((B) => gemm.pack({ B, bias }));
        const results = await Promise.all([
          layers[0]!.async(A),
          gemm.async(A, weights[1], bias),
          layers[1]!.async(A, new Float32Array(M * N)),
          gemm.async(A, weights[0], bias),
          layers[0]!.async(A),
        ]);
        expect(results).toEqual([0, 1, 1, 0, 0].map((which) => product(weights[which]!)));
      });

      test("has typed arrays of its own, of the kernel and of a layer", () => {
        const own = gemm.buffers() as Record<"A" | "B" | "bias" | "C", Float32Array>;
        own.A.set(A);
        own.B.set(weights[0]);
        own.bias.set(bias);
        gemm(own.A, own.B, own.bias, own.C);
        expect(own.C).toEqual(product(weights[0]));
        const layer = gemm.pack({ B: weights[1], bias });
        expect(Object.keys(layer.buffers())).toEqual(["A", "C"]);
        const { A: a, C: c } = layer.buffers() as Record<"A" | "C", Float32Array>;
        a.set(A);
        layer(a, c);
        expect(c).toEqual(product(weights[1]));
        expect(layer.info).toBe(gemm.info);
      });

      test("leaves the constants in its own arrays as the caller left them, whatever other calls take", () => {
        const own = gemm.buffers() as Record<"A" | "B" | "bias" | "C", Float32Array>;
        own.A.set(A);
        own.B.set(weights[0]);
        own.bias.set(bias);
        expect(gemm(A, weights[1], bias)).toEqual(product(weights[1]));
        expect(gemm(own.A, weights[1], own.bias, own.C)).toEqual(product(weights[1]));
        expect(own.B).toEqual(weights[0]);
        expect(gemm(own.A, own.B, own.bias, own.C)).toEqual(product(weights[0]));
        expect(gemm(A, own.B, own.bias)).toEqual(product(weights[0]));
      });

      test("goes on without the arrays of its constants, which may change or be gone", () => {
        const [B, own] = [weights[0].slice(), bias.slice()];
        const layer = gemm.pack({ B, bias: own });
        B.fill(Number.NaN);
        own.fill(Number.NaN);
        expect(layer(A)).toEqual(product(weights[0]));
        structuredClone(null, { transfer: [B.buffer, own.buffer] });
        expect(layer(A)).toEqual(product(weights[0]));
      });

      test("goes on off the event loop when they go meanwhile", async () => {
        const [B, own] = [weights[0].slice(), bias.slice()];
        const running = gemm.pack({ B, bias: own }).async(A);
        structuredClone(null, { transfer: [B.buffer, own.buffer] });
        expect(await running).toEqual(product(weights[0]));
      });

      test("packs arrays of another realm, as calls take them, and says so of one that is detached", () => {
        const B = runInNewContext("new Float32Array(length)", { length: K * N }) as Float32Array;
        B.set(weights[0]);
        expect(gemm.pack({ B, bias })(A)).toEqual(product(weights[0]));
        structuredClone(null, { transfer: [B.buffer as ArrayBuffer] });
        expect(() => gemm.pack({ B, bias })).toThrow(
          new TypeError(
            `gemm.pack: B must be a Float32Array of ${K * N} elements, f32[${K}, ${N}]; its buffer is detached`,
          ),
        );
      });

      test("refuses what does not fit, by name", () => {
        const B = weights[0];
        const pack = gemm.pack as (values: unknown) => ReturnType<Gemm["pack"]>;
        expect(() => pack({ B })).toThrow(
          new TypeError(`gemm.pack: bias must be a Float32Array of ${N} elements, f32[${N}]; got undefined`),
        );
        expect(() => pack(null)).toThrow("gemm.pack: B must be a Float32Array");
        expect(() => pack({ B, bias, A })).toThrow(new TypeError("gemm.pack: A is no constant: B, bias"));
        expect(() => pack({ B: A, bias })).toThrow(RangeError);
        const layer = gemm.pack({ B, bias });
        expect(() => layer(A, B, bias, A)).toThrow("gemm takes A and then none or all of C; got 4 arguments");
        expect(() => layer(B)).toThrow(
          `gemm: argument 1 (A) must be a Float32Array of ${M * K} elements, f32[${M}, ${K}]; got ${K * N}`,
        );
        expect(() => layer(A, A)).toThrow(RangeError);
      });
    },
  );
}

test("the wasm twin answers in a browser's way: text in the module, no file system", async () => {
  const { kernel } = await compileIn(appFolder(operator), {
    options: { mode: "predict" },
    request: { mode: "predict" },
  });
  const path = writeModule(kernel, "browser");
  const script = `process.getBuiltinModule = undefined;
    const { default: gemm } = await import(${JSON.stringify(pathToFileURL(path).href)});
    const layer = gemm.pack({ B: new Float32Array(64 * 64).fill(2), bias: new Float32Array(64).fill(1) });
    console.log(layer(new Float32Array(32 * 64).fill(3)).every((it) => it === 2 * 3 * 64 + 1));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(printed.trim()).toBe("true");
});

test("it is tuned once: lock and store, and the lock alone, give the same kernel; another promise is another kernel", async () => {
  const root = appFolder(operator);
  const { kernel: first } = await compileIn(root);
  expect(first.origin).toBe("tuned");
  const same = (kernel: CompiledKernel): void => {
    expect(kernel).toMatchObject({ origin: "lock", measurements: 0, trace: first.trace, key: first.key });
    expect(wasmOf(kernel)!.bytes).toEqual(wasmOf(first)!.bytes);
    expect(prepareOf(kernel)?.bytes).toEqual(prepareOf(first)?.bytes);
    expect(wasmOf(kernel)!.parameters).toEqual(wasmOf(first)!.parameters);
  };
  same((await compileIn(root)).kernel);
  rmSync(join(root, "store"), { recursive: true });
  same((await compileIn(root, { options: { mode: "frozen" }, request: { mode: "frozen" } })).kernel);
  writeFileSync(join(root, "src/gemm.op.ts"), operator.replace(', "bias")', ")"));
  const other = compileIn(root, { options: { mode: "frozen" }, request: { mode: "frozen" } });
  await expect(other).rejects.toThrow(/frozen.miss: the entry of .* is stale/);
});

test("a constant that is no input is refused where it is named", async () => {
  const root = appFolder(operator.replace('"bias")', '"weights")'));
  await expect(compileIn(root, { request: { mode: "predict" } })).rejects.toThrow(
    /expr.unknown-constant: weights is no input of the operator[\s\S]*src\/gemm.op.ts:4:16/,
  );
});
