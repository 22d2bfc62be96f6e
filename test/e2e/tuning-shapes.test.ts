// A convolution and a GEMM of prime sizes, tuned a little for WASM and for the CPU's own instructions, in one build; then
// the bundle: right numbers, refusals, calls off the event loop, the second build.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, it, vi } from "vitest";
import { cpuFeatures } from "../../src/native/machine/cpu-features.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { buildApp, outputFiles, runMoved, writeApp } from "../support/build-app.ts";
import { childScript } from "../support/child-script.ts";
import { noAddon } from "../support/fake-kernel.ts";
import { suitesInTurn } from "../support/long.ts";
import { nativeOf, relaxedOf, wasmOf } from "../support/parts-of.ts";

const suite = suitesInTurn(2);

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, "../../fixtures/ops", name), "utf8");
const noAvx2 = noAddon ?? (cpuFeatures().includes("avx2") ? null : "this CPU has no avx2");
const targets = noAvx2 ? ["wasm"] : ["wasm", "avx2"];

/** Small integers: every order of a sum gives the same bits. Another algorithm may round, as far as info.errorBound says. */
const checks = `
const ints = (length, odd, shift) => Float32Array.from({ length }, (_, i) => (i % odd) - shift);
export function wrongOfGemm(gemm) {
  const { M, N, K } = gemm.info.parameters;
  const [A, B] = [ints(M * K, 7, 3), ints(K * N, 5, 2)];
  const right = new Float32Array(M * N);
  for (let i = 0; i < M; i++) for (let k = 0; k < K; k++) for (let j = 0; j < N; j++)
    right[i * N + j] += A[i * K + k] * B[k * N + j];
  return gemm(A, B).filter((value, at) => value !== right[at]).length;
}
export function wrongOfConv(conv) {
  const { H, W, C, F } = conv.info.parameters;
  const [image, filter] = [ints(H * W * C, 7, 3), ints(9 * C * F, 5, 2)];
  const right = new Float32Array(H * W * F);
  for (let y = 0; y < H; y++) for (let x = 0; x < W; x++) for (let ry = 0; ry < 3; ry++) for (let rx = 0; rx < 3; rx++) {
    const [iy, ix] = [y + ry - 1, x + rx - 1];
    if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
    for (let c = 0; c < C; c++) for (let f = 0; f < F; f++)
      right[(y * W + x) * F + f] += image[(iy * W + ix) * C + c] * filter[((ry * 3 + rx) * C + c) * F + f];
  }
  const off = conv.info.errorBound * right.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return conv(image, filter).filter((value, at) => !(Math.abs(value - right[at]) <= off)).length;
}
export function refusal(call) {
  try { call(); } catch (error) { return error.name + ": " + error.message; }
  return null;
}
/**
 * Whether the event loop turns while a kernel of milliseconds runs, and the result is that of a direct call. A call that blocked would be
 * over at the first turn, always; one that does not may be, where other processes keep this thread from the CPU: then it is tried again.
 */
export async function isOffTheLoop(conv) {
  const { H, W, C, F } = conv.info.parameters;
  const [image, filter] = [ints(H * W * C, 7, 3), ints(9 * C * F, 5, 2)];
  const right = conv(image, filter);
  for (let attempt = 0; attempt < 50; attempt++) {
    let done = false, turns = 0;
    const results = Promise.all(Array.from({ length: 8 }, () => conv.async(image, filter))).finally(() => { done = true; });
    while (!done) { turns++; await new Promise((resolve) => setImmediate(resolve)); }
    if (!(await results).every((out) => out.every((value, at) => value === right[at]))) return false;
    if (turns > 1) return true;
  }
  return false;
}
`;

const main = `
import { isOffTheLoop, refusal, wrongOfConv, wrongOfGemm } from "./checks.js";
${targets
  .map(
    (target) => `import gemm_${target} from "./gemm.op.ts?tune=${target}&M=37&N=53&K=71&trials=4";
import conv_${target} from "./conv2d.op.ts?tune=${target}&trials=3";`,
  )
  .join("\n")}
const kernels = { ${targets.map((target) => `${target}: [gemm_${target}, conv_${target}]`).join(", ")} };
const result = {};
for (const [target, [gemm, conv]] of Object.entries(kernels)) {
  const [A, B, C] = [37 * 71, 71 * 53, 37 * 53].map((length) => new Float32Array(length));
  const shared = new Float32Array(37 * 71 + 37 * 53);
  result[target] = {
    twins: [gemm.info.twin, conv.info.twin],
    wrong: [wrongOfGemm(gemm), wrongOfConv(conv)],
    writesInto: gemm(A, B, C) === C,
    refusals: [
      refusal(() => gemm(A.subarray(1), B, C)),
      refusal(() => gemm(A, new Float64Array(71 * 53), C)),
      refusal(() => gemm(shared.subarray(0, 37 * 71), B, shared.subarray(1, 1 + 37 * 53))),
      refusal(() => gemm(A)),
    ],
    isOffTheLoop: await isOffTheLoop(conv),
  };
}
console.log(JSON.stringify(result));
`;

const refusals = [
  "RangeError: gemm: argument 1 (A) must be a Float32Array of 2627 elements, f32[37, 71]; got 2626 elements",
  "TypeError: gemm: argument 2 (B) must be a Float32Array of 3763 elements, f32[71, 53]; got a Float64Array",
  "RangeError: gemm: argument 3 (C) overlaps argument 1 (A); an output needs memory of its own",
  "TypeError: gemm takes A, B and then none or all of C; got 1 arguments",
];

type Answer = Readonly<Record<string, { readonly twins: readonly string[]; readonly isOffTheLoop: boolean }>>;

suite(`a convolution and a GEMM of prime sizes${noAvx2 ? ` (WASM alone: ${noAvx2})` : ""}`, () => {
  const root = writeApp({
    "src/main.js": main,
    "src/checks.js": checks,
    "src/gemm.op.ts": fixture("gemm.op.ts"),
    "src/conv2d.op.ts": fixture("conv2d.op.ts"),
  });
  const compiled: CompiledKernel[] = [];
  const recording: CompileKernel = async (request, services) => {
    const kernel = await compileKernel(request, services);
    compiled.push(kernel);
    return kernel;
  };
  const lines: string[] = [];
  const build = async (): Promise<readonly CompiledKernel[]> => {
    compiled.length = 0;
    const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    await buildApp("rollup", root, recording, { cacheDir: "store", budget: { seconds: 60 }, logLevel: "info" });
    spy.mockRestore();
    return compiled.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };
  let first: readonly CompiledKernel[] = [];
  let answer: Answer;
  beforeAll(async () => {
    first = await build();
    answer = runMoved(root) as Answer;
  });

  it("are measured, each for each target", () => {
    expect(first.map(({ op, target, origin }) => `${op} ${target} ${origin}`).sort()).toEqual(
      targets.flatMap((target) => [`conv2d ${target} tuned`, `gemm ${target} tuned`]).sort(),
    );
    expect(first.every(({ measurements, gflops }) => measurements >= 3 && gflops! > 0)).toBe(true);
  });

  it.each(targets)("answer right, refuse what is wrong, and leave the event loop alone, for %s", (target) => {
    const twin = target === "wasm" ? expect.stringMatching(/^wasm/) : "native";
    expect(answer[target]).toEqual({
      twins: [twin, twin],
      wrong: [0, 0],
      writesInto: true,
      refusals,
      isOffTheLoop: true,
    });
  });

  if (noAvx2) it.skip(`answer right, for avx2 (${noAvx2})`, () => undefined);

  it("are not measured again, and the bundle is the same", async () => {
    const second = await build();
    expect(second.map(({ measurements, compilerRuns, origin }) => [measurements, compilerRuns, origin])).toEqual(
      second.map(() => [0, 0, "lock"]),
    );
    expect(lines.at(-1)).toMatch(
      new RegExp(`\\] ${second.length} kernels from kernels\\.lock\\.json, 0 measured, 0 compiler runs, \\d+ ms$`),
    );
    const bytesOf = (kernel: CompiledKernel) => [nativeOf, wasmOf, relaxedOf].map((part) => part(kernel)?.bytes);
    expect(second.map(bytesOf)).toEqual(first.map(bytesOf));
    const plain = runMoved(root, "main.mjs", ["--no-addons"]) as Answer;
    for (const target of targets) {
      expect(plain[target]).toMatchObject({ wrong: [0, 0], refusals, isOffTheLoop: true });
      expect(plain[target]!.twins).toEqual([expect.stringMatching(/^wasm/), expect.stringMatching(/^wasm/)]);
    }
  });

  it("are rebuilt from the lock alone where CI is set, byte for byte, and nothing is measured", async () => {
    await build();
    const before = outputOf(root);
    for (const folder of ["store", "out"]) rmSync(join(root, folder), { recursive: true });
    const env = { ...process.env, CI: "1" };
    const { stderr } = await execa(process.execPath, [await childScript("shapes"), root], { env });
    expect(outputOf(root)).toEqual(before);
    expect(stderr).toMatch(
      new RegExp(
        `\\] ${first.length} kernels from kernels\\.lock\\.json, 0 measured, ${first.length - 2} compiler runs?, .+$`,
      ),
    );
    expect(existsSync(join(root, "store/records.jsonl"))).toBe(false);
  });
});

/** File → its bytes. */
const outputOf = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(outputFiles(root).map((name) => [name, readFileSync(join(root, "out", name), "base64")]));
