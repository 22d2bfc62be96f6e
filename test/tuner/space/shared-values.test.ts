// Operators whose values are used again and again, in one stage and through many: the code of a candidate grows with the
// number of operations, independently of what the rules inline. Products of floats keep their order.

import { describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  type CpuTarget,
  type CSource,
  generatorOf,
  instantiate,
  type KernelSource,
  type Op,
  printTrace,
  targets,
  type WasmSource,
} from "../../../src/compiler/index.ts";
import { loadWasm } from "../../../src/native/load/load-wasm.ts";
import { candidateKernel, candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { guess, predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { eachCompiler, nativeTargets } from "../../native/compiled.ts";
import { newReport, runCases } from "../../support/oracle-chain.ts";
import { caseOf, drawTrace } from "../../support/random-schedule.ts";

const { cast, compute, defineOp, max, min, prod, reduceAxis, select, sum, tensor } = authoring;
type Expr = authoring.Expr;
type Read = (...indices: readonly Expr[]) => Expr;

const def = (op: Op): ComputeDef => instantiate(op, {}, "op");

const newton = (steps: number): ComputeDef =>
  def(
    defineOp({}, () => {
      const X = tensor("X", [64], "f32");
      return compute("Y", [64], (i) => {
        let y = X(i);
        for (let at = 0; at < steps; at++) y = y.add(X(i).div(y)).mul(0.5);
        return y;
      });
    }),
  );

/** Three maps a step, each of which reads the three before it, several times and all at one place. */
const mandelbrot = (steps: number): ComputeDef =>
  def(
    defineOp({}, () => {
      const [R, I] = [tensor("R", [16], "f32"), tensor("I", [16], "f32")];
      const map = (name: string, element: (i: Expr, j: Expr) => Expr) =>
        compute(name, [16, 16], (i, j) => element(i, j));
      let x = map("x0", (_, j) => R(j).add(0));
      let y = map("y0", (i) => I(i).add(0));
      let n = map("n0", (_, j) => R(j).mul(0));
      for (let step = 1; step <= steps; step++) {
        const [a, b, c] = [x, y, n];
        const bounded = (value: Expr): Expr => value.min(1e3).max(-1e3);
        const size = (i: Expr, j: Expr): Expr => a(i, j).pow(2).add(b(i, j).pow(2));
        n = map(`n${step}`, (i, j) => c(i, j).add(select(size(i, j).lt(4), cast(1, "f32"), cast(0, "f32"))));
        if (step === steps) break;
        x = map(`x${step}`, (i, j) => bounded(a(i, j).pow(2).sub(b(i, j).pow(2)).add(R(j))));
        y = map(`y${step}`, (i, j) => bounded(a(i, j).mul(b(i, j)).mul(2).add(I(i))));
      }
      return n;
    }),
  );

/** Each stage reads the one before it at five places. */
const stencils = (stages: number): ComputeDef =>
  def(
    defineOp({}, () => {
      let before = tensor("X", [12, 12], "f32") as Read;
      const inside = (index: Expr): Expr => max(min(index, 11), 0);
      for (let stage = 0; stage < stages; stage++) {
        const read = before;
        before = compute(`y${stage}`, [12, 12], (i, j) => {
          const rows = read(inside(i.sub(1)), j).add(read(inside(i.add(1)), j));
          return rows
            .add(read(i, inside(j.sub(1))))
            .add(read(i, inside(j.add(1))))
            .add(read(i, j))
            .mul(0.2);
        }) as Read;
      }
      return before as never;
    }),
  );

/** The bytes of the code of the schedule that a quick guess picks. */
function codeLength(op: ComputeDef, target: CpuTarget): number {
  const task = { op, target, numerics: "fast", threads: 1 } as const;
  const space = generateSpace(task);
  const kernel = candidateKernel(task, space, guess(space)!, { verify: true });
  if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
  return generatorOf(kernel.source).code(kernel.source).length;
}

describe("code grows with the operations", () => {
  test.each([
    ["Newton's steps", newton, 20, 40],
    ["a Mandelbrot set", mandelbrot, 8, 16],
    ["stencils", stencils, 8, 16],
  ] as const)("%s", (_, make, few, many) => {
    for (const target of [targets.wasm, targets.avx512]) {
      expect(codeLength(make(many), target)).toBeLessThan(3 * codeLength(make(few), target));
    }
  });

  test("maps that are read at one place are inlined, a stencil only while its taps are few", () => {
    const inlined = (op: ComputeDef): number => {
      const all = generateSpace({ op, target: targets.avx2, numerics: "fast", threads: 1 });
      const space = { ...all, templates: all.templates.filter(({ name }) => !name.includes("stored")) };
      return printTrace(candidateTrace(space, guess(space)!)!).match(/^inline /gm)?.length ?? 0;
    };
    expect(inlined(mandelbrot(8))).toBe(24);
    expect(inlined(stencils(8))).toBe(4);
  });

  test("every stage of the compiler computes what the reference does", async () => {
    const report = newReport();
    const operators = [newton(20), newton(200), mandelbrot(6), stencils(5)];
    await runCases(
      report,
      operators.map((op, number) =>
        caseOf({ number, family: "graph", op, callsFunctions: false }, createRng(number + 1)),
      ),
    );
    expect(report.failures).toEqual([]);
    expect(report.rejected).toEqual([]);
  });
});

describe("a product of floats", () => {
  const length = 256;
  const product = (spatial: readonly number[]): ComputeDef =>
    def(
      defineOp({}, () => {
        const X = tensor("X", [...spatial, length], "f32");
        const k = reduceAxis("k", length);
        return compute("Y", spatial, (...axes: Expr[]) => prod(X(...axes, k), k));
      }),
    );

  /** Two reduce axes, the longer outside: a block of the longer one would be a part of the product. */
  const columns = def(
    defineOp({}, () => {
      const X = tensor("X", [64, 4, 16], "f32");
      const [a, b] = [reduceAxis("a", 64), reduceAxis("b", 4)];
      return compute("Y", [16], (j) => prod(X(a, b, j), [a, b]));
    }),
  );

  test("has the order of the reference in every template", () => {
    for (const target of [targets.wasm, targets.avx2, targets.avx512]) {
      for (const op of [product([]), product([3]), columns]) {
        const { templates } = generateSpace({ op, target, numerics: "fast", threads: 1 });
        const strict = generateSpace({ op, target, numerics: "strict", threads: 1 }).templates;
        expect(templates.map(({ name }) => name)).toEqual(strict.map(({ name }) => name));
      }
    }
  });

  const X = Float32Array.from({ length }, (_, at) => (at % 2 === 0 ? 1e5 : 1e-5));
  const sourceFor = (target: CpuTarget): KernelSource => {
    const task = { op: product([]), target, numerics: "fast", threads: 1 } as const;
    const space = generateSpace(task);
    const kernel = candidateKernel(task, space, predict(space)!);
    if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
    return kernel.source;
  };

  test("neither overflows nor vanishes where the reference does not: WASM", () => {
    const out = new Float32Array(1);
    loadWasm(sourceFor(targets.wasm) as WasmSource).call([X, out]);
    expect(out[0]).toBeCloseTo(1, 3);
  });

  for (const { title, target } of nativeTargets) {
    eachCompiler({ title: `neither overflows nor vanishes: ${title}`, target }, ({ compileAll }) => {
      test("as the reference", async () => {
        const out = new Float32Array(1);
        (await compileAll([sourceFor(target) as CSource])).call(0, X, out);
        expect(out[0]).toBeCloseTo(1, 3);
      });
    });
  }

  test("of integers, and a sum of floats, may be taken apart", () => {
    const rfactors = (dtype: "i32" | "f32", reduce: typeof sum): number => {
      const op = def(
        defineOp({}, () => {
          const X = tensor("X", [length], dtype);
          const k = reduceAxis("k", length);
          return compute("Y", [], () => reduce(X(k), k));
        }),
      );
      const { trace } = drawTrace({ op, target: targets.avx2, numerics: "fast" }, createRng(1));
      return trace.filter(({ kind }) => kind === "rfactor").length;
    };
    expect(rfactors("i32", prod)).toBeGreaterThan(0);
    expect(rfactors("f32", sum)).toBeGreaterThan(0);
    expect(rfactors("f32", prod)).toBe(0);
  });
});
