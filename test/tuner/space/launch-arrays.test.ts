// Arrays of a launch: operators of many inputs, by lot, have schedules whose launches name no more arrays than WebGPU has room for.

import { expect, test } from "vitest";
import {
  type AcceleratorTarget,
  authoring,
  type ComputeDef,
  generateKernel,
  instantiate,
  type Op,
  printComputeDef,
  printDiagnostic,
  webgpu,
  wgslGenerator,
} from "../../../src/compiler/index.ts";
import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { describeSchedule, drawSchedules, threadSpace } from "../../support/thread-schedules.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

type Element = (i: authoring.Expr, j: authoring.Expr) => authoring.Expr;

/** Maps of some others, on a matrix, until one is left: of inputs, and of a product or of a reduction of rows. */
function drawn(rng: Rng): Op {
  const [M, N, K] = [6, 40, 32];
  return defineOp({}, () => {
    const inputs = Array.from({ length: 3 + rng.below(9) }, (_, at) => tensor(`x${at}`, [M, N], "f32"));
    const open: Element[] = inputs.map((x) => (i, j) => x(i, j));
    if (rng.below(2) === 0) {
      const [A, B, k] = [tensor("A", [M, K], "f32"), tensor("B", [K, N], "f32"), reduceAxis("k", K)];
      const product = compute("product", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
      open.push((i, j) => product(i, j));
    } else {
      const [x, r] = [rng.pick(inputs), reduceAxis("r", N)];
      const most = compute("most", [M], (i) => max(x(i, r), r));
      open.push((i, j) => x(i, j).sub(most(i)));
    }
    for (let at = 0; ; at++) {
      const parts = rng.shuffle([...open]).slice(0, 2 + rng.below(5));
      const left = open.filter((it) => !parts.includes(it));
      const name = left.length === 0 ? "y" : `m${at}`;
      const stage = compute(name, [M, N], (i, j) => parts.map((it) => it(i, j)).reduce((a, b) => a.add(b)));
      if (left.length === 0) return stage;
      open.splice(0, open.length, ...left, (i, j) => stage(i, j));
    }
  });
}

/** Several numbers of some others each: one thread computes them, one after another. */
function drawnNumbers(rng: Rng): Op {
  return defineOp({}, () => {
    const inputs = new Map<number, authoring.Tensor>();
    const input = (at: number): authoring.Expr => {
      if (!inputs.has(at)) inputs.set(at, tensor(`x${at}`, [1], "f32"));
      return inputs.get(at)!(0);
    };
    const numbers = Array.from({ length: 2 + rng.below(4) }, (_, at) => {
      const parts = rng.shuffle(Array.from({ length: 12 }, (_, from) => from)).slice(0, 2 + rng.below(6));
      return [`y${at}`, compute(`y${at}`, [], () => parts.map(input).reduce((a, b) => a.add(b)))] as const;
    });
    return Object.fromEntries(numbers);
  });
}

function wrongOf(op: ComputeDef, target: AcceleratorTarget = webgpu): string | null {
  for (const template of threadSpace(op, "fast", target).templates) {
    for (const each of drawSchedules(template, 2, 1)) {
      const kernel = generateKernel(op, each.trace, webgpu, { numerics: "fast", verify: true });
      if (kernel.kind !== "ok") return `${printDiagnostic(kernel.diagnostic)}\n${describeSchedule(each)}`;
    }
  }
  return null;
}

const operators = Array.from({ length: 50 }, (_, at) =>
  instantiate((at < 40 ? drawn : drawnNumbers)(createRng(at)), {}, "op"),
);

test("spaces of a machine with room for more name too many", () => {
  const roomy = { ...webgpu, limits: { ...webgpu.limits, arraysPerLaunch: 99 } };
  const refused = operators.filter((op) => wrongOf(op, roomy)?.includes("arrays, webgpu has 8"));
  expect(refused.length).toBeGreaterThan(5);
});

test.each(operators.map((op, at) => [at, op] as const))("%i", (_, op) => {
  const why = wgslGenerator.cannotCompute!(op, "fast");
  expect(why ?? wrongOf(op), printComputeDef(op)).toEqual(why);
});
