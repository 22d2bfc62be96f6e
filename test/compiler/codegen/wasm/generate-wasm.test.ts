import v8 from "node:v8";
import { beforeAll, describe, expect, it } from "vitest";
import { generateWasm, generateWat } from "../../../../src/compiler/codegen/wasm/generate-wasm.ts";
import { fromBf16Bits, fromF16Bits, toBf16Bits, toF16Bits } from "../../../../src/compiler/index.ts";
import type { Expr, IrType, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { loadWasm } from "../../../../src/native/load/load-wasm.ts";
import * as ir from "./build.ts";
import { packedGemm } from "./packed-gemm.ts";

const shape = { m: 12, n: 16, k: 10, rows: 6, columns: 8, depth: 5 };

/** A·B and, for each element, the sum of the sizes of its products. */
function product(a: Float32Array, b: Float32Array, { m, n, k }: typeof shape) {
  const sums = (size: (x: number) => number) =>
    Array.from({ length: m * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      return Array.from({ length: k }, (_, l) => size(a[i * k + l]! * b[l * n + j]!)).reduce((x, y) => x + y);
    });
  return { values: sums((x) => x), sizes: sums(Math.abs) };
}

describe("generateWasm", () => {
  it("multiplies matrices through packed panels and a register tile", () => {
    const kernel = loadWasm(generateWasm(packedGemm(shape), { relaxed: false }));
    const a = Float32Array.from({ length: 120 }, (_, index) => (index % 7) - 3);
    const b = Float32Array.from({ length: 160 }, (_, index) => (index % 5) - 2);
    const c = new Float32Array(192);
    kernel.call([a, b, c]);
    expect([...c]).toEqual(product(a, b, shape).values);
  });

  it("fences the loop of a register tile that could spill, and no other", () => {
    const tile = (rows: number) => generateWat(packedGemm({ ...shape, rows }), { relaxed: false });
    // 12 sums and 8 loads do not fit 15 registers at once, 8 sums and 6 loads do.
    expect(tile(6).match(/global.get \$zero\s+br_if 0\s+loop\s+loop\s+end/g)).toHaveLength(1);
    expect(tile(4)).not.toContain("global.get");
  });

  it("gives the same bytes each time", () => {
    const bytes = () => generateWasm(packedGemm(shape), { relaxed: true }).bytes;
    expect(bytes()).toEqual(bytes());
  });

  it("places parameters in calling order at multiples of 64, before the workspace", () => {
    const { offsets, parameters } = generateWasm(packedGemm(shape), { relaxed: false });
    expect(parameters.map(({ name, role }) => `${role} ${name}`)).toEqual(["input A", "input B", "output C"]);
    expect(offsets).toEqual([0, 512, 1152]);
  });

  it("keeps one pointer for each stride and folds constants into the loads", () => {
    const at = (k: number) => ir.add(ir.add(ir.mul(ir.v("i"), ir.num(64)), ir.mul(ir.v("k"), ir.num(4))), ir.num(k));
    const sum = ir.add(ir.load("A", "f32", at(0)), ir.load("A", "f32", at(3)));
    const func = ir.func(
      "pointers",
      [ir.buffer("A", "f32", 1024, "input"), ir.buffer("C", "f32", 1024, "output")],
      ir.loop("i", 16, ir.loop("k", 15, ir.store("C", at(1), sum))),
    );
    expect(generateWat(func, { relaxed: false })).toBe(`(module
  (memory (export "memory") 1)
  (global $zero (mut i32) (i32.const 0))
  (func $run (export "run")
    (local i32 i32 i32)
    i32.const 0
    local.set 1
    loop
      local.get 1
      local.set 0
      local.get 0
      i32.const 240
      i32.add
      local.set 2
      loop
        local.get 0
        local.get 0
        f32.load align=4
        local.get 0
        f32.load offset=12 align=4
        f32.add
        f32.store offset=4100 align=4
        local.get 0
        i32.const 16
        i32.add
        local.tee 0
        local.get 2
        i32.ne
        br_if 0
      end
      local.get 1
      i32.const 256
      i32.add
      local.tee 1
      i32.const 4096
      i32.ne
      br_if 0
    end
  )
)
`);
  });

  it("widens in the load where one does both", () => {
    const at = ir.ramp(ir.num(0), 4);
    const body = ir.store("C", at, ir.cast(ir.load("A", "bf16", at), "f32"));
    const func = ir.func("widen", [ir.buffer("A", "bf16", 4, "input"), ir.buffer("C", "f32", 4, "output")], body);
    const wat = generateWat(func, { relaxed: false });
    expect(wat).toMatch(/v128.load16x4_u align=2\s+i32.const 16\s+i32x4.shl\s+v128.store/);
  });

  it("reads no byte behind the end of the memory for inactive lanes", () => {
    // A page of input alone: one element more and the engine would trap.
    const buffers = [ir.buffer("C", "f32", 8, "output"), ir.buffer("W", "f32", 65536 / 4 - 16, "workspace")];
    const last = ir.ramp(ir.num(65536 / 4 - 16 - 3), 8);
    const fill = ir.store("W", last, ir.splat(ir.num(2, "f32"), 8), ir.num(3));
    const copy = ir.store("C", ir.ramp(ir.num(0), 8), ir.load("W", "f32", last, ir.num(3)));
    const dynamic = ir.store(
      "C",
      ir.ramp(ir.num(0), 8),
      ir.add(
        ir.load("C", "f32", ir.ramp(ir.num(0), 8)),
        ir.load("W", "f32", last, ir.bin("sub", ir.num(2), ir.v("i"))),
      ),
    );
    const func = ir.func("tail", buffers, fill, copy, ir.loop("i", 2, dynamic));
    const kernel = loadWasm(generateWasm(func, { relaxed: false }));
    kernel.run();
    expect([...kernel.buffers()[0]!]).toEqual([6, 4, 2, 0, 0, 0, 0, 0]);
  });

  it("computes what is not linear in the variable of a loop that runs once", () => {
    const at = ir.add(ir.bin("floorDiv", ir.bin("sub", ir.v("i"), ir.num(6)), ir.num(4)), ir.num(3));
    const body = ir.loop("i", 1, ir.store("C", at, ir.num(7, "i32")));
    const kernel = loadWasm(
      generateWasm(ir.func("once", [ir.buffer("C", "i32", 3, "output")], body), { relaxed: false }),
    );
    kernel.run();
    expect([...kernel.buffers()[0]!]).toEqual([0, 7, 0]);
  });

  it("reads all parts of a vector before it writes any", () => {
    const shift = ir.store("C", ir.ramp(ir.num(1), 8), ir.load("C", "i32", ir.ramp(ir.num(0), 8)));
    const kernel = loadWasm(
      generateWasm(ir.func("shift", [ir.buffer("C", "i32", 9, "output")], shift), { relaxed: false }),
    );
    kernel.buffers()[0]!.set([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    kernel.run();
    expect([...kernel.buffers()[0]!]).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe("halves", () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, index) => index);

  /** out[i] = cast(in[i]), four lanes at a time or one. */
  function convert(from: "f16" | "bf16" | "f32", to: "f16" | "bf16" | "f32", lanes: number, length: number) {
    const base = ir.mul(ir.v("i"), ir.num(lanes));
    const at = lanes === 1 ? base : ir.ramp(base, lanes);
    const body = ir.loop("i", length / lanes, ir.store("C", at, ir.cast(ir.load("A", from, at), to)));
    const func = ir.func(
      "convert",
      [ir.buffer("A", from, length, "input"), ir.buffer("C", to, length, "output")],
      body,
    );
    return loadWasm(generateWasm(func, { relaxed: false }));
  }

  for (const dtype of ["f16", "bf16"] as const) {
    const widen = dtype === "f16" ? fromF16Bits : fromBf16Bits;
    const narrow = dtype === "f16" ? toF16Bits : toBf16Bits;

    it.each([1, 8])(`widens every ${dtype}, %i lanes`, (lanes) => {
      const kernel = convert(dtype, "f32", lanes, 65536);
      const wide = new Float32Array(65536);
      kernel.call([bits, wide]);
      expect(wide).toEqual(Float32Array.from(bits, widen));
    });

    it.each([1, 8])(`rounds to the nearest ${dtype}, %i lanes`, (lanes) => {
      const values = [...bits].flatMap((pattern) => {
        const value = widen(pattern);
        const next = widen((pattern + 1) & 0xffff);
        return Number.isFinite(value) && Number.isFinite(next)
          ? [value, (value + next) / 2, value + (next - value) * 0.51]
          : [value];
      });
      const length = Math.floor(values.length / 8) * 8;
      const source = Float32Array.from(values.slice(0, length));
      const rounded = new Uint16Array(length);
      convert("f32", dtype, lanes, length).call([source, rounded]);
      const isNaNPattern = (pattern: number) => Number.isNaN(widen(pattern));
      const wanted = Uint16Array.from(source, narrow);
      const wrong = wanted.findIndex(
        (want, at) => rounded[at] !== want && !(isNaNPattern(want) && isNaNPattern(rounded[at]!)),
      );
      expect(wrong).toBe(-1);
    });
  }
});

describe("i64", () => {
  const lanes = 4;
  const at = ir.ramp(ir.num(0), lanes);
  const f64 = (expr: Expr): Expr => ({ kind: "bitcast", dtype: "f64", operand: expr });
  const bitsOf = (expr: Expr): Expr => ({ kind: "bitcast", dtype: "i64", operand: expr });
  const splat = (value: number, dtype: IrType) => ir.splat(ir.num(value, dtype), lanes);

  function run(value: Expr, a: readonly number[]): number[] {
    const body: Stmt = ir.store("C", at, value);
    const func: LoopFunc = ir.func(
      "wide",
      [ir.buffer("A", "f64", 4, "input"), ir.buffer("C", "f64", 4, "output")],
      body,
    );
    const out = new Float64Array(4);
    loadWasm(generateWasm(func, { relaxed: false })).call([Float64Array.from(a), out]);
    return [...out];
  }

  const load = ir.load("A", "f64", at);

  it("builds 2^n from its bits", () => {
    const exponent = ir.bin("shl", ir.add(ir.cast(load, "i64"), splat(1023, "i64")), splat(52, "i64"));
    expect(run(f64(exponent), [0, 3, -4, 10])).toEqual([1, 8, 0.0625, 1024]);
  });

  it("takes the exponent out of the bits", () => {
    const exponent = ir.bin("sub", ir.bin("shr", bitsOf(load), splat(52, "i64")), splat(1023, "i64"));
    expect(run(ir.cast(exponent, "f64"), [1, 8, 0.75, 1e6])).toEqual([0, 3, -1, 19]);
    expect(run(ir.cast(ir.cast(exponent, "i32"), "f64"), [1, 8, 0.75, 1e6])).toEqual([0, 3, -1, 19]);
  });

  it("masks, multiplies, compares and picks", () => {
    const whole = ir.cast(load, "i64");
    const odd = ir.bin("eq", ir.bin("bitAnd", whole, splat(1, "i64")), splat(1, "i64"));
    const chosen: Expr = {
      kind: "select",
      dtype: "i64",
      condition: odd,
      then: ir.mul(whole, splat(-3, "i64")),
      else: ir.bin("max", whole, splat(5, "i64")),
    };
    expect(run(ir.cast(chosen, "f64"), [1, 2, -7, 8])).toEqual([-3, 5, 21, 8]);
  });
});

describe("relaxed", () => {
  beforeAll(() => v8.setFlagsFromString("--experimental-wasm-relaxed-simd"));

  it("stays within the bound of a fused sum", () => {
    const kernel = loadWasm(generateWasm(packedGemm(shape), { relaxed: true }));
    const a = Float32Array.from({ length: 120 }, (_, index) => Math.fround(Math.sin(index)));
    const b = Float32Array.from({ length: 160 }, (_, index) => Math.fround(Math.cos(index * 3)));
    const c = new Float32Array(192);
    kernel.call([a, b, c]);
    const { values, sizes } = product(a, b, shape);
    // k products and sums, each off by at most half a unit of 2^-23.
    const worst = Math.max(...values.map((value, at) => Math.abs(value - c[at]!) / sizes[at]!));
    expect(worst).toBeLessThan(shape.k * 2 ** -23);
  });

  it("fuses c − a·b as well", () => {
    const at = ir.ramp(ir.num(0), 4);
    const load = (name: string) => ir.load(name, "f32", at);
    const body = ir.store("C", at, ir.bin("sub", load("C"), ir.mul(load("A"), load("A"))));
    const func = ir.func("fused", [ir.buffer("A", "f32", 4, "input"), ir.buffer("C", "f32", 4, "output")], body);
    expect(generateWat(func, { relaxed: true })).toContain("f32x4.relaxed_nmadd");
    const kernel = loadWasm(generateWasm(func, { relaxed: true }));
    kernel.buffers()[0]!.set([1, 2, 3, 4]);
    kernel.buffers()[1]!.set([10, 10, 10, 10]);
    kernel.run();
    expect([...kernel.buffers()[1]!]).toEqual([9, 6, 1, -6]);
  });
});
