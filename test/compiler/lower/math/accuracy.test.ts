// The expansions against Math in f64, over 262,144 operands each.

import { describe, expect, test } from "vitest";
import { applyBinary, applyUnary } from "../../../../src/compiler/expr/scalar-math.ts";
import { expandedUnary, maxUlp } from "../../../../src/compiler/lower/math/expansions.ts";
import { operands, specials } from "./operands.ts";
import { compileExpansion, type MathOp, ulpError } from "./ulp.ts";

const length = 2 ** 18;

/** Math's value; of sigmoid in the form that does not overflow. */
function exactly(op: Exclude<MathOp, "pow">, x: number): number {
  if (op === "sigmoid" && x < 0) return Math.exp(x) / (1 + Math.exp(x));
  return applyUnary(op, "f64", x);
}

/** The largest error and where it is. */
function worst(
  got: ArrayLike<number>,
  exact: (at: number) => number,
  dtype: "f32" | "f64",
): { readonly ulp: number; readonly at: number } {
  let [ulp, at] = [0, 0];
  for (let each = 0; each < got.length; each++) {
    const error = ulpError(got[each]!, exact(each), dtype);
    if (!(error <= ulp)) [ulp, at] = [error, each];
  }
  return { ulp, at };
}

describe.each(["f32", "f64"] as const)("%s", (dtype) => {
  // The reference's erf in f64 is good to 1e-14 (see expr/erf.ts); the f64 expansion is closer than that.
  test.each(expandedUnary.filter((op) => dtype === "f32" || op !== "erf"))("%s", (op) => {
    const x = operands(dtype, length, 7);
    const z = operands(dtype, length, 8);
    compileExpansion(op, dtype, length)(x, z);
    const { ulp, at } = worst(z, (each) => exactly(op, x[each]!), dtype);
    expect(ulp, `${op}(${x[at]}) = ${z[at]}`).toBeLessThanOrEqual(maxUlp[dtype]);
  });

  test.each([1, 3])("pow, exponents times %i", (factor) => {
    const x = operands(dtype, length, 9).map((each, at) => (at % 3 === 0 ? each : Math.abs(each)));
    const y = operands(dtype, length, 10)
      .reverse()
      .map((each) => each * factor);
    const z = operands(dtype, length, 11);
    compileExpansion("pow", dtype, length)(x, y, z);
    const { ulp, at } = worst(z, (each) => applyBinary("pow", "f64", x[each]!, y[each]!), dtype);
    expect(ulp, `pow(${x[at]}, ${y[at]}) = ${z[at]}`).toBeLessThanOrEqual(maxUlp[dtype]);
  });
});

// Expected values are glibc's.
test("erf in f64", () => {
  const x = Float64Array.of(0.1, 0.5, 1, 1.5, 2, 3, 5.25, -0.5, -0);
  const z = new Float64Array(x.length);
  compileExpansion("erf", "f64", x.length)(x, z);
  const wanted = [
    0.1124629160182849, 0.5204998778130465, 0.8427007929497149, 0.9661051464753108, 0.9953222650189527,
    0.9999779095030014, 0.9999999999998869, -0.5204998778130465, -0,
  ];
  for (const [at, exact] of wanted.entries()) expect(ulpError(z[at]!, exact, "f64")).toBeLessThanOrEqual(maxUlp.f64);
});

describe("special values", () => {
  const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];
  const of = (op: MathOp, ...args: readonly number[]): number => {
    const z = new Float32Array(1);
    compileExpansion(op, "f32", 1)(...args.map((each) => Float32Array.of(each)), z);
    return z[0]!;
  };

  test.each<[MathOp, number, number]>([
    ["exp", -inf, 0],
    ["exp", inf, inf],
    ["exp", 0, 1],
    ["exp", -0, 1],
    ["log", 0, -inf],
    ["log", -0, -inf],
    ["log", -1, nan],
    ["log", -inf, nan],
    ["log", inf, inf],
    ["log", 1, 0],
    ["rsqrt", 0, inf],
    ["rsqrt", inf, 0],
    ["rsqrt", -1, nan],
    ["tanh", -0, -0],
    ["tanh", -inf, -1],
    ["tanh", inf, 1],
    ["erf", -0, -0],
    ["erf", inf, 1],
    ["erf", -inf, -1],
    ["sigmoid", -inf, 0],
    ["sigmoid", inf, 1],
    ["sigmoid", 0, 0.5],
  ])("%s(%d) = %d", (op, x, value) => {
    expect(of(op, x)).toBe(value);
  });

  test.each(expandedUnary)("%s(NaN) is NaN", (op) => {
    expect(of(op, nan)).toBeNaN();
  });

  test.each(["f32", "f64"] as const)("pow of all pairs, zeros with their signs, %s", (dtype) => {
    const pairs = specials.flatMap((x) => specials.map((y) => [x, y] as const));
    const array = (values: readonly number[]): Float32Array | Float64Array =>
      dtype === "f32" ? Float32Array.from(values) : Float64Array.from(values);
    const [x, y, z] = [
      array(pairs.map(([each]) => each)),
      array(pairs.map(([, each]) => each)),
      array(pairs.map(() => 0)),
    ];
    compileExpansion("pow", dtype, pairs.length)(x, y, z);
    for (const at of pairs.keys()) {
      const exact = applyBinary("pow", dtype, x[at]!, y[at]!);
      const where = `pow(${x[at]}, ${y[at]}) = ${z[at]}`;
      if (exact === 0 || !Number.isFinite(exact)) expect(z[at], where).toBe(exact);
      else expect(ulpError(z[at]!, exact, dtype), where).toBeLessThanOrEqual(maxUlp[dtype]);
    }
  });
});
