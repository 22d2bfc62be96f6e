// What a call costs beside the work: the smallest product, 4×4×4, through the module that an import gives, beside loops in
// JavaScript. In turns, in one process.
//
//     npm run bench:call

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rollup } from "rollup";
import kernel from "../../dist/rollup.js";

const size = 4;
const elements = size * size;
const rounds = 25;
const calls = 200_000;

/** The bar for a call that gives the result's array, and on the arrays of buffers(). */
const barNs = 60;

const app = {
  "gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default gemm({ M: ${size}, N: ${size}, K: ${size} });`,
  "layer.op.ts": `import { withConstants } from "unplugin-kernel/op"; import { gemm } from "unplugin-kernel/ops";
    export default withConstants(gemm({ M: ${size}, N: ${size}, K: ${size} }), "B");`,
  "main.js": `export { default as native } from "./gemm.op.ts?tune=native";
    export { default as wasm } from "./gemm.op.ts?tune=wasm";
    export { default as layer } from "./layer.op.ts?tune=native";`,
};

async function kernels(folder) {
  for (const [name, text] of Object.entries(app)) writeFileSync(join(folder, name), text);
  const plugin = kernel({ root: folder, mode: "predict", cacheDir: "store", logLevel: "silent" });
  const bundle = await rollup({ input: join(folder, "main.js"), plugins: [plugin] });
  await bundle.write({ dir: join(folder, "out"), entryFileNames: "[name].mjs" });
  await bundle.close();
  return import(pathToFileURL(join(folder, "out/main.mjs")).href);
}

function loops(A, B, C) {
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += A[i * size + k] * B[k * size + j];
      C[i * size + j] = sum;
    }
}

const numbers = (salt) => Float32Array.from({ length: elements }, (_, at) => ((at * 7 + salt) % 11) - 5);

/** Programs by name: each is called often with its own arrays. */
function programs({ native, wasm, layer }) {
  const [A, B] = [numbers(1), numbers(2)];
  const C = new Float32Array(elements);
  const own = wasm.buffers();
  own.A.set(A);
  own.B.set(B);
  const packed = layer.pack({ B });
  return {
    [`${native.info.target}, into an array`]: { run: () => native(A, B, C), result: () => C, bar: barNs },
    [`${native.info.target}, allocating`]: { run: () => native(A, B), result: () => native(A, B) },
    [`${native.info.target}, packed`]: { run: () => packed(A, C), result: () => C, bar: barNs },
    "wasm, on buffers()": { run: () => wasm(own.A, own.B, own.C), result: () => own.C, bar: barNs },
    "wasm, other arrays": { run: () => wasm(A, B, C), result: () => C },
    "loops in JavaScript": { run: () => loops(A, B, C), result: () => C },
  };
}

function nsOf({ run }) {
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) run();
  return Number(process.hrtime.bigint() - start) / calls;
}

function checked(name, { run, result }, wanted) {
  run();
  const found = result();
  if (found.some((it, at) => it !== wanted[at])) throw new Error(`${name} computes ${[...found]}, not ${[...wanted]}`);
}

const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-call-"));
try {
  const all = programs(await kernels(folder));
  const wanted = new Float32Array(elements);
  loops(numbers(1), numbers(2), wanted);
  const times = new Map(Object.keys(all).map((name) => [name, []]));
  for (const [name, program] of Object.entries(all)) checked(name, program, wanted);
  // The first rounds are the engine's: it compiles what is called.
  for (let round = -5; round < rounds; round++)
    for (const [name, program] of Object.entries(all)) {
      const ns = nsOf(program);
      if (round >= 0) times.get(name).push(ns);
    }
  console.log(`GEMM f32 ${size}×${size}×${size}, ns a call, Node ${process.version}\n`);
  for (const [name, list] of times) {
    const sorted = list.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    const { bar } = all[name];
    const verdict = bar === undefined ? "" : `  at most ${bar}: ${median <= bar ? "met" : "missed"}`;
    console.log(
      `  ${name.padEnd(28)} ${median.toFixed(0).padStart(5)} (${sorted[0].toFixed(0)} … ${sorted.at(-1).toFixed(0)})${verdict}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
