// An expression that is used several times is a graph: texts, costs, checks and values of it grow with its number of
// operations, not with its length when written out. Equal reductions are one stage, small whole powers are products.

import { describe, expect, test } from "vitest";
import {
  argmax,
  cast,
  compute,
  defineOp,
  type Expr,
  exp,
  max,
  pow,
  reduceAxis,
  select,
  sum,
  tensor,
} from "../../../src/compiler/expr/authoring.ts";
import { interned } from "../../../src/compiler/expr/interned.ts";
import {
  type ComputeDef,
  compileJs,
  DiagnosticError,
  digestOf,
  evaluate,
  exprKey,
  factsOf,
  fromCompute,
  instantiate,
  interpret,
  type Op,
  printComputeDef,
  printFunc,
  referenceLoops,
} from "../../../src/compiler/index.ts";
import { blocksIn } from "../../../src/compiler/schedule/nest.ts";

const [N, M] = [8, 6];
const def = (op: Op): ComputeDef => instantiate(op, {}, "op");

/** Y[i] = element(X, i) */
const map = (element: (X: (index: Expr) => Expr, i: Expr) => Expr): ComputeDef =>
  def(
    defineOp({}, () => {
      const X = tensor("X", [N], "f32");
      return compute("Y", [N], (i) => element((index) => X(index), i));
    }),
  );

function repeated(value: Expr, steps: number, step: (value: Expr) => Expr): Expr {
  let result = value;
  for (let at = 0; at < steps; at++) result = step(result);
  return result;
}

const newton = (steps: number): ComputeDef => map((X, i) => repeated(X(i), steps, (y) => y.add(X(i).div(y)).mul(0.5)));

const inputs = { X: Float32Array.from({ length: N }, (_, at) => at + 1) };

function newtonByHand(steps: number): Float32Array {
  const { fround } = Math;
  return inputs.X.map((x) => {
    let y = x;
    for (let at = 0; at < steps; at++) y = fround(fround(y + fround(x / y)) * 0.5);
    return y;
  });
}

describe("a value that is used many times", () => {
  test("has one place in the text, under a name", () => {
    const element = printComputeDef(newton(6)).split("\n")[1]!;
    expect(element.match(/%\d+ = /g)).toHaveLength(5);
    expect(element).toContain("Y[i] = let %0 = (X[i] + X[i] / X[i]) * 0.5; %1 = (%0 + X[i] / %0) * 0.5; ");
    expect(element).toMatch(/ in \(%4 \+ X\[i\] \/ %4\) \* 0\.5 {2}f32 {2}i 8$/);
  });

  test("is written out where that is short", () => {
    expect(printComputeDef(newton(2))).toContain("Y[i] = ((X[i] + X[i] / X[i]) * 0.5 + X[i] / ((X[i] + X[i]");
  });

  test("makes texts, keys and nests that grow with the operations", () => {
    const length = (steps: number): number => printComputeDef(newton(steps)).length;
    const perStep = length(41) - length(40);
    expect(length(200) - length(100)).toBeLessThan(110 * perStep);
    expect(printFunc(fromCompute(newton(200))).length).toBeLessThan(2 * length(200));
    const [block] = blocksIn(fromCompute(newton(200)).body);
    expect(exprKey(block!.value)).toHaveLength(64);
  });

  test("is the same whether it was one object or was written twice", () => {
    const step = (y: Expr): Expr => y.add(y.neg()).mul(0.5);
    const twice = (steps: number, y: () => Expr): Expr =>
      steps === 0 ? y() : twice(steps - 1, () => y().add(y().neg()).mul(0.5));
    const written = map((X, i) => twice(9, () => X(i)));
    const shared = map((X, i) => repeated(X(i), 9, step));
    expect(digestOf(written)).toBe(digestOf(shared));
    expect(factsOf(written)).toMatchObject({ flops: factsOf(shared).flops });
    const body = shared.stages[0]!.body;
    expect(interned(body)).toBe(interned(body));
    expect(digestOf(map((X, i) => repeated(X(i), 10, step)))).not.toBe(digestOf(shared));
  });

  test("counts once", () => {
    expect(factsOf(newton(20)).flops).toBe(N * 20 * 3);
    expect(factsOf(map((X, i) => X(i).sub(1).mul(X(i).sub(1)))).flops).toBe(N * 2);
    // The dearer side of a choice, with what it alone uses.
    expect(factsOf(map((X, i) => select(X(i).gt(0), X(i).abs().mul(X(i).abs()), X(i)))).flops).toBe(N * 3);
  });

  test.each([20, 200, 600])("is computed once for each element: %d steps of Newton", (steps) => {
    const op = newton(steps);
    const wanted = newtonByHand(steps);
    expect(evaluate(op, inputs).Y).toEqual(wanted);
    expect(interpret(fromCompute(op), inputs).Y).toEqual(wanted);
    const out = new Float32Array(N);
    compileJs(referenceLoops(op))(inputs.X, out);
    expect(out).toEqual(wanted);
  });

  test("is computed only where the side of the choice that uses it is taken", () => {
    const op = map((X, i) =>
      select(
        i.ge(1),
        repeated(X(i.sub(1)), 40, (y) => y.add(y).mul(0.5)),
        -1,
      ),
    );
    const wanted = inputs.X.map((x) => (x === 1 ? -1 : x - 1));
    expect(evaluate(op, inputs).Y).toEqual(wanted);
    expect(interpret(fromCompute(op), inputs).Y).toEqual(wanted);
  });
});

describe("the bounds check", () => {
  const guarded = (steps: number, least: number): (() => ComputeDef) => {
    const step = (X: (index: Expr) => Expr, i: Expr, at: number, y: Expr): Expr =>
      select(i.ge(at % N), y.add(X(i.sub(at % N))), y.mul(y));
    return () =>
      map((X, i) => {
        let y = X(i);
        for (let at = 0; at < steps; at++) y = step(X, i, at, y);
        return select(i.ge(least), y.mul(X(i.sub(2))), y);
      });
  };

  test("follows guards through many levels", () => {
    expect(() => guarded(100, 2)()).not.toThrow();
  });

  test("finds the one read that no guard covers", () => {
    expect(guarded(100, 1)).toThrow(DiagnosticError);
    expect(guarded(100, 1)).toThrow("index 0 of X can be -1 to 5");
  });

  test("a value that is guarded in one place and not in another is refused", () => {
    const use = (guard: (value: Expr, i: Expr) => Expr) => () =>
      map((X, i) => {
        const before = repeated(X(i.sub(1)), 30, (y) => y.add(y).mul(0.5));
        return guard(before, i);
      });
    expect(use((before, i) => select(i.ge(1), before.mul(before), 0))).not.toThrow();
    expect(use((before, i) => select(i.ge(1), before, 0).add(before))).toThrow("index 0 of X can be -1 to 6");
  });

  test("indices that use a value again and again have ranges", () => {
    const index = (steps: number) => () =>
      map((X, i) => X(repeated(i, steps, (k) => k.mul(k).add(1).mod(N))).add(X(i)));
    expect(index(60)).not.toThrow();
    expect(() => map((X, i) => X(repeated(i, 40, (k) => k.add(k))))).toThrow("index 0 of X");
  });
});

describe("equal reductions", () => {
  const stagesOf = (element: (X: (i: Expr, k: Expr) => Expr, i: Expr, k: ReturnType<typeof reduceAxis>) => Expr) =>
    def(
      defineOp({}, () => {
        const X = tensor("X", [N, M], "f32");
        const k = reduceAxis("k", M);
        return compute("Y", [N, M], (i, j) => element((row, column) => X(row, column), i, k).add(X(i, j)));
      }),
    ).stages.map(({ name }) => name);

  test("are one stage", () => {
    expect(stagesOf((X, i, k) => max(X(i, k), k).add(max(X(i, k), k)))).toEqual(["Y.max", "Y"]);
    const softmaxOf = (X: (i: Expr, k: Expr) => Expr, i: Expr, k: ReturnType<typeof reduceAxis>): Expr =>
      max(X(i, k), k).div(sum(exp(X(i, k).sub(max(X(i, k), k))), k));
    expect(stagesOf(softmaxOf)).toEqual(["Y.max", "Y.sum", "Y"]);
  });

  test("of axes that differ in their names alone are two, of equal axes made twice one", () => {
    const twoAxes = (names: readonly string[]) =>
      stagesOf((X, i) => {
        const [a, b] = names.map((name) => reduceAxis(name, M));
        return sum(X(i, a!), a!).add(sum(X(i, b!), b!));
      });
    expect(twoAxes(["a", "a"])).toEqual(["Y.sum", "Y"]);
    expect(twoAxes(["a", "b"])).toEqual(["Y.sum", "Y.sum2", "Y"]);
  });

  test("the maximum inside of argmax is the one that is written beside it", () => {
    expect(stagesOf((X, i, k) => max(X(i, k), k).add(argmax(X(i, k), k).cast("f32")))).toEqual([
      "Y.max",
      "Y.argmax",
      "Y",
    ]);
  });
});

describe("powers", () => {
  const text = (element: (x: Expr) => Expr): string => printComputeDef(map((X, i) => element(X(i)))).split("\n")[1]!;

  test("with small whole exponents are products", () => {
    expect(text((x) => x.pow(2))).toBe("Y[i] = X[i] * X[i]  f32  i 8");
    expect(digestOf(map((X, i) => X(i).pow(2)))).toBe(digestOf(map((X, i) => X(i).mul(X(i)))));
    expect(text((x) => x.pow(1))).toBe("Y[i] = X[i]  f32  i 8");
    expect(text((x) => pow(x, cast(3, "f32")))).toBe("Y[i] = X[i] * (X[i] * X[i])  f32  i 8");
    expect(text((x) => x.pow(-1))).toBe("Y[i] = 1.0 / X[i]  f32  i 8");
    expect(text((x) => x.pow(-2))).toBe("Y[i] = 1.0 / X[i] * (1.0 / X[i])  f32  i 8");
    expect(factsOf(map((X, i) => X(i).pow(8))).flops).toBe(N * 3);
  });

  test("with all others stay", () => {
    for (const exponent of [0, 0.5, 1.5, 9, -9, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(text((x) => x.pow(exponent))).toContain("pow(X[i], ");
    }
    expect(text((x) => cast(2, "f32").pow(x))).toContain("pow(2.0, X[i])");
  });

  test("agree with the general ones, zeros and infinities with their signs", () => {
    const X = Float32Array.of(0, -0, 1, -1, Infinity, -Infinity, NaN, 2e19);
    for (const exponent of [-8, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8]) {
      const { Y } = evaluate(
        map((read, i) => read(i).pow(exponent)),
        { X },
      );
      for (const [at, x] of X.entries()) {
        const wanted = Math.fround(x ** exponent);
        const found = (Y as Float32Array)[at]!;
        const isNear = Math.abs(found - wanted) <= 8 * 2 ** -24 * Math.abs(wanted) + 2 ** -149;
        expect(wanted === 0 ? found : isNear || Object.is(found, wanted), `${x}^${exponent} = ${found}`).toBe(
          wanted === 0 ? wanted : true,
        );
      }
    }
  });
});
