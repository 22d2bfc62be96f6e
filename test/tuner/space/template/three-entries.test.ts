// One GEMM schedule by hand, as a template with sampled knobs, and as the rules make it: the same trace and the same C.

import { expect, test } from "vitest";
import gemmOp from "../../../../fixtures/ops/gemm.op.ts";
import { instantiate, opLibrary, parseTrace, targets, traceToJson } from "../../../../src/compiler/index.ts";
import type { Candidate, Space } from "../../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import { candidateKernel, candidateTrace } from "../../../../src/tuner/kernel/candidate-kernel.ts";
import { inspectCandidate } from "../../../../src/tuner/report/inspect.ts";
import { drawPoint, findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { savedSchedule } from "../../../../src/tuner/space/template/saved-schedule.ts";
import { handSchedule, template } from "../../../../src/tuner/space/template/template.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

const op = instantiate(gemmOp, { M: 48, N: 64, K: 32 }, "gemm");
const task: TuningTask = { op, target: targets.avx2, numerics: "fast", threads: 1 };

/** The shape of what `multi-level-tiling` makes of a GEMM with rows outside, B packed. */
const knobs = template("tiled", (t) => {
  const lanes = t.lanes("f32");
  const [blocks, registers] = [t.sampleCategorical("block", [1, 2, 4, 8]), t.sampleCategorical("rows", [1, 2, 4, 6])];
  const vectors = t.sampleCategorical("vectors", [1, 2]);
  t.split("C.i", [0, blocks, registers], "cut");
  t.split("C.j", [0, 1, vectors, lanes], "cut");
  t.split("C.k", [0, 32, 1], "cut");
  t.reorder(["C.j.0", "C.k.0", "C.i.0", "C.j.1", "C.i.1", "C.k.1", "C.k.2", "C.i.2", "C.j.2", "C.j.3"]);
  t.vectorize("C.j.3");
  for (const loop of ["C.i.2", "C.k.2", "C.j.2"]) t.unroll(loop);
  t.cacheWrite("C", "C.i.1");
  const live = t.sum(t.product(registers, vectors), vectors, 1);
  t.atMost(live, t.target.vectorRegisters, "the sums and their operands fit the registers");
});

/** Code of a candidate, whichever template it is of. */
function codeOf(of: TuningTask, space: Space, candidate: Candidate) {
  const kernel = candidateKernel(of, space, candidate, { verify: true });
  return kernel.kind === "ok" ? { source: kernel.source, prepare: kernel.prepare } : kernel;
}

test("a template with knobs, the hand schedule of its trace as JSON", () => {
  const knobbed = generateSpace(task, [], [knobs]);
  const candidate = { template: "tiled", assignment: { block: 4, rows: 6, vectors: 2 } };
  expect(findPoint(searchSpace(knobbed), candidate)?.candidate).toEqual(candidate);
  const trace = candidateTrace(knobbed, candidate)!;
  const parsed = parseTrace(traceToJson(trace));
  const byHand = generateSpace(task, [], [handSchedule("by hand", parsed.kind === "ok" ? parsed.trace : [])]);
  const alone = predict(byHand)!;
  expect(alone).toEqual({ template: "by hand", assignment: {} });
  expect(candidateTrace(byHand, alone)).toEqual(trace);
  expect(codeOf(task, byHand, alone)).toEqual(codeOf(task, knobbed, candidate));
});

test("what the rules make, by hand and as a template of one's own", () => {
  const generated = generateSpace(task);
  const candidate = predict(generated)!;
  const { instructions, model } = generated.templates.find(({ name }) => name === candidate.template)!;
  const again = template("again", (t) => {
    for (const { name, domain, key } of model.variables)
      if (key) t.sampleCategorical(name, domain as readonly number[]);
    for (const { instruction, when } of instructions) {
      const conditioned = when.reduceRight<() => void>(
        (body, condition) => () => t.when(condition, body),
        () => t.instruct(instruction),
      );
      conditioned();
    }
  });
  const trace = candidateTrace(generated, candidate)!;
  const entries = generateSpace(task, undefined, ["generated", handSchedule("by hand", trace), again]);
  const same = [candidate, { template: "by hand", assignment: {} }, { ...candidate, template: "again" }];
  expect(same.map((one) => candidateTrace(entries, one))).toEqual([trace, trace, trace]);
  const [first, ...others] = same.map((one) => codeOf(task, entries, one));
  expect(first).toMatchObject({ source: { kind: "c", text: expect.stringContaining("for (") } });
  expect(others).toEqual([first, first]);
});

test("a schedule of another algorithm, by hand", () => {
  const shape = { N: 1, H: 8, W: 8, C: 16, F: 16, padding: 1 };
  const conv: TuningTask = { ...task, op: instantiate(opLibrary.conv2d(shape), {}, "conv") };
  const generated = generateSpace(conv);
  const { name, algorithm } = generated.templates.find((one) => one.algorithm)!;
  expect(algorithm).toMatch(/^winograd/);
  const search = searchSpace({ templates: generated.templates.filter((one) => one.name === name) });
  const { candidate } = drawPoint(search, search.templates[0]!, createRng(1), {})!;
  const saved = savedSchedule(generated, candidate)!;
  const byHand = generateSpace(conv, [], [handSchedule("by hand", saved.trace, saved)]);
  const alone = { template: "by hand", assignment: {} };
  expect(codeOf(conv, byHand, alone)).toEqual(codeOf(conv, generated, candidate));
  expect(inspectCandidate(conv, generated, candidate).typescript).toContain(`}, { algorithm: "${algorithm}" });`);
  const direct = handSchedule("by hand", saved.trace);
  expect(() => generateSpace(conv, [], [direct])).toThrow(
    /^.*\.no-such-block: .*\n {2}.*three-entries\.test\.ts:\d+:\d+/,
  );
  expect(() => generateSpace(task, [], [handSchedule("by hand", saved.trace, saved)])).toThrow(
    `template.no-such-algorithm: gemm is not computed by ${algorithm}`,
  );
});
