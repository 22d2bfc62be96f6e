// Cost of a call beside the work: the smallest product, 4×4×4, through the module that an import gives, beside loops in
// JavaScript. In turns, in one process.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withPrivateDirectory } from "../../../../src/native/file/private-directory.ts";
import { spreadOf } from "../contest.ts";
import type { Timed } from "../timing.ts";
import { buildOf } from "./fixture-build.ts";

const size = 4;
const elements = size * size;
const rounds = 25;
const calls = 200_000;

/** The bar for a call that gives the result's array, and on the arrays of buffers(). */
const atMost = 60;

const app = {
  "gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default gemm({ M: ${size}, N: ${size}, K: ${size} });`,
  "layer.op.ts": `import { withConstants } from "unplugin-kernel/op"; import { gemm } from "unplugin-kernel/ops";
    export default withConstants(gemm({ M: ${size}, N: ${size}, K: ${size} }), "B");`,
  "main.js": `export { default as native } from "./gemm.op.ts?tune=native";
    export { default as wasm } from "./gemm.op.ts?tune=wasm";
    export { default as layer } from "./layer.op.ts?tune=native";`,
};

interface Kernel {
  (A: Float32Array, B: Float32Array, C?: Float32Array): Float32Array;
  buffers(): { readonly A: Float32Array; readonly B: Float32Array; readonly C: Float32Array };
  readonly info: { readonly target: string };
}

interface Kernels {
  readonly native: Kernel;
  readonly wasm: Kernel;
  readonly layer: {
    pack(constants: { readonly B: Float32Array }): (A: Float32Array, C: Float32Array) => Float32Array;
  };
}

async function kernels(folder: string): Promise<Kernels> {
  for (const [name, text] of Object.entries(app)) writeFileSync(join(folder, name), text);
  const options = { root: folder, mode: "predict", cacheDir: "store", logLevel: "silent" };
  const build = await buildOf("rollup");
  await build(join(folder, "main.js"), join(folder, "out"), options);
  return import(pathToFileURL(join(folder, "out/main.mjs")).href);
}

function loops(A: Float32Array, B: Float32Array, C: Float32Array): void {
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += A[i * size + k]! * B[k * size + j]!;
      C[i * size + j] = sum;
    }
}

const numbers = (salt: number): Float32Array =>
  Float32Array.from({ length: elements }, (_, at) => ((at * 7 + salt) % 11) - 5);

interface Program {
  readonly name: string;
  readonly run: () => void;
  readonly result: () => Float32Array;
  readonly atMost: number | null;
}

/** Each is called often with its own arrays. */
function programs({ native, wasm, layer }: Kernels): readonly Program[] {
  const [A, B] = [numbers(1), numbers(2)];
  const C = new Float32Array(elements);
  const own = wasm.buffers();
  own.A.set(A);
  own.B.set(B);
  const packed = layer.pack({ B });
  const { target } = native.info;
  const into = (name: string, run: () => void, bar: number | null = null): Program => {
    return { name, run, result: () => C, atMost: bar };
  };
  return [
    into(`${target}, into an array`, () => native(A, B, C), atMost),
    { name: `${target}, allocating`, run: () => native(A, B), result: () => native(A, B), atMost: null },
    into(`${target}, packed`, () => packed(A, C), atMost),
    { name: "wasm, on buffers()", run: () => wasm(own.A, own.B, own.C), result: () => own.C, atMost },
    into("wasm, other arrays", () => wasm(A, B, C)),
    into("loops in JavaScript", () => loops(A, B, C)),
  ];
}

function nsOf({ run }: Program): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) run();
  return Number(process.hrtime.bigint() - start) / calls;
}

function check({ name, run, result }: Program, wanted: Float32Array): void {
  run();
  const found = result();
  if (found.some((it, at) => it !== wanted[at])) throw new Error(`${name} computes ${found}, not ${wanted}`);
}

export const measureCalls = (): Promise<readonly Timed[]> =>
  withPrivateDirectory(async (folder) => {
    const all = programs(await kernels(folder));
    const wanted = new Float32Array(elements);
    loops(numbers(1), numbers(2), wanted);
    for (const program of all) check(program, wanted);
    const times = new Map(all.map((program) => [program, [] as number[]]));
    // The first rounds are the engine's: it compiles what is called.
    for (let round = -5; round < rounds; round++)
      for (const program of all) {
        const ns = nsOf(program);
        if (round >= 0) times.get(program)!.push(ns);
      }
    return [...times].map(([{ name, atMost }, list]) => ({ name, unit: "ns", time: spreadOf(list), atMost }));
  });
