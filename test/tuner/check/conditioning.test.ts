// Difference between cancellation and a wrong kernel: errors that the values themselves explain.

import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/compiler/expr/evaluate.ts";
import {
  authoring,
  type ComputeDef,
  decode,
  kernelParameters,
  opLibrary,
  targets,
} from "../../../src/compiler/index.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";
import { type ExpectedOutput, expectOutput, mismatch, tellsNothing } from "../../../src/native/runner/compare.ts";
import type { RunTask } from "../../../src/native/runner/protocol.ts";
import { conditionedTask } from "../../../src/tuner/check/conditioning.ts";
import { runningErrors } from "../../../src/tuner/check/running-error.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";

const { cast, compute, defineOp, exp, max, reduceAxis, select, sum, tensor } = authoring;
type Index = authoring.Expr<"i32">;
type Op = Parameters<typeof instantiate>[0];
const defOf = (op: Op): ComputeDef => instantiate(op, {}, "op");
const taskOf = (op: ComputeDef) => ({ op, target: targets.wasm, numerics: "fast", threads: 1 }) as const;

interface InverseFault {
  readonly sign?: number;
  readonly shift?: number;
  readonly scale?: number;
  readonly term?: boolean;
}

/** 3×3 matrices by cofactors; where a determinant nearly vanishes, so do the digits. The products of one are made in another order. */
const inverse = ({ sign = -1, shift = 0, scale = 1, term = true }: InverseFault = {}, isFused = false): ComputeDef =>
  defOf(
    defineOp({ N: 4096 }, ({ N }) => {
      const A = tensor("A", [N, 3, 3], "f32");
      const at = (n: Index, i: Index, j: Index, a: number, b: number) => A(n, i.add(a).mod(3), j.add(b).mod(3));
      const Co = compute("Co", [N, 3, 3], (n, i, j) => {
        const [left, right] = [
          at(n, i, j, 1, 1).mul(at(n, i, j, 2, 2 + shift)),
          at(n, i, j, 1, 2).mul(at(n, i, j, 2, 1)),
        ];
        // Computed in f64 and rounded once, as a fused product is.
        if (isFused) return cast(cast(left, "f64").sub(cast(right, "f64")), "f32");
        return left.add(right.mul(sign));
      });
      const det = compute("det", [N], (n) => {
        const terms = [0, 1, 2].map((j) => A(n, 0, j).mul(Co(n, 0, j)));
        const two = isFused ? terms[2]!.add(terms[1]!) : terms[0]!.add(terms[1]!);
        return term ? two.add(isFused ? terms[0]! : terms[2]!) : two;
      });
      return compute("Y", [N, 3, 3], (n, i, j) => Co(n, j, i).div(det(n)).mul(scale));
    }),
  );

/** The outputs that the check of a task expects, before and after it is conditioned. */
function expectedOf(op: ComputeDef, run: RunTask | null): readonly ExpectedOutput[] {
  const parameters = kernelParameters(op).filter(({ role }) => role === "output");
  return run!.expected.map(({ values, bound, exact }, at) => expectOutput(parameters[at]!, values, bound, exact));
}

function heldAgainst(op: ComputeDef, kernel: ComputeDef) {
  const run = referenceTask(taskOf(op));
  const given = Object.fromEntries(op.inputs.map(({ name }, at) => [name, run.inputs[at]!]));
  const found = evaluate(kernel, given);
  const verdict = (task: RunTask | null): string | null =>
    expectedOf(op, task)
      .map((output) => mismatch(output, found[output.parameter.name]!))
      .find((reason) => reason !== null) ?? null;
  const conditioned = conditionedTask(taskOf(op), run);
  return { plain: verdict(run), held: verdict(conditioned), outputs: expectedOf(op, conditioned), found };
}

describe("an inverse of 3×3 matrices", () => {
  it("that is rounded otherwise is right, though it is beyond the bound where a determinant nearly vanishes", () => {
    const { plain, held, outputs } = heldAgainst(inverse(), inverse({}, true));
    expect(plain).toMatch(/^Y\[.*allowed is a relative .* of 36864 elements differ/);
    expect(held).toBeNull();
    expect(outputs.map(tellsNothing)).toEqual([false]);
  });

  it.each<[string, InverseFault]>([
    ["a sign", { sign: 1 }],
    ["an index", { shift: 1 }],
    ["a term that is missing", { term: false }],
    ["a constant that is off by a thousandth", { scale: 1.001 }],
  ])("that is wrong by %s stays wrong", (_, fault) => {
    const { plain, held } = heldAgainst(inverse(), inverse(fault));
    expect(plain).not.toBeNull();
    expect(held).toMatch(/^Y\[.*; in f64 it is .*, and rounding explains/);
  });

  it("that is wrong in one element, or leaves it out, stays wrong", () => {
    const { outputs, found } = heldAgainst(inverse(), inverse());
    const [output] = outputs;
    for (let at = 0; at < 36_864; at += 997) {
      const actual = found.Y!.slice();
      actual[at] = actual[at]! + output!.scale / 100;
      expect(mismatch(output!, actual)).toContain("(1 of 36864 elements differ)");
      actual[at] = output!.sentinel[at]!;
      expect(mismatch(output!, actual)).toContain("is not written");
    }
  });
});

describe("an operator that cancels everywhere", () => {
  const cancelling = (order: "forwards" | "backwards"): ComputeDef =>
    defOf(
      defineOp({ N: 64 }, ({ N }) => {
        const x = tensor("x", [N], "f32");
        const far = compute("far", [N], (i) => exp(x(i)).add(2 ** 24));
        return compute("y", [N], (i) =>
          order === "forwards"
            ? far(i).sub(2 ** 24)
            : far(i)
                .sub(2 ** 24 - 1)
                .sub(1 + 1 / 16),
        );
      }),
    );

  it("tells nothing of a kernel, and says so", () => {
    const { held, outputs } = heldAgainst(cancelling("forwards"), cancelling("backwards"));
    expect(outputs.map(tellsNothing)).toEqual([true]);
    expect(held).toMatch(/; the operator cancels: at 64 of 64 elements its own rounding may change all digits$/);
  });

  it("is nobody's failure where results are those of the reference", () => {
    expect(heldAgainst(cancelling("forwards"), cancelling("forwards"))).toMatchObject({ plain: null, held: null });
  });

  it("is checked as any other under strict numerics, which has the bits of the reference", () => {
    const task = { ...taskOf(cancelling("forwards")), numerics: "strict" } as const;
    expect(conditionedTask(task, referenceTask(task))).toBeNull();
  });
});

it("a rectifier that makes most results 0 hides none of them", () => {
  const rectified = defOf(
    defineOp({ M: 64, K: 24 }, ({ M, K }) => {
      const [A, B, k] = [tensor("A", [M, K], "f32"), tensor("B", [K], "f32"), reduceAxis("k", K)];
      return compute("y", [M], (i) =>
        max(
          sum(A(i, k).mul(B(k)), k)
            .div(3)
            .sub(0.1),
          0,
        ),
      );
    }),
  );
  const { outputs, found } = heldAgainst(rectified, rectified);
  const [output] = outputs;
  expect([...found.y!].filter((it) => it === 0).length).toBeGreaterThan(32);
  expect([output!.exact!.hidden, tellsNothing(output!)]).toEqual([0, false]);
});

it("a comparison that rounding decides may be decided otherwise, and no other", () => {
  const below = (offset: number): ComputeDef =>
    defOf(
      defineOp({ N: 4096 }, ({ N }) => {
        const x = tensor("x", [N], "f32");
        const [zero, one] = [cast(0, "f32"), cast(1, "f32")];
        return compute("y", [N], (i) => select(exp(x(i)).add(offset).sub(1).lt(0), one, zero).add(exp(x(i))));
      }),
    );
  const { outputs } = heldAgainst(below(0), below(0));
  const undecided = outputs[0]!.exact!.errors.filter((error) => error >= 1).length;
  expect(undecided).toBeLessThan(4);
  expect(heldAgainst(below(0), below(1 / 256)).held).toMatch(/elements differ/);
});

const scaledSoftmax = defineOp({ M: 8, N: 64 }, ({ M, N }) => {
  const X = tensor("X", [M, N], "f32");
  const [k, l] = [reduceAxis("k", N), reduceAxis("l", N)];
  const top = compute("top", [M], (i) => max(X(i, k), k));
  const total = compute("total", [M], (i) => sum(exp(X(i, l).sub(top(i))), l));
  return compute("Y", [M, N], (i, j) => exp(X(i, j).sub(top(i))).div(total(i)));
});

describe("where nothing cancels", () => {
  it.each<[string, Op]>([
    ["softmax", scaledSoftmax],
    ["softmax of the library", opLibrary.softmax({ M: 8, N: 96 })],
    ["layer norm", opLibrary.layerNorm({ M: 8, N: 96 })],
    ["rms norm", opLibrary.rmsNorm({ M: 8, N: 96 })],
    ["attention", opLibrary.attention({ M: 12, N: 20, D: 16 })],
    ["a product of exponentials", opLibrary.gemmExpGemm({ M: 12, N: 16, K: 20, L: 8 })],
  ])("%s has its bound and no other, and the reference is within the errors", (_, op) => {
    const def = defOf(op);
    const run = referenceTask(taskOf(def));
    const errors = runningErrors(def, run.inputs, 1e8)!;
    for (const [at, { values, bound }] of run.expected.entries()) {
      if (bound.kind === "exact") throw new Error("it rounds");
      const { dtype } = kernelParameters(def).filter(({ role }) => role === "output")[at]!;
      const decoded = Float64Array.from(values, (stored) => decode(dtype, stored));
      const scale = decoded.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      for (const [element, value] of decoded.entries()) {
        const error = errors[at]!.errors[element]!;
        expect(Math.abs(value - errors[at]!.values[element]!)).toBeLessThanOrEqual(error);
        expect(error).toBeLessThanOrEqual(bound.absolute + bound.relative * scale);
      }
    }
  });
});

it("an operator that is too large is not evaluated again", () => {
  const def = defOf(scaledSoftmax);
  expect(runningErrors(def, referenceTask(taskOf(def)).inputs, 1000)).toBeNull();
});
