// Speed of products in generated WASM: f32 GEMM through packed panels, by register tile, baseline and relaxed. Run: npx
// esbuild test/bench/wasm-microkernel.ts --bundle --platform=node --format=esm --outfile=/tmp/bench.mjs
//      node --no-liftoff --experimental-wasm-relaxed-simd /tmp/bench.mjs [size]

import { generateWasm } from "../../src/compiler/codegen/wasm/generate-wasm.ts";
import { loadWasm } from "../../src/native/load/load-wasm.ts";
import { packedGemm } from "../compiler/codegen/wasm/packed-gemm.ts";

const size = Number(process.argv[2] ?? 480);
const tiles = [
  [4, 8],
  [5, 8],
  [6, 8],
  [4, 12],
  [3, 16],
  [3, 12],
  [2, 16],
  [8, 4],
  [10, 4],
  [12, 4],
  [3, 8],
] as const;

for (const relaxed of [false, true]) {
  for (const [rows, columns] of tiles)
    console.log(`${rows}x${columns}${relaxed ? " relaxed" : ""}: ${measure(rows, columns, relaxed)}`);
}

/** The best of some runs, in GFLOP/s, packing included. */
function measure(rows: number, columns: number, relaxed: boolean): string {
  const m = Math.ceil(size / rows) * rows;
  const n = Math.ceil(size / columns) * columns;
  const k = size;
  const kernel = loadWasm(generateWasm(packedGemm({ m, n, k, rows, columns, depth: k / 2 }), { relaxed }));
  for (const array of kernel.buffers()) array.fill(1);
  const times = Array.from({ length: 12 }, () => {
    const start = performance.now();
    kernel.run();
    return performance.now() - start;
  });
  return `${((2 * m * n * k) / Math.min(...times) / 1e6).toFixed(1)} GFLOP/s`;
}
