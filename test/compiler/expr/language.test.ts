// The language: methods and functions, plain numbers, storage types, reducers, stages, parameters, and its types.

import { describe, expect, expectTypeOf, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import * as op from "../../../src/compiler/expr/authoring.ts";
import {
  arrayOf,
  type ComputeDef,
  evaluate,
  instantiate,
  isOp,
  printComputeDef,
  type TypedArray,
  valuesOf,
} from "../../../src/compiler/index.ts";

const { argmax, argmin, cast, compute, defineOp, max, min, prod, reduceAxis, select, sum, tensor, withConstants } = op;
type Expr<D extends op.DType = op.DType> = op.Expr<D>;

const instance = (build: () => op.Tensor): ComputeDef => instantiate(defineOp({}, build), {}, "op");
const stagesOf = (build: () => op.Tensor): readonly string[] =>
  printComputeDef(instance(build)).trim().split("\n").slice(1);
const run = (build: () => op.Tensor, inputs: Readonly<Record<string, TypedArray>>): TypedArray =>
  Object.values(evaluate(instance(build), inputs))[0]!;

/** y[i] = element(x[i]) on f32. */
const mapped = (values: readonly number[], element: (x: Expr) => Expr): readonly number[] => {
  const build = (): op.Tensor => {
    const x = tensor("x", [values.length], "f32");
    return compute("y", [values.length], (i) => element(x(i)));
  };
  return [...run(build, { x: Float32Array.from(values) })];
};

describe("methods and functions", () => {
  const unary = "neg abs exp log sqrt rsqrt tanh erf sigmoid floor ceil round".split(" ");
  test.each(unary)("%s(x) is x.%s()", (name) => {
    const asFunction = (op as unknown as Record<string, (x: Expr) => Expr>)[name]!;
    const asMethod = (x: Expr): Expr => (x as unknown as Record<string, () => Expr>)[name]!();
    const values = [0.5, 1.5, 2.25, 7];
    expect(mapped(values, asFunction)).toEqual(mapped(values, asMethod));
    expect(mapped(values, asFunction).every(Number.isFinite)).toBe(true);
  });

  const binary = "add sub mul div min max pow".split(" ");
  test.each(binary)("%s(x, 2) is x.%s(2), and takes a number on the left", (name) => {
    const asFunction = (op as unknown as Record<string, (a: op.Operand, b: op.Operand) => Expr>)[name]!;
    const asMethod = (x: Expr): Expr => (x as unknown as Record<string, (b: number) => Expr>)[name]!(2);
    const values = [0.5, 1.5, -2.25, 7];
    expect(mapped(values, (x) => asFunction(x, 2))).toEqual(mapped(values, asMethod));
    const math: Record<string, (a: number, b: number) => number> = {
      add: (a, b) => a + b,
      sub: (a, b) => a - b,
      mul: (a, b) => a * b,
      div: (a, b) => a / b,
      min: Math.min,
      max: Math.max,
      pow: Math.pow,
    };
    expect(mapped(values, (x) => asFunction(2, x))).toEqual(values.map((x) => Math.fround(math[name]!(2, x))));
  });

  test("comparisons and logic", () => {
    const y = mapped([-1, 0, 1, 2], (x) => select(op.or(op.and(op.gt(x, 0), op.ne(x, 2)), op.not(op.ge(x, 0))), x, 9));
    expect(y).toEqual([-1, 9, 1, 9]);
    expect(
      mapped([-1, 0, 1], (x) =>
        op
          .eq(x, 0)
          .or(op.lt(x, 0).and(op.le(x, -1)))
          .cast("f32"),
      ),
    ).toEqual([1, 1, 0]);
  });

  test("integer division and remainder round down", () => {
    const y = run(
      () =>
        compute("y", [6], (i) =>
          op
            .floorDiv(i.sub(3), 2)
            .mul(10)
            .add(op.mod(i.sub(3), 2)),
        ),
      {},
    );
    expect([...y]).toEqual([-19, -10, -9, 0, 1, 10]);
  });
});

describe("types", () => {
  test("a bool is stored as a byte", () => {
    const x = tensorOf("bool", [0, 1, 7]);
    expect(run(() => compute("y", [3], (i) => tensor("x", [3], "bool")(i).not()), { x })).toEqual(
      Uint8Array.of(1, 0, 0),
    );
  });

  test.each(["f16", "bf16"] as const)("%s is read as f32 and summed in f32", (dtype) => {
    const values = Array.from({ length: 3000 }, () => 1);
    const build = (): op.Tensor => {
      const x = tensor("x", [3000], dtype);
      const k = reduceAxis("k", 3000);
      return compute("y", [], () => sum(x(k), k));
    };
    expect(stagesOf(build)).toEqual(["y = sum(f32(x[k]), k)  f32  k 3000"]);
    expect(run(build, { x: tensorOf(dtype, values) })).toEqual(Float32Array.of(3000)); // f16 would stop at 2048
  });

  test("casts to and from storage types go through f32", () => {
    const build = (): op.Tensor => {
      const x = tensor("x", [3], "f64");
      return compute("y", [3], (i) => x(i).cast("f16").add(1).cast("bf16"));
    };
    expect(stagesOf(build)).toEqual(["y[i] = bf16(f32(f16(f32(x[i]))) + 1.0)  bf16  i 3"]);
    expect(valuesOf("bf16", run(build, { x: Float64Array.of(0.1, -3, 65520) }))).toEqual([1.1015625, -2, Infinity]);
  });

  test("a plain number takes the type of the other operand", () => {
    const build = (): op.Tensor => {
      const x = tensor("x", [2], "u8");
      return compute("y", [2], (i) => x(i).mul(255).add(1));
    };
    expect(stagesOf(build)).toEqual(["y[i] = x[i] * 255u8 + 1u8  u8  i 2"]);
    expect(run(build, { x: Uint8Array.of(3, 255) })).toEqual(Uint8Array.of(254, 2));
  });
});

const tensorOf = (dtype: op.DType, values: readonly number[]): TypedArray => arrayOf(dtype, values);

describe("reducers", () => {
  const X = Float32Array.of(3, -1, 4, 1, -5, 9);
  const over = (element: (x: Expr<"f32">, r: readonly [op.ReduceAxis, op.ReduceAxis]) => Expr): TypedArray =>
    run(
      () => {
        const x = tensor("x", [2, 3], "f32");
        const axes = [reduceAxis("r", 2), reduceAxis("c", 3)] as const;
        return compute("y", [], () => element(x(...axes), axes));
      },
      { x: X },
    );

  test("over several axes", () => {
    expect(over(sum)).toEqual(Float32Array.of(11));
    expect(over(prod)).toEqual(Float32Array.of(540));
    expect(over(max)).toEqual(Float32Array.of(9));
    expect(over(min)).toEqual(Float32Array.of(-5));
  });

  const along = (element: (x: Expr<"f32">, c: op.ReduceAxis) => Expr, x = X): TypedArray =>
    run(
      () => {
        const tensorX = tensor("x", [2, 3], "f32");
        const c = reduceAxis("c", 3);
        return compute("y", [2], (i) => element(tensorX(i, c), c));
      },
      { x },
    );

  test("argmax and argmin give the first index, and stay in range among NaNs", () => {
    expect(along(argmax)).toEqual(Int32Array.of(2, 2));
    expect(along(argmin)).toEqual(Int32Array.of(1, 1));
    expect(along(argmax, Float32Array.of(7, 7, 7, 0, 1, 1))).toEqual(Int32Array.of(0, 1));
    expect(along(argmax, new Float32Array(6).fill(Number.NaN))).toEqual(Int32Array.of(2, 2));
  });

  test("argmax of a computed value stores it first, so that both its readers see the same bits", () => {
    const stages = stagesOf(() => {
      const x = tensor("x", [2, 3], "f32");
      const c = reduceAxis("c", 3);
      return compute("y", [2], (i) => argmax(x(i, c).mul(x(i, c)).sub(1), c));
    });
    expect(stages).toEqual([
      "y.argmax.value[i, c] = x[i, c] * x[i, c] - 1.0  f32  i 2, c 3",
      "y.argmax.max[i] = max(y.argmax.value[i, c], c)  f32  i 2, c 3",
      "y[i] = min(select(y.argmax.value[i, c] == y.argmax.max[i], c, 2), c)  i32  i 2, c 3",
    ]);
  });

  test("max and min of two values, one of which is an axis as a method", () => {
    expect(stagesOf(() => compute("y", [4], (i) => max(i, 2)))).toEqual(["y[i] = max(i, 2)  i32  i 4"]);
    const sums = stagesOf(() => {
      const k = reduceAxis("k", 4);
      return compute("y", [4], (i) => sum(i.max(k), k));
    });
    expect(sums).toEqual(["y[i] = sum(max(i, k), k)  i32  i 4, k 4"]);
  });

  test("integers are summed in their own type and wrap", () => {
    const build = (): op.Tensor => {
      const x = tensor("x", [4], "i8");
      const k = reduceAxis("k", 4);
      return compute("y", [], () => sum(x(k), k));
    };
    expect(run(build, { x: Int8Array.of(100, 100, 100, 0) })).toEqual(Int8Array.of(44));
    expect(run(() => withMax("i8"), { x: Int8Array.of(-7, -3) })).toEqual(Int8Array.of(-3));
    expect(run(() => withMax("u8"), { x: Uint8Array.of(7, 3) })).toEqual(Uint8Array.of(7));
  });

  function withMax(dtype: op.DType): op.Tensor {
    const x = tensor("x", [2], dtype);
    const k = reduceAxis("k", 2);
    return compute("y", [], () => max(x(k), k));
  }
});

describe("stages", () => {
  const rows = (element: (x: op.Tensor<"f32">, k: op.ReduceAxis) => (i: Expr, j: Expr) => Expr): readonly string[] =>
    stagesOf(() => {
      const x = tensor("x", [4, 5], "f32");
      return compute("y", [4, 5], element(x, reduceAxis("k", 5)));
    });

  test("an epilogue makes the sum a stage of its own", () => {
    expect(rows((x, k) => (i, j) => sum(x(i, k), k).add(x(i, j)))).toEqual([
      "y.sum[i] = sum(x[i, k], k)  f32  i 4, k 5",
      "y[i, j] = y.sum[i] + x[i, j]  f32  i 4, j 5",
    ]);
  });

  test("two reductions with one name are numbered; one that is not used is dropped", () => {
    const stages = rows((x, k) => (i, j) => {
      sum(x(i, k).mul(3), k);
      return sum(x(i, k), k)
        .add(sum(x(i, k).mul(x(i, k)), k))
        .mul(x(i, j));
    });
    expect(stages).toEqual([
      "y.sum2[i] = sum(x[i, k], k)  f32  i 4, k 5",
      "y.sum3[i] = sum(x[i, k] * x[i, k], k)  f32  i 4, k 5",
      "y[i, j] = (y.sum2[i] + y.sum3[i]) * x[i, j]  f32  i 4, j 5",
    ]);
  });

  test("a reduction in a reduction", () => {
    const stages = stagesOf(() => {
      const x = tensor("x", [4, 5, 6], "f32");
      const [k, l] = [reduceAxis("k", 5), reduceAxis("l", 6)];
      return compute("y", [4], (i) => max(sum(x(i, k, l), l), k));
    });
    expect(stages).toEqual([
      "y.sum[i, k] = sum(x[i, k, l], l)  f32  i 4, k 5, l 6",
      "y[i] = max(y.sum[i, k], k)  f32  i 4, k 5",
    ]);
  });

  test("a sum that does not depend on an axis is computed once and copied along it", () => {
    expect(rows((x, k) => (i) => sum(x(i, k), k))).toEqual([
      "y.sum[i] = sum(x[i, k], k)  f32  i 4, k 5",
      "y[i, j] = y.sum[i]  f32  i 4, j 5".replace("i, j]", "i, i1]").replace("j 5", "i1 5"),
    ]);
  });

  test("axes have the names of the parameters, whatever way the function is written", () => {
    const named = (element: (...axes: Expr[]) => Expr): string =>
      stagesOf(() => compute("y", [2, 3], element))[0]!.slice(0, 8);
    expect(named((row, _) => row)).toMatch(/^y\[row, _/);
    function written(a: Expr, b: Expr): Expr {
      return a.add(b);
    }
    expect(named(written)).toBe("y[a, b] ");
    expect(named((a) => a)).toBe("y[a, i1]");
    expect(named((...axes) => axes[1]!)).toBe("y[i0, i1");
    expect(named((i1) => i1)).toBe("y[i0, i1");
  });
});

describe("operators", () => {
  test("parameters are sorted, overridden by name, and types are parameters too", () => {
    const typed = defineOp({ N: 3, dtype: "f32" }, ({ N, dtype }) => {
      const x = tensor("x", [N], dtype);
      return compute("y", [N], (i) => x(i).add(1));
    });
    const def = instantiate(typed, { dtype: "i8" }, "typed");
    expect(def.parameters).toEqual({ N: 3, dtype: "i8" });
    expect(Object.keys(instantiate(typed, { dtype: "u8", N: 5 }, "typed").parameters)).toEqual(["N", "dtype"]);
    expect(def.stages[0]!.dtype).toBe("i8");
    expect(def.inputs[0]).toMatchObject({ name: "x", shape: [3], dtype: "i8" });
  });

  test("one operator can be instantiated inside another's function", () => {
    const outer = defineOp({ N: 3 }, ({ N }) => {
      const x = tensor("x", [N], "f32");
      expect(instantiate(gemm, { M: 2, N: 2, K: 2 }, "inner").outputs).toEqual(["C"]);
      return compute("y", [N], (i) => x(i));
    });
    expect(instantiate(outer, {}, "outer").inputs.map(({ name }) => name)).toEqual(["x"]);
  });

  test("a definition is plain data: it survives JSON", () => {
    const def = instantiate(gemm, {}, "gemm");
    expect(JSON.parse(JSON.stringify(def))).toEqual(def);
  });

  test("places are the user's", () => {
    const { file, line } = instantiate(gemm, {}, "gemm").stages[0]!.loc!;
    expect(file).toMatch(/fixtures\/ops\/gemm\.op\.ts$/);
    expect(line).toBe(9);
  });

  test("an operator is no kernel until the plugin has seen its import", () => {
    expect(isOp(gemm)).toBe(true);
    expect(isOp(() => 0)).toBe(false);
    expect(() => gemm(new Float32Array(1))).toThrow(
      'an operator is not a kernel: import it as "./name.op.ts?tune=wasm", with unplugin-kernel in the build',
    );
  });
});

test("inputs that stay the same are part of what the operator is", () => {
  const layer = withConstants(gemm, "B");
  const textOf = (it: op.Op): string => printComputeDef(instantiate(it, { M: 2, N: 3, K: 4 }, "gemm"));
  expect(textOf(layer).split("\n")[0]).toBe("gemm(A: f32[2, 4], B: const f32[4, 3]) -> C");
  expect(instantiate(withConstants(gemm, "B", "A", "B"), {}, "gemm").constants).toEqual(["A", "B"]);
  expect(textOf(withConstants(gemm))).toBe(textOf(gemm));
  expect(() => layer(new Float32Array(1))).toThrow("an operator is not a kernel");
});

describe("TypeScript sees", () => {
  test("a kernel in the default export", () => {
    expectTypeOf(gemm).toBeCallableWith(new Float32Array(1), new Float32Array(1));
    expectTypeOf(gemm).returns.toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf(gemm.async).returns.resolves.toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf(gemm).toHaveProperty("info");
  });

  test("a kernel that packs its constants", () => {
    const layer = withConstants(gemm, "B");
    expectTypeOf(layer).returns.toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf(layer.pack).parameter(0).toEqualTypeOf<Readonly<Record<"B", TypedArray>>>();
    expectTypeOf(layer.pack).returns.returns.toEqualTypeOf<Float32Array<ArrayBuffer>>();
  });

  test("the arrays of several results", () => {
    const several = defineOp({ N: 3 }, ({ N }) => {
      const x = tensor("x", [N], "bf16");
      const y = compute("y", [N], (i) => x(i).exp());
      const z = compute("z", [N], (i) => cast(x(i).gt(0), "i8"));
      return { y, z };
    });
    expectTypeOf(several).returns.toEqualTypeOf<{
      readonly y: Float32Array<ArrayBuffer>;
      readonly z: Int8Array<ArrayBuffer>;
    }>();
  });
});
