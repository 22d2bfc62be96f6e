// The sampling primitives and the constraints, against all solutions of small spaces, counted by hand.

import { expect, test } from "vitest";
import { authoring, instantiate, printTrace, targets } from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { keysOf } from "../../../../src/tuner/constraint/solver/complete.ts";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import type { Candidate, Space } from "../../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import { candidateKernel, candidateTrace } from "../../../../src/tuner/kernel/candidate-kernel.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import type { TemplateBuilder } from "../../../../src/tuner/space/template/builder.ts";
import { decisionsOf } from "../../../../src/tuner/space/template/decisions.ts";
import { template } from "../../../../src/tuner/space/template/template.ts";

const { compute, defineOp, tensor } = authoring;

/** P = 2·X; Q = P + 1. */
const op = instantiate(
  defineOp({ N: 12 }, ({ N }) => {
    const X = tensor("X", [N], "f32");
    const P = compute("P", [N], (i) => X(i).mul(2));
    return compute("Q", [N], (i) => P(i).add(1));
  }),
  {},
  "two_maps",
);
const task: TuningTask = { op, target: targets.wasm, numerics: "fast", threads: 1 };

interface Solutions {
  readonly space: Space;
  readonly candidates: readonly Candidate[];
}

function solutions(body: (t: TemplateBuilder) => void): Solutions {
  const space = generateSpace(task, [], [template("one", body)]);
  const compiled = compileModel(space.templates[0]!.model);
  const candidates = [...enumerate(compiled)].map((all) => ({ template: "one", assignment: keysOf(compiled, all) }));
  return { space, candidates };
}

const valuesOf = ({ candidates }: Solutions): string[] =>
  candidates.map(({ assignment }) => Object.values(assignment).join(" ")).sort();

/** Lists of so many numbers from 1 to 12. */
const tuples = (count: number): readonly (readonly number[])[] =>
  count === 0 ? [[]] : tuples(count - 1).flatMap((head) => Array.from({ length: 12 }, (_, at) => [...head, at + 1]));

const product = (factors: readonly number[]): number => factors.reduce((total, factor) => total * factor, 1);

test("a perfect tile is every factorization whose innermost factor is small enough", () => {
  const made = solutions((t) => t.split("Q.i", t.samplePerfectTile("Q.i", { parts: 3, maxInnermost: 4 })));
  const wanted = tuples(3).filter((factors) => product(factors) === 12 && factors[2]! <= 4);
  expect(valuesOf(made)).toEqual(wanted.map((factors) => factors.join(" ")).sort());
  const kinds = made.candidates.map((one) => candidateKernel(task, made.space, one).kind);
  expect(kinds).toEqual(made.candidates.map(() => "ok"));
});

test("of a partitioned tile the inner parts make a multiple", () => {
  const made = solutions((t) => {
    const options = { parts: 3, partition: 1, innerMultiple: 4, maxInnermost: 12, name: "tile" } as const;
    t.split("Q.i", t.samplePartitionedTile("Q.i", options));
  });
  const wanted = tuples(3).filter((factors) => product(factors) === 12 && (factors[1]! * factors[2]!) % 4 === 0);
  expect(valuesOf(made)).toEqual(wanted.map((factors) => factors.join(" ")).sort());
});

test("a part is tiled again", () => {
  const made = solutions((t) => {
    t.split("Q.i", t.samplePerfectTile("Q.i", { parts: 2, maxInnermost: 6 }));
    t.split("Q.i.1", t.samplePerfectTile("Q.i.1", { parts: 2, maxInnermost: 6 }));
  });
  const wanted = tuples(4).filter(([a, b, c, d]) => a! * b! === 12 && b! <= 6 && c! * d! === b);
  expect(valuesOf(made)).toEqual(wanted.map((factors) => factors.join(" ")).sort());
});

test("a place to compute at", () => {
  const made = solutions((t) => {
    t.split("Q.i", [3, 4]);
    t.sampleComputeLocation("P", { loops: ["Q.i.0", "Q.i.1"], inline: true });
  });
  const said = made.candidates.map((one) => [
    decisionsOf(made.space.templates[0]!, one.assignment)["P.location"],
    printTrace(candidateTrace(made.space, one)!),
  ]);
  expect(said).toEqual([
    ["root", "split Q.i [3, 4] perfect"],
    ["inline", "split Q.i [3, 4] perfect\ninline P"],
    ["Q.i.0", "split Q.i [3, 4] perfect\ncompute-at P at Q.i.0"],
    ["Q.i.1", "split Q.i [3, 4] perfect\ncompute-at P at Q.i.1"],
  ]);
  expect(new Set(made.candidates.map((one) => candidateKernel(task, made.space, one).kind))).toEqual(new Set(["ok"]));
});

test("ways have instructions and limits of their own", () => {
  const made = solutions((t) => {
    const width = t.sampleCategorical("width", [2, 4, 8]);
    const way = t.choose("way", ["vectors", "copies"], (chosen) => {
      t.split("Q.i", [0, width], "cut");
      if (chosen === "vectors") t.vectorize("Q.i.1");
      else {
        t.unroll("Q.i.1");
        t.atMost(width, 4, "copies are few");
      }
    });
    t.when(way.is("vectors"), () => t.when(t.is(width, 4, 8), () => t.unroll("Q.i.0")));
  });
  const traces = made.candidates.map((one) => printTrace(candidateTrace(made.space, one)!));
  expect(traces.sort()).toEqual([
    "split Q.i [0, 2] cut\nunroll Q.i.1",
    "split Q.i [0, 2] cut\nvectorize Q.i.1",
    "split Q.i [0, 4] cut\nunroll Q.i.1",
    "split Q.i [0, 4] cut\nvectorize Q.i.1\nunroll Q.i.0",
    "split Q.i [0, 8] cut\nvectorize Q.i.1\nunroll Q.i.0",
  ]);
});

test("a decision within a way is one value in the others", () => {
  const made = solutions((t) =>
    t.choose("way", ["plain", "rows", "tiles"], (way) => {
      if (way === "rows") t.split("Q.i", [0, t.sampleCategorical("rows", [2, 3, 4])], "cut");
      if (way === "tiles") t.split("Q.i", t.samplePerfectTile("Q.i", { parts: 2 }));
      if (way === "tiles") t.choose("marks", ["none", "copies"], (mark) => mark === "copies" && t.unroll("Q.i.1"));
    }),
  );
  // Plain counts once; rows has 3 values; tiles has 6 divisors of 12, each with and without marks.
  expect(made.candidates).toHaveLength(1 + 3 + 12);
  expect(new Set(made.candidates.map((one) => printTrace(candidateTrace(made.space, one)!))).size).toBe(16);
});

test("sums, products, quotients and multiples in limits", () => {
  const made = solutions((t) => {
    const [a, b] = [t.sampleCategorical("a", [1, 2, 3, 4]), t.sampleCategorical("b", [1, 2, 3, 4])];
    t.split("Q.i", [0, a, t.times(b, 2)], "cut");
    t.atMost(t.sum(a, b, 1), 6);
    t.lessThan(t.product(a, b), 6);
    t.equal(t.ceilDiv(12, a), t.times(b, 3));
    t.notEqual(a, 3);
  });
  const wanted = tuples(2).filter(
    ([a, b]) => a! <= 4 && b! <= 4 && a! + b! < 6 && a! * b! < 6 && Math.ceil(12 / a!) === 3 * b! && a !== 3,
  );
  expect(valuesOf(made)).toEqual(wanted.map((pair) => pair.join(" ")).sort());
});

test("a decision that decides nothing is none", () => {
  const made = solutions((t) => {
    t.sampleCategorical("nothing", [1, 2, 3]);
    t.choose("no way", ["one", "other"]);
    t.split("Q.i", [0, t.sampleCategorical("width", [2, 4])], "cut");
  });
  expect(made.candidates.map(({ assignment }) => assignment)).toEqual([{ width: 2 }, { width: 4 }]);
});
