import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import gemmOp from "../../../../fixtures/ops/gemm.op.ts";
import {
  fromCompute,
  generateKernel,
  type Instruction,
  instantiate,
  interpret,
  printDiagnostic,
  printTrace,
  replay,
  schedule,
  simplifyTrace,
  type Trace,
  targets,
} from "../../../../src/compiler/index.ts";
import { printPlain } from "../../../../src/compiler/schedule/replay/plain-nest.ts";
import { drawInstruction } from "../../../support/random-instruction.ts";
import { drawCase, isIllegal } from "../../../support/random-schedule.ts";
import { inputsOf } from "../nests.ts";

const gemm = instantiate(gemmOp, { M: 6, N: 8, K: 5 }, "gemm");
const simplified = (...trace: Trace): string => printTrace(simplifyTrace(gemm, trace));

test("splits into one part, and what names it", () => {
  expect(
    simplified(
      { kind: "split", loop: "C.i", factors: [6], tail: "cut" },
      { kind: "split", loop: "C.i.0", factors: [0, 3], tail: "cut" },
      { kind: "reorder", loops: ["C.k", "C.i.0.1"] },
      { kind: "unroll", loop: "C.i.0.1" },
    ),
  ).toBe("split C.i [0, 3] cut\nreorder C.k C.i.1\nunroll C.i.1");
});

test("parts of one iteration, and their marks; not the loop that another instruction needs", () => {
  expect(
    simplified(
      { kind: "split", loop: "C.j", factors: [0, 1, 2, 4], tail: "cut" },
      { kind: "split", loop: "C.k", factors: [5, 1], tail: "perfect" },
      { kind: "reorder", loops: ["C.j.0", "C.k.0", "C.k.1", "C.j.1", "C.j.2", "C.j.3"] },
      { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
      { kind: "vectorize", loop: "C.j.3" },
      { kind: "unroll", loop: "C.j.2" },
      { kind: "unroll", loop: "C.j.1" },
      { kind: "unroll", loop: "C.k.1" },
    ),
  ).toBe(
    [
      "split C.j [0, 2, 4] cut",
      "reorder C.j.0 C.k C.j.1 C.j.2",
      "cache-write C register at C.j.0",
      "vectorize C.j.2",
      "unroll C.j.1",
    ].join("\n"),
  );
});

test("orders that are there already, and a scope", () => {
  expect(
    simplified(
      { kind: "reorder", loops: ["C.i", "C.j", "C.k"] },
      { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
      { kind: "set-scope", buffer: "C.acc", scope: "register" },
    ),
  ).toBe("cache-write C register at C.j");
});

test("what has a meaning stays, and an illegal trace too", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.i", factors: [0, 4], tail: "cut" },
    { kind: "reorder", loops: ["C.k", "C.i.1"] },
    { kind: "unroll", loop: "C.i.1" },
  ];
  expect(simplifyTrace(gemm, trace)).toBe(trace);
  const illegal: Trace = [{ kind: "unroll", loop: "C.x" }];
  expect(simplifyTrace(gemm, illegal)).toBe(illegal);
});

property.prop([fc.nat(10_000)], { numRuns: 10 })("drawn schedules keep their meaning", (number) => {
  const { definition, trace, scheduled } = drawCase(5, number);
  if (isIllegal(scheduled)) throw new Error(printDiagnostic(scheduled));
  const short = simplifyTrace(definition, trace);
  expect(short.length).toBeLessThanOrEqual(trace.length);
  expect(printPlain(schedule(fromCompute(definition), short))).toBe(printPlain(scheduled));
  expect(simplifyTrace(definition, short)).toBe(short);
});

/** The legal ones of instructions that are drawn one after another. */
function drawTrace(seeds: readonly number[]): Trace {
  const start = fromCompute(gemm);
  const trace: Instruction[] = [];
  for (const seed of seeds) {
    trace.push(drawInstruction(schedule(start, trace), seed));
    if (replay(start, trace).kind === "illegal") trace.pop();
  }
  return trace;
}

property.prop([fc.array(fc.nat(), { minLength: 4, maxLength: 14 })], { numRuns: 40 })(
  "any legal instructions keep what they compute",
  (seeds) => {
    const trace = drawTrace(seeds);
    const [before, after] = [trace, simplifyTrace(gemm, trace)].map((it) => schedule(fromCompute(gemm), it));
    expect(interpret(after!, inputsOf(fromCompute(gemm)))).toEqual(interpret(before!, inputsOf(fromCompute(gemm))));
  },
);

test("the kernel is the same too", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.j", factors: [0, 1, 4], tail: "cut" },
    { kind: "split", loop: "C.i", factors: [0, 1, 3], tail: "cut" },
    { kind: "reorder", loops: ["C.i.0", "C.i.1", "C.j.0", "C.k", "C.i.2", "C.j.1", "C.j.2"] },
    { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
    { kind: "vectorize", loop: "C.j.2" },
    { kind: "unroll", loop: "C.i.2" },
    { kind: "unroll", loop: "C.j.1" },
  ];
  const short = simplifyTrace(gemm, trace);
  expect(short.length).toBe(6);
  const options = { numerics: "fast", verify: true } as const;
  const [simple, whole] = [short, trace].map((it) => generateKernel(gemm, it, targets.wasm, options));
  expect(simple).toMatchObject({ kind: "ok" });
  expect(simple).toEqual({ ...whole, relaxed: expect.any(Function) });
});
