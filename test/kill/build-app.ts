// The app of builds that are killed: four programs that share a store and a lock. Each has kernels of its own and one that all
// have; run, it says which of them compute something else than plain loops.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const gemmText = `
import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 8, N: 16, K: 8 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;

/** Builds that run at once. */
export const builders = 4;

/** Rows of a program's kernels; 8 is everybody's. */
export const rowsOf = (builder: number): readonly number[] => [10 + 4 * builder, 8, 12 + 4 * builder];

/** Sizes of the kernels' other dimensions. */
const [columns, depth] = [16, 8];

const programOf = (rows: readonly number[]): string => `
${rows.map((M) => `import gemm${M} from "./gemm.op.ts?tune=wasm&M=${M}";`).join("\n")}
const kernels = { ${rows.map((M) => `${M}: gemm${M}`).join(", ")} };
const wrong = Object.entries(kernels).filter(([rows, gemm]) => {
  const A = Float32Array.from({ length: rows * ${depth} }, (_, at) => (at * 7) % 11);
  const B = Float32Array.from({ length: ${depth * columns} }, (_, at) => (at * 5) % 13);
  const C = gemm(A, B);
  return C.some((value, at) => {
    const [i, j] = [Math.floor(at / ${columns}), at % ${columns}];
    let sum = 0;
    for (let k = 0; k < ${depth}; k++) sum += A[i * ${depth} + k] * B[k * ${columns} + j];
    return value !== sum;
  });
});
console.log(JSON.stringify({ kernels: Object.keys(kernels).length, wrong: wrong.map(([rows]) => rows) }));
`;

/** Name of the program that has the kernels of all. */
export const allPrograms = "all";

export function writePrograms(): string {
  const all = Array.from({ length: builders }, (_, at) => rowsOf(at));
  const own = all.map((rows, at): [string, string] => [`src/out${at}.js`, programOf(rows)]);
  const rows = [...new Set(all.flat())];
  const root = mkdtempSync(join(tmpdir(), "kill-builds-"));
  mkdirSync(join(root, "src"));
  const files: readonly (readonly [string, string])[] = [
    ["src/gemm.op.ts", gemmText],
    ...own,
    [`src/${allPrograms}.js`, programOf(rows)],
  ];
  for (const [name, text] of files) writeFileSync(join(root, name), text);
  return root;
}
