// Operators that read one tensor at several places, a tensor of one element or a part of another stage, or in whose operands a
// panel lies the other way: every schedule of their spaces is legal, for every target, and computes what the reference does.

import { describe, expect, test } from "vitest";
import * as op from "../../../src/compiler/expr/authoring.ts";
import {
  type ComputeDef,
  fromCompute,
  instantiate,
  instantiateTemplate,
  lower,
  replay,
  type Target,
  targets,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { guess } from "../../../src/tuner/search/predict.ts";
import { schedulableStages } from "../../../src/tuner/space/draft/schedulable-stage.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { inTurn } from "../../support/long.ts";
import { referenceOf, wrongNest } from "../../support/reference.ts";

type Axis = op.ReduceAxis;
type Body = (k: Axis, l: Axis) => op.Tensor | { readonly [name: string]: op.Tensor };

const f32 = (name: string, ...shape: number[]): op.Tensor<"f32"> => op.tensor(name, shape, "f32");
const { compute, select, sum } = op;

/** A product of matrices whose left factor is `value` of A's element, A being read twice in it. */
const gated = (value: (a: op.Expr) => op.Expr): Body => {
  return (k) => {
    const [A, B] = [f32("A", 17, 24), f32("B", 24, 33)];
    return compute("C", [17, 33], (i, j) => sum(value(A(i, k)).mul(B(k, j)), k));
  };
};

const symmetric: Body = (k) => {
  const A = f32("A", 24, 24);
  return compute("C", [24, 24], (i, j) =>
    sum(
      A(i, k)
        .mul(A(k, j))
        .add(A(j, k).mul(A(k, i))),
      k,
    ),
  );
};

const bodies: Readonly<Record<string, Body>> = {
  "a product with its own transpose": (k) => {
    const X = f32("X", 24, 33);
    return compute("G", [33, 33], (i, j) => sum(X(k, i).mul(X(k, j)), k));
  },
  "a product of bf16 with its own transpose": (k) => {
    const X = op.tensor("X", [24, 33], "bf16");
    return compute("G", [33, 33], (i, j) => sum(X(k, i).mul(X(k, j)), k));
  },
  "the same of rows of bytes": (k) => {
    const X = op.tensor("X", [33, 24], "i8");
    return compute("G", [33, 33], (i, j) => sum(X(i, k).cast("i32").mul(X(j, k).cast("i32")), k));
  },
  "the same of rows": (k) => {
    const X = f32("X", 33, 24);
    return compute("G", [33, 33], (i, j) => sum(X(i, k).mul(X(j, k)), k));
  },
  "a square": (k) => {
    const X = f32("X", 24, 24);
    return compute("Y", [24, 24], (i, j) => sum(X(i, k).mul(X(k, j)), k));
  },
  "sums of squares of columns": (k) => {
    const X = f32("X", 24, 33);
    return compute("Y", [33], (j) => sum(X(k, j).mul(X(k, j)), k));
  },
  "variance of columns": (k, l) => {
    const X = f32("X", 24, 33);
    const m = compute("m", [33], (c) => sum(X(k, c), k).mul(0.5));
    return compute("v", [33], (c) =>
      sum(
        X(l, c)
          .sub(m(c))
          .mul(X(l, c).sub(m(c))),
        l,
      ),
    );
  },
  "product of complex matrices": (k) => {
    const [A, B] = [f32("A", 17, 24, 2), f32("B", 2, 24, 33)];
    return compute("Y", [17, 33], (i, j) =>
      sum(
        A(i, k, 0)
          .mul(B(0, k, j))
          .sub(A(i, k, 1).mul(B(1, k, j))),
        k,
      ),
    );
  },
  "squared distances": (k) => {
    const [A, B] = [f32("A", 24, 17), f32("B", 24, 33)];
    return compute("D", [17, 33], (i, j) => {
      const difference = A(k, i).sub(B(k, j));
      return sum(difference.mul(difference), k);
    });
  },
  "symmetrised product": symmetric,
  "relu by select": gated((a) => select(a.gt(0), a, 0)),
  "square of the left factor": gated((a) => a.mul(a)),
  "neighbours in a row": (k) => {
    const [X, W] = [f32("X", 26, 24, 33), f32("W", 24, 33)];
    return compute("Y", [24, 33], (i, c) =>
      sum(
        X(i, k, c)
          .add(X(i.add(1), k, c))
          .add(X(i.add(2), k, c))
          .mul(W(k, c)),
        k,
      ),
    );
  },
  "a factor of rank 0": (k) => {
    const [A, B, s] = [f32("A", 17, 24), f32("B", 24, 33), f32("s")];
    return compute("C", [17, 33], (i, j) => sum(A(i, k).mul(B(k, j)).mul(s()), k));
  },
  "a mean of all taken from a product's operand": (k, l) => {
    const [X, W] = [f32("X", 24, 24), f32("W", 24, 33)];
    const mean = compute("mean", [], () => sum(X(k, l), [k, l]).mul(0.25));
    return compute("Y", [24, 33], (i, j) => sum(X(i, k).sub(mean()).mul(W(k, j)), k));
  },
  "three projections of one tensor": (k) => {
    const [X, W, b] = [f32("X", 32, 24), f32("W", 24, 3, 48), f32("b", 3, 48)];
    const part = (p: number, name: string) =>
      compute(name, [32, 48], (t, d) => sum(X(t, k).mul(W(k, p, d)), k).add(b(p, d)));
    return { Q: part(0, "Q"), K: part(1, "K"), V: part(2, "V") };
  },
  "three projections by heads": (k) => {
    const [X, W] = [f32("X", 30, 24), f32("W", 24, 3, 4, 16)];
    const part = (p: number, name: string) =>
      compute(name, [4, 30, 16], (h, t, d) => sum(X(t, k).mul(W(k, p, h, d)), k));
    return { Q: part(0, "Q"), K: part(1, "K"), V: part(2, "V") };
  },
  "rows by a table, clamped": (k) => {
    const [T, A, B] = [op.tensor("T", [17], "i32"), f32("A", 20, 24), f32("B", 24, 33)];
    return compute("C", [17, 33], (i, j) => sum(A(T(i).max(0).min(19), k).mul(B(k, j)), k));
  },
  "a map between reductions that is inlined": (k, l) => {
    const [X, W, V] = [f32("X", 24, 24), f32("W", 24, 24), f32("V", 33)];
    const P = compute("P", [24, 24], (i, j) => sum(X(i, k).mul(W(k, j)), k));
    const m = compute("m", [24, 24], (i, j) => sum(P(i, l).mul(W(l, j)), l).max(0));
    return compute("Y", [24, 33], (i, j) => sum(select(i.ge(1), m(i.max(1), k), 1).mul(V(j)), k));
  },
  "a part of each row of a product": (k, l) => {
    const T = f32("T", 24);
    const P = compute("P", [24, 67], (i, j) =>
      sum(
        T(i)
          .mul(op.cast(j.mod(5), "f32"))
          .add(T(k)),
        k,
      ),
    );
    return compute("Y", [24, 19], (i, j) => sum(P(i, j.add(2)).mul(P(i, 11)), l).max(0));
  },
  "two places of a map beside choices by remainder": (k) => {
    const X = f32("X", 40, 24, 8);
    const S = compute("S", [40, 8], (i, c) => sum(X(i, k, c), k));
    const M = compute("M", [40, 8], (i, c) => S(i, c).max(0).add(S(i, 0)));
    return compute("Y", [8, 8, 8], (i, j, c) => select(i.mod(2).eq(0), M(j, i), M(i.add(2), j)).add(X(0, 0, c)));
  },
  "a map of which a choice by remainder takes two elements a step": (k) => {
    const X = f32("X", 24, 24);
    const total = compute("total", [24], (j) => sum(X(j, k), k));
    const M = compute("M", [17, 24], (_i, j) => total(j).add(1));
    return compute("Y", [17, 24, 3, 1], (i, j, a) =>
      select(j.mod(2).eq(0), M(i, j), 4)
        .add(op.cast(a.mod(5), "f32"))
        .add(M(i, j)),
    );
  },
  "a choice by remainder beside a tensor of rank 0": (k) => {
    const [s, T] = [f32("s"), f32("T", 24)];
    const total = compute("total", [], () => sum(T(k).mul(s()), k));
    return compute("Y", [17, 33], (i, j) => select(i.mod(2).eq(0), total().mul(op.cast(j, "f32")), s()));
  },
  "one row of bf16 times a matrix": (k) => {
    const [A, B] = [op.tensor("A", [1, 24], "bf16"), op.tensor("B", [33, 24], "bf16")];
    return compute("C", [1, 33], (i, j) => sum(A(i, k).mul(B(j, k)), k));
  },
  "a product of bf16 beside another reduction": (k, l) => {
    const [A, B] = [op.tensor("A", [17, 24], "bf16"), op.tensor("B", [24, 33], "bf16")];
    const [C, D] = [f32("C", 24, 17), f32("D", 33, 24)];
    return compute("Y", [17, 33], (i, j) => sum(A(i, k).mul(B(k, j)), k).add(op.min(C(l, i).mul(D(j, l)), l)));
  },
  "every second row": (k) => {
    const [A, B] = [f32("A", 34, 24), f32("B", 24, 33)];
    return compute("C", [17, 33], (i, j) => sum(A(i.mul(2), k).mul(B(k, j)), k));
  },
};

const define = (body: Body, depth = 24): ComputeDef =>
  instantiate(
    op.defineOp({}, () => body(op.reduceAxis("k", depth), op.reduceAxis("l", depth))),
    {},
    "drawn",
  );

const allTargets = Object.values(targets);

function* schedulesOf(def: ComputeDef, target: Target, count: number) {
  // Constants are laid out once, before everything else.
  const constants = def.inputs.slice(0, 1).map(({ name }) => name);
  for (const fixed of [[], constants])
    yield* schedulesIn(generateSpace({ op: def, target, numerics: "fast", threads: 1, constants: fixed }), count);
}

function* schedulesIn(space: GeneratedSpace, count: number) {
  const rng = createRng(1);
  const points = (template: Template) =>
    Array.from({ length: count }, () => sample(compileModel(template.model), rng)).flatMap((it) =>
      it.kind === "found" ? [{ template, assignment: it.assignment }] : [],
    );
  const best = guess(space)!;
  const guessed = space.templates.find(({ name }) => name === best.template)!;
  yield* [{ template: guessed, assignment: best.assignment }, ...space.templates.flatMap(points)];
}

const replayed = (template: Template, assignment: Readonly<Record<string, number>>) =>
  replay(fromCompute(template.op), instantiateTemplate(template.instructions, assignment));

const turn = inTurn(5);

describe.each(Object.entries(bodies))("%s", (name, body) => {
  const def = define(body);

  turn.each(allTargets)("every schedule for $name is legal", (target) => {
    let count = 0;
    for (const { template, assignment } of schedulesOf(def, target, 2)) {
      expect(replayed(template, assignment).kind, template.name).toBe("ok");
      count += 1;
    }
    expect(count).toBeGreaterThan(1);
  });

  // The targets in turn: random operators are run on all of them.
  const target = allTargets[Object.keys(bodies).indexOf(name) % allTargets.length]!;
  turn(`computes what the reference does, after the last pass for ${target.name}`, () => {
    const reference = referenceOf(def, createRng(2));
    for (const { template, assignment } of [...schedulesOf(def, target, 1)].slice(0, 2)) {
      const result = replayed(template, assignment);
      const wrong = result.kind === "ok" && wrongNest(reference, lower(result.nest, { target, numerics: "fast" }));
      expect(wrong, template.name).toBeNull();
    }
  });
});

const transposed = (m: number, n: number, k: number): ComputeDef =>
  define((axis) => {
    const [A, B] = [f32("A", k, m), f32("B", k, n)];
    return compute("C", [m, n], (i, j) => sum(A(axis, i).mul(B(axis, j)), axis));
  }, k);

turn.each([
  [100, 256, 64],
  [37, 121, 64],
  [100, 121, 512],
  [37, 512, 256],
])("AᵀB of %i×%i×%i: no schedule of any target is illegal", (m, n, k) => {
  const def = transposed(m, n, k);
  for (const target of allTargets) {
    for (const { template, assignment } of schedulesOf(def, target, 20)) {
      expect(replayed(template, assignment).kind, `${target.name}: ${template.name}`).toBe("ok");
    }
  }
});

describe("accesses", () => {
  const readsOf = (body: Body) =>
    schedulableStages(define(body))
      .at(-1)!
      .reads.map(({ id, pattern, count, spans, isSole }) => {
        return { id, pattern, count, spans, isSole };
      });

  test("equal reads are one", () => {
    expect(readsOf(bodies["sums of squares of columns"]!)).toEqual([
      { id: "X", pattern: "k, j", count: 1, spans: [0, 0], isSole: true },
    ]);
  });

  test("so are those at a fixed distance from each other", () => {
    expect(readsOf(bodies["product of complex matrices"]!)).toEqual([
      { id: "A", pattern: "i, k, 0", count: 2, spans: [0, 0, 1], isSole: true },
      { id: "B", pattern: "0, k, j", count: 2, spans: [1, 0, 0], isSole: true },
    ]);
  });

  test("those that move along other axes are not", () => {
    expect(readsOf(bodies["a product with its own transpose"]!)).toEqual([
      { id: "X", pattern: "k, i", count: 1, spans: [0, 0], isSole: false },
      { id: "X.2", pattern: "k, j", count: 1, spans: [0, 0], isSole: false },
    ]);
  });

  test("a stage that reads what another reads shares no pack with it", () => {
    const [template] = generateSpace({
      op: define(bodies["three projections of one tensor"]!),
      target: targets.avx2,
      numerics: "fast",
      threads: 1,
    }).templates;
    const copies = template!.instructions.flatMap(({ instruction: it }) =>
      it.kind === "cache-read" ? [it.reads?.copy ?? `${it.buffer}.pack`] : [],
    );
    expect(new Set(copies)).toEqual(
      new Set(["Q", "K", "V"].flatMap((part) => [`X.pack.${part}.sum`, `W.pack.${part}.sum`])),
    );
  });
});
