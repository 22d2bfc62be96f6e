import { describe, expect, it } from "vitest";
import { generateWasm } from "../../../../src/compiler/codegen/wasm/generate-wasm.ts";
import { loadWasm } from "../../../../src/native/load/load-wasm.ts";
import { packedGemm } from "./packed-gemm.ts";

describe("generateWasm", () => {
  it("multiplies matrices through packed panels and a register tile", () => {
    const shape = { m: 12, n: 16, k: 10, rows: 6, columns: 8, depth: 5 };
    const kernel = loadWasm(generateWasm(packedGemm(shape), { relaxed: false }));
    const a = Float32Array.from({ length: 120 }, (_, index) => (index % 7) - 3);
    const b = Float32Array.from({ length: 160 }, (_, index) => (index % 5) - 2);
    const c = new Float32Array(192);
    kernel.call([a, b, c]);
    const wanted = Float32Array.from({ length: 192 }, (_, at) => {
      const [i, j] = [Math.floor(at / 16), at % 16];
      return Array.from({ length: 10 }, (_, k) => a[i * 10 + k]! * b[k * 16 + j]!).reduce((x, y) => x + y);
    });
    expect(c).toEqual(wanted);
  });
});
