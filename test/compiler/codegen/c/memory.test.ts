// Reading and writing memory as compiled C: partial vectors beside sentinels, strides, gathers, every kind of buffer.

import { expect } from "vitest";
import { generateC } from "../../../../src/compiler/codegen/c/generate-c.ts";
import type { DType } from "../../../../src/compiler/expr/dtype.ts";
import { arrayOf, newArray } from "../../../../src/compiler/expr/typed-array.ts";
import {
  add,
  assign,
  binary,
  bitcast,
  broadcast,
  cast,
  constInt,
  constOf,
  define,
  floorDiv,
  forLoop,
  ifThen,
  lanesFrom,
  loadOf,
  localOf,
  lt,
  mod,
  mul,
  ramp,
  select,
  store,
  sub,
  unary,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";
import { buildNative } from "../../../../src/native/addon/build.ts";
import { eachCompiler, inTempDir, nativeTargets } from "../../../native/compiled.ts";
import { inTurn } from "../../../support/long.ts";
import { body, buffer } from "./flat-functions.ts";
import { partialMoves } from "./partial-moves.ts";

const turn = inTurn(4);

const types: readonly DType[] = ["f64", "f32", "i32", "i16", "u8", "bool"];
const func = (name: string, buffers: readonly Buffer[], ...stmts: readonly Stmt[]): LoopFunc => ({
  name,
  buffers,
  body: body(...stmts),
});

const numbersFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at);
const i = variable("i");

for (const { title, target } of nativeTargets) {
  eachCompiler({ title, target }, ({ compileFunctions }) => {
    turn.for([5, 16])("partial vectors of %i lanes leave the other lanes alone", async (lanes) => {
      // y[0..n] = x[0..n] and z = x's leading lanes, zeros after them, for n = -1 … lanes + 1: dynamic (n) and constant.
      const cases = types.flatMap((dtype) =>
        [true, false].flatMap((dynamic) =>
          (dynamic ? [0] : numbersFrom(-1, lanes + 3)).map((n) => ({ dtype, dynamic, n })),
        ),
      );
      const functions = cases.map(({ dtype, dynamic, n }, at) => {
        const [x, count] = [buffer("x", dtype, lanes, "input"), buffer("n", "i32", 1, "input")];
        const [y, z] = [buffer("y", dtype, lanes, "output"), buffer("z", dtype, lanes, "output")];
        const active: Expr = dynamic ? loadOf(count, [constInt(0)]) : constInt(n);
        const all = ramp(constInt(0), 1, lanes);
        const copy = store(y, [all], loadOf(x, [all]), active);
        return func(`partial_${at}`, [x, count, y, z], copy, store(z, [all], loadOf(x, [all], active)));
      });
      const run = await compileFunctions(functions, target);
      for (const [at, { dtype, dynamic, n }] of cases.entries()) {
        for (const active of dynamic ? numbersFrom(-1, lanes + 3) : [n]) {
          const x = arrayOf(dtype, dtype === "bool" ? Array(lanes).fill(1) : numbersFrom(1, lanes));
          const [y, z] = [newArray(dtype, lanes).fill(99), newArray(dtype, lanes).fill(99)];
          run(at, x, Int32Array.of(active), y, z);
          expect([dtype, active, ...y]).toEqual([
            dtype,
            active,
            ...Array.from(x, (v, lane) => (lane < active ? v : 99)),
          ]);
          expect([dtype, active, ...z]).toEqual([
            dtype,
            active,
            ...Array.from(x, (v, lane) => (lane < active ? v : 0)),
          ]);
        }
      }
    });

    turn("a lane that is not active is a zero of its type", async () => {
      const [x, y] = [buffer("x", "f64", 1, "input"), buffer("y", "f64", 2, "output")];
      const none = loadOf(x, [constInt(0)], constInt(-1));
      const stmts = [
        store(y, [constInt(0)], binary("div", none, none)),
        store(y, [constInt(1)], binary("div", constOf("f64", 1), unary("neg", none))),
      ];
      const run = await compileFunctions([func("zeros", [x, y], ...stmts)], target);
      const out = new Float64Array(2);
      run(0, Float64Array.of(7), out);
      expect([...out]).toEqual([Number.NaN, Number.NEGATIVE_INFINITY]);
    });

    turn("strides, gathers and scatters", async () => {
      const lanes = 12;
      const x = buffer("x", "f32", 64, "input");
      const y = buffer("y", "f32", 64, "output");
      const all = ramp(constInt(0), 1, lanes);
      const squares = lanesFrom(numbersFrom(0, lanes).map((lane) => constInt((lane * lane) % 64)));
      const index = binary("add", ramp(constInt(3), 2, lanes), broadcast(constInt(1), lanes));
      const run = await compileFunctions(
        [
          func("strided_load", [x, y], store(y, [all], loadOf(x, [ramp(constInt(1), 5, lanes)]))),
          func("backwards", [x, y], store(y, [all], loadOf(x, [ramp(constInt(20), -1, lanes)]))),
          func("gather", [x, y], store(y, [all], loadOf(x, [squares]))),
          func("gather_sum", [x, y], store(y, [all], loadOf(x, [index]))),
          func("strided_store", [x, y], store(y, [ramp(constInt(2), 3, lanes)], loadOf(x, [all]), constInt(7))),
          func("scatter", [x, y], store(y, [index], loadOf(x, [all]))),
          func("strided_partial_load", [x, y], store(y, [all], loadOf(x, [ramp(constInt(40), 4, lanes)], constInt(6)))),
        ],
        target,
      );
      const source = Float32Array.from(numbersFrom(100, 64));
      const result = (at: number): readonly number[] => {
        const out = new Float32Array(64).fill(-1);
        run(at, source, out);
        return [...out];
      };
      const leading = (value: (lane: number) => number): readonly number[] => [
        ...numbersFrom(0, lanes).map(value),
        ...Array(64 - lanes).fill(-1),
      ];
      const spread = (at: (lane: number) => number, count: number): readonly number[] => {
        const out = Array(64).fill(-1);
        for (let lane = 0; lane < count; lane++) out[at(lane)] = 100 + lane;
        return out;
      };
      expect(result(0)).toEqual(leading((lane) => 101 + 5 * lane));
      expect(result(1)).toEqual(leading((lane) => 120 - lane));
      expect(result(2)).toEqual(leading((lane) => 100 + ((lane * lane) % 64)));
      expect(result(3)).toEqual(leading((lane) => 104 + 2 * lane));
      expect(result(4)).toEqual(spread((lane) => 2 + 3 * lane, 7));
      expect(result(5)).toEqual(spread((lane) => 4 + 2 * lane, lanes));
      expect(result(6)).toEqual(leading((lane) => (lane < 6 ? 140 + 4 * lane : 0)));
    });

    turn("a store of many pieces computes all of its value first", async () => {
      const y = buffer("y", "f32", 40, "output");
      const shift = store(y, [ramp(constInt(1), 1, 39)], loadOf(y, [ramp(constInt(0), 1, 39)]));
      const run = await compileFunctions([func("shift", [y], shift)], target);
      const out = Float32Array.from(numbersFrom(0, 40));
      run(0, out);
      expect([...out]).toEqual([0, ...numbersFrom(0, 39)]);
    });

    turn("workspace, stack and register buffers, and locals of the same name in two scopes", async () => {
      const x = buffer("x", "f32", 48, "input");
      const y = buffer("y", "f32", 48, "output");
      const [small, large, odd] = [
        buffer("x.pack", "f32", 16, "register"),
        buffer("x_pack", "f64", 5000, "register"),
        buffer("int", "u8", 3, "workspace"),
      ];
      const all = (base: Expr): Expr => ramp(base, 1, 16);
      const at = mul(i, constInt(16));
      const copy = forLoop(
        "i",
        3,
        body(
          store(small, [all(constInt(0))], loadOf(x, [all(at)])),
          body(
            define("v", loadOf(small, [all(constInt(0))])),
            store(large, [all(at)], cast("f64", localOf("v", "f32", 16))),
          ),
          body(define("v", constOf("u8", 7)), store(odd, [i], localOf("v", "u8"))),
        ),
      );
      const sum = add(cast("f32", loadOf(large, [all(at)])), cast("f32", broadcast(loadOf(odd, [i]), 16)));
      const back = forLoop("i", 3, store(y, [all(at)], sum));
      const run = await compileFunctions([func("buffers", [x, y, small, large, odd], copy, back)], target);
      const out = new Float32Array(48);
      run(0, Float32Array.from(numbersFrom(0, 48)), out);
      expect([...out]).toEqual(numbersFrom(7, 48));
    });

    turn("conditions: if, else, a select that guards its load, masks of several widths", async () => {
      const x = buffer("x", "f64", 8, "input");
      const flags = buffer("flags", "bool", 8, "input");
      const y = buffer("y", "f64", 8, "output");
      const all = ramp(constInt(0), 1, 8);
      const guarded = select(lt(i, constInt(4)), loadOf(x, [mul(i, constInt(2))]), constOf("f64", -1));
      const branch = ifThen(
        lt(i, constInt(2)),
        store(y, [i], guarded),
        store(y, [i], add(guarded, constOf("f64", 10))),
      );
      const small = lt(loadOf(x, [all]), broadcast(constOf("f64", 4), 8));
      const even = binary("eq", mod(all, broadcast(constInt(2), 8)), broadcast(constInt(0), 8));
      const mask = binary("and", binary("or", small, even), loadOf(flags, [all]));
      const kept = define("mask", mask);
      const chosen = select(localOf("mask", "bool", 8), loadOf(x, [all]), broadcast(constOf("f64", 0), 8));
      const run = await compileFunctions(
        [func("branch", [x, y], forLoop("i", 8, branch)), func("masks", [x, flags, y], kept, store(y, [all], chosen))],
        target,
      );
      const [source, out] = [Float64Array.from(numbersFrom(0, 8)), new Float64Array(8)];
      run(0, source, out);
      expect([...out]).toEqual([0, 2, 14, 16, 9, 9, 9, 9]);
      run(1, source, Uint8Array.of(1, 1, 0, 255, 1, 1, 1, 0), out);
      expect([...out]).toEqual([0, 1, 0, 3, 4, 0, 6, 0]);
    });

    turn("index arithmetic rounds down, also below zero", async () => {
      const y = buffer("y", "i32", 24, "output");
      const shifted = sub(i, constInt(12));
      const stores = [3, 4, 5].flatMap((divisor) => {
        const value = add(mul(floorDiv(shifted, constInt(divisor)), constInt(100)), mod(shifted, constInt(divisor)));
        const position = add(
          mod(shifted, constInt(divisor)),
          mul(add(floorDiv(shifted, constInt(divisor)), constInt(4)), constInt(divisor)),
        );
        return [{ divisor, value, position }];
      });
      const functions = stores.map(({ divisor, value, position }) =>
        func(`divide_${divisor}`, [{ ...y, shape: [100] }], forLoop("i", 24, store(y, [position], value))),
      );
      const run = await compileFunctions(functions, target);
      for (const [at, { divisor }] of stores.entries()) {
        const out = new Int32Array(100).fill(-7777);
        run(at, out);
        const expected = new Int32Array(100).fill(-7777);
        for (const v of numbersFrom(-12, 24)) {
          const [quotient, rest] = [Math.floor(v / divisor), v - divisor * Math.floor(v / divisor)];
          expected[rest + (quotient + 4) * divisor] = quotient * 100 + rest;
        }
        expect([...out]).toEqual([...expected]);
      }
    });

    turn("bit operations and bit patterns, i64 included", async () => {
      const x = buffer("x", "f32", 16, "input");
      const y = buffer("y", "f32", 16, "output");
      const [u, v] = [buffer("u", "f64", 4, "input"), buffer("v", "f64", 4, "output")];
      const pow2 = (base: Expr, type: "i32" | "i64", lanes: number, bias: number, bits: number): Expr => {
        const all = (value: number): Expr =>
          lanes === 1 ? constOf(type, value) : broadcast(constOf(type, value), lanes);
        return binary("shl", binary("add", cast(type, base), all(bias)), all(bits));
      };
      const all = ramp(constInt(0), 1, 16);
      const xs = loadOf(x, [all]);
      const sign = binary("bitXor", bitcast("i32", xs), broadcast(constInt(-2147483648), 16));
      const high = binary("shr", bitcast("i32", xs), broadcast(constInt(23), 16));
      const run = await compileFunctions(
        [
          func("exp2", [x, y], store(y, [all], bitcast("f32", pow2(xs, "i32", 16, 127, 23)))),
          func(
            "exp2_scalar",
            [x, y],
            forLoop("i", 16, store(y, [i], bitcast("f32", pow2(loadOf(x, [i]), "i32", 1, 127, 23)))),
          ),
          func("flip", [x, y], store(y, [all], bitcast("f32", sign))),
          func("exponent", [x, y], store(y, [all], cast("f32", high))),
          func(
            "exp2_f64",
            [u, v],
            store(
              v,
              [ramp(constInt(0), 1, 4)],
              bitcast("f64", pow2(loadOf(u, [ramp(constInt(0), 1, 4)]), "i64", 4, 1023, 52)),
            ),
          ),
        ],
        target,
      );
      const source = Float32Array.from(numbersFrom(-8, 16));
      const result = (at: number): readonly number[] => {
        const out = new Float32Array(16);
        run(at, source, out);
        return [...out];
      };
      expect(result(0)).toEqual([...source].map((e) => 2 ** e));
      expect(result(1)).toEqual([...source].map((e) => 2 ** e));
      expect(result(2)).toEqual([...source].map((e) => -e));
      expect(result(3)).toEqual([...new Int32Array(source.buffer)].map((bits) => bits >> 23));
      const out = new Float64Array(4);
      run(4, Float64Array.of(-1022, 0, 10, 1023), out);
      expect([...out]).toEqual([2 ** -1022, 1, 1024, 2 ** 1023]);
    });

    turn("accumulators: a loop that adds to a local of several pieces", async () => {
      const x = buffer("x", "f32", 5 * 24, "input");
      const y = buffer("y", "f32", 24, "output");
      const sum = localOf("sum.0", "f32", 24);
      const run = await compileFunctions(
        [
          func(
            "columns",
            [x, y],
            define("sum.0", broadcast(constOf("f32", 0), 24)),
            define("sum_0", constOf("f32", 1)),
            forLoop("i", 5, assign("sum.0", add(sum, loadOf(x, [ramp(mul(i, constInt(24)), 1, 24)])))),
            store(y, [ramp(constInt(0), 1, 24)], add(sum, broadcast(localOf("sum_0", "f32"), 24))),
          ),
        ],
        target,
      );
      const out = new Float32Array(24);
      run(0, Float32Array.from(numbersFrom(0, 120)), out);
      expect([...out]).toEqual(numbersFrom(0, 24).map((at) => 5 * at + 24 * 10 + 1));
    });
  });
}

// They run in `npm run test:avx512-emulated`.
eachCompiler("for AVX-512", ({ toolchain }) => {
  turn("partial vectors of every type are C", async () => {
    const sources = partialMoves().map(({ func }) => generateC(func, targets.avx512, { numerics: "strict" }));
    await inTempDir(async (outDir) => {
      expect(await buildNative(sources, { outDir, toolchain })).toMatchObject({ kind: "native" });
    });
  });
});
