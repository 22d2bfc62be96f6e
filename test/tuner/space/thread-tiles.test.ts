// The spaces of GPUs without tensor cores: which rule has which operator, that schedules are legal and take what their constraints say,
// and that a barrier left out is found. No GPU is needed: an interpreter runs the threads.

import { describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  generateKernel,
  instantiate,
  type LoopFunc,
  type Op,
  opLibrary,
  printDiagnostic,
  type Stmt,
  webgpu,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { explainSpace } from "../../../src/tuner/space/explain-space.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { fewer, inTurn } from "../../support/long.ts";
import { type Reference, referenceOf, wrongNest } from "../../support/reference.ts";
import {
  describeSchedule,
  drawSchedules,
  groupBytesIn,
  loweredThreads,
  mirrored,
  scheduled,
  threadSpace,
} from "../../support/thread-schedules.ts";

const { attention, batchMatmul, conv2d, gemm, gemmExpGemm, gemv, layerNorm, map, maxPool2d, softmax, sum } = opLibrary;
const { compute, defineOp, reduceAxis, sum: total, tensor } = authoring;

const defined = (op: Op): ComputeDef => instantiate(op, {}, "op");
const square = (size: number) => ({ M: size, N: size, K: size });

describe("templates", () => {
  const tiles = "in tiles of threads";
  const copied = `${tiles}, operands in their group`;
  const parts = [tiles, copied, `${tiles}, k in slices`];

  test.each<readonly [string, Op, readonly string[]]>([
    ["gemm", gemm(square(512)), [`C ${tiles}`, `C ${copied}`]],
    [
      "bias and activation",
      gemm(square(512), { bias: true, activation: "relu" }),
      [`C with C.sum ${tiles}`, `C with C.sum ${copied}`],
    ],
    ["batches", batchMatmul({ batch: 3, ...square(128) }), [`C ${tiles}`, `C ${copied}`]],
    [
      "few rows",
      gemm({ M: 4, N: 512, K: 512 }),
      [`C ${tiles}`, `C ${copied}`, `C ${tiles}, k in slices`, ...parts.map((way) => `C in parts of k ${way}`)],
    ],
    ["convolutions", conv2d({ H: 28, W: 28, C: 64, F: 64 }), [`out ${tiles}`, `out ${copied}`]],
    ["pools", maxPool2d({ H: 8, W: 8, C: 4, size: 2 }), [`out ${tiles}`]],
    [
      "products with a vector",
      gemv({ M: 64, K: 64 }),
      ["y by rows", "y by rows, several a thread", `y ${tiles}, k in slices`],
    ],
    ["sums of rows", sum({ M: 4, N: 64 }), ["y by rows"]],
    ["short rows", sum({ M: 64, N: 7 }), [`y ${tiles}`]],
    [
      "softmax",
      softmax({ M: 4, N: 64 }),
      [
        "Y with Y.max, Y.sum by rows",
        "Y with Y.max, Y.sum by rows, in vectors",
        "Y with Y.max, Y.sum by rows, kept in registers",
        "Y with Y.max, Y.sum by rows, kept in registers as vectors",
      ],
    ],
    [
      "rows that are no whole vectors",
      softmax({ M: 4, N: 65 }),
      ["Y with Y.max, Y.sum by rows", "Y with Y.max, Y.sum by rows, kept in registers"],
    ],
    ["rows that no thread can keep", softmax({ M: 40, N: 16_385 }), ["Y with Y.max, Y.sum by rows"]],
    ["maps", map({ N: 100 }, (x) => x.mul(2)), ["y in vectors of threads"]],
  ])("%s", (_, op, names) => {
    expect(threadSpace(defined(op)).templates.map(({ name }) => name)).toEqual(names);
  });

  test("sums in their order are no matter of several threads", () => {
    const names = threadSpace(defined(softmax({ M: 4, N: 64 })), "strict").templates.map(({ name }) => name);
    expect(names.join("; ")).not.toContain("by rows");
  });

  test("attention is four launches", () => {
    const [template] = threadSpace(defined(attention({ heads: 2, M: 8, N: 32, D: 8 }))).templates;
    expect(template!.name.split("; ")).toHaveLength(4);
  });
});

/** Threads of the groups of each launch. */
function threadsIn({ body }: LoopFunc): readonly number[] {
  const launches = body.kind === "seq" ? body.body : [body];
  const product = (stmt: Stmt): number =>
    stmt.kind === "for" && (stmt.name.startsWith("blockIdx.") || stmt.name.startsWith("threadIdx."))
      ? product(stmt.body) * (stmt.name.startsWith("threadIdx.") ? stmt.extent : 1)
      : 1;
  return launches.map(product);
}

describe("schedules are legal, and take the threads and the memory that their constraints say", () => {
  inTurn(2).each<readonly [string, Op, number]>([
    ["gemm", gemm(square(256)), 12],
    ["gemm with odd extents", gemm({ M: 13, N: 35, K: 33 }, { bias: true }), 12],
    ["few rows", gemm({ M: 3, N: 40, K: 200 }, { activation: "relu" }), 12],
    ["bytes", gemm({ ...square(64), dtype: "i8" }), 8],
    ["convolution", conv2d({ H: 14, W: 14, C: 16, F: 24, stride: 2, padding: 1 }), 8],
    ["softmax", softmax({ M: 8, N: 300 }), 12],
    ["layerNorm", layerNorm({ M: 6, N: 77 }), 12],
    ["two products", gemmExpGemm({ M: 32, N: 32, K: 16, L: 16 }), 4],
  ])(
    "%s",
    (_, library, count) => {
      const op = defined(library);
      for (const drawn of threadSpace(op).templates.flatMap((template) => drawSchedules(template, fewer(count), 1))) {
        const func = loweredThreads(op, drawn);
        const valuesOf = (ending: string): readonly number[] =>
          Object.entries(drawn.assignment).flatMap(([name, value]) => (name.endsWith(ending) ? [value] : []));
        const bytes = valuesOf(".group-bytes").reduce((all, each) => all + each, 0);
        expect(groupBytesIn(func), describeSchedule(drawn)).toBe(bytes);
        expect(Math.max(...threadsIn(func))).toBeLessThanOrEqual(webgpu.limits.threadsPerGroup!);
        const isMultiple = (threads: number): boolean => threadsIn(func).includes(threads);
        expect(valuesOf(".threads").some(isMultiple), describeSchedule(drawn)).toBe(true);
        expect(func.buffers.filter(({ memory }) => memory === "register")).toEqual([]);
      }
    },
    120_000,
  );
});

test("narrow sums of slices take words of the memory of a group, so that none is refused", () => {
  const op = defined(
    defineOp({}, () => {
      const [X, k] = [tensor("X", [9, 96, 17], "i16"), reduceAxis("k", 96)];
      return compute("y", [9, 17], (r, j) => total(X(r, k, j), k));
    }),
  );
  const sliced = threadSpace(op).templates.filter(({ name }) => name.includes("in slices"));
  expect(sliced).toHaveLength(1);
  const bytesOf = ({ assignment }: (typeof drawn)[number]): number => assignment["y.group-bytes"]!;
  const drawn = drawSchedules(sliced[0]!, 1500, 1).toSorted((a, b) => bytesOf(b) - bytesOf(a));
  for (const largest of drawn.slice(0, 5)) {
    const kernel = generateKernel(op, largest.trace, webgpu, { numerics: "fast", verify: false });
    expect(kernel.kind === "ok" ? "" : printDiagnostic(kernel.diagnostic), describeSchedule(largest)).toBe("");
  }
});

test("an axis along z has fewer threads than the others may, so that none is refused", () => {
  const op = defined(
    defineOp({}, () => {
      const [X, Y] = [tensor("X", [300, 9], "f32"), tensor("Y", [2, 9], "f32")];
      const [Z, k] = [tensor("Z", [2, 9], "f32"), reduceAxis("k", 9)];
      return compute("C", [300, 2, 2], (a, b, c) => total(X(a, k).mul(Y(b, k)).mul(Z(c, k)), k));
    }),
  );
  const seen = new Set<number>();
  for (const template of threadSpace(op).templates) {
    for (const drawn of drawSchedules(template, 40, 1)) {
      const kernel = generateKernel(op, drawn.trace, webgpu, { numerics: "fast", verify: false });
      expect(kernel.kind === "ok" ? "" : printDiagnostic(kernel.diagnostic), describeSchedule(drawn)).toBe("");
      seen.add(drawn.assignment["C.a.threads"]!);
    }
  }
  expect(Math.max(...seen)).toBe(64);
});

/** The function without one of its barriers; null: it has not so many. */
function withoutBarrier(func: LoopFunc, number: number): LoopFunc | null {
  let count = 0;
  const visit = (stmt: Stmt): Stmt => {
    switch (stmt.kind) {
      case "sync":
        return count++ === number ? { kind: "seq", body: [] } : stmt;
      case "seq":
        return { ...stmt, body: stmt.body.map(visit) };
      case "for":
        return { ...stmt, body: visit(stmt.body) };
      case "if":
        return { ...stmt, then: visit(stmt.then), else: stmt.else && visit(stmt.else) };
      default:
        return stmt;
    }
  };
  const body = visit(func.body);
  return count > number ? { ...func, body } : null;
}

/** Results with some threads ahead of others, one way and the other. */
const wrongInSomeOrder = (reference: Reference, func: LoopFunc): string | null =>
  wrongNest(reference, func) ?? wrongNest(reference, mirrored(func));

test("a barrier that is left out is found", () => {
  const found = new Map<string, number>();
  for (const library of [gemm({ M: 16, N: 16, K: 64 }), gemm({ M: 2, N: 9, K: 100 }), softmax({ M: 4, N: 40 })]) {
    const op = defined(library);
    const reference = referenceOf(op, createRng(3));
    for (const drawn of threadSpace(op).templates.flatMap((template) => drawSchedules(template, 2, 5))) {
      const func = loweredThreads(op, drawn);
      expect(wrongInSomeOrder(reference, func)).toBeNull();
      const broken = Array.from({ length: 9 }, (_, number) => withoutBarrier(func, number)).filter((it) => it !== null);
      const wrong = broken.filter((it) => wrongInSomeOrder(reference, it) !== null);
      // Each group of the last step, and the first of all, comes to its barriers with nothing to wait for.
      if (broken.length > 0) expect(wrong.length, describeSchedule(drawn)).toBeGreaterThan(0);
      found.set(drawn.template, wrong.length + (found.get(drawn.template) ?? 0));
    }
  }
  const names = [...found].filter(([, count]) => count > 0).map(([name]) => name);
  for (const part of ["operands in their group", "k in slices", "by rows"]) expect(names.join("; ")).toContain(part);
});

test("what no thread passes on needs no barrier", () => {
  const op = defined(gemm({ M: 16, N: 16, K: 16 }));
  const [template] = threadSpace(op).templates;
  for (const drawn of drawSchedules(template!, 8, 2)) {
    expect(withoutBarrier(loweredThreads(op, drawn), 0), describeSchedule(drawn)).toBeNull();
  }
});

describe("limits", () => {
  const withLimits = (limits: Readonly<Record<string, number>>) => ({
    ...webgpu,
    limits: { ...webgpu.limits, ...limits },
  });

  test("an empty template says which one is too small", () => {
    const { templates } = threadSpace(defined(gemm(square(512))), "fast", withLimits({ groupBytes: 16 }));
    const [, inGroup] = templates;
    expect(explainSpace({ templates: [inGroup!] }).detail).toContain("a step of A and B fits the 16 bytes of a group");
  });

  test("a smaller machine has groups of fewer threads", () => {
    const op = defined(gemm(square(64)));
    const { templates } = threadSpace(op, "fast", withLimits({ threadsPerGroup: 16 }));
    for (const drawn of templates.flatMap((template) => drawSchedules(template, 5, 1))) {
      expect(drawn.assignment["C.threads"]).toBeLessThanOrEqual(16);
      scheduled(op, drawn);
    }
  });
});

test("a space is drawn from fast", () => {
  const { templates } = threadSpace(defined(gemm(square(512))));
  for (const { model, name } of templates) {
    const [compiled, rng] = [compileModel(model), createRng(1)];
    const started = process.cpuUsage().user;
    for (let count = 0; count < 500; count++) expect(sample(compiled, rng).kind).toBe("found");
    // Thousands a second on an idle core; five seconds are for one that others share.
    expect((process.cpuUsage().user - started) / 1e6, name).toBeLessThan(5);
  }
});

describe("what is predicted", () => {
  /** The template and the decisions of the schedule that the model of a small GPU likes best, of some hundred of each template. */
  function best(library: Op): { readonly template: string; readonly value: (ending: string) => number } {
    const space = threadSpace(defined(library));
    const drawn = space.templates.flatMap((template) =>
      drawSchedules(template, 800, 1).map(({ assignment }) => {
        const stages = space.estimates(template).map((estimate) => estimate(assignment));
        expect(
          stages.flatMap((facts) => Object.values(facts)).every((fact) => Number.isFinite(fact) && fact >= 0),
        ).toBe(true);
        return { ns: space.prior(template, assignment)!, template: template.name, assignment };
      }),
    );
    const { template, assignment } = drawn.reduce((least, it) => (it.ns < least.ns ? it : least));
    return { template, value: (name) => assignment[name] ?? 0 };
  }

  test("a large product is fast by way of the memory of the group, in tiles of many sums", () => {
    const { template, value } = best(gemm(square(512)));
    expect(template).toContain("operands in their group");
    expect(value("C.sums")).toBeGreaterThanOrEqual(16);
    expect(value("C.threads")).toBeGreaterThanOrEqual(64);
  });

  test("a product of few rows is fast in slices of its depth", () => {
    expect(best(gemm({ M: 2, N: 256, K: 4096 })).template).toContain("k in slices");
  });

  test("rows are fast in registers", () => {
    const { template, value } = best(softmax({ M: 512, N: 1024 }));
    expect(template).toContain("kept in registers as vectors");
    expect(value("Y.row-threads")).toBeGreaterThanOrEqual(32);
  });

  test("maps are fast in vectors", () => {
    expect(best(map({ N: 1 << 20 }, (x) => x.mul(2))).value("y.map-lanes")).toBe(4);
  });
});
