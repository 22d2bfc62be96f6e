// Proofs about winners against the whole space, listed point by point.

import { describe, expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import { instantiate, targets } from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { enumerate } from "../../../src/tuner/constraint/solver/enumerate.ts";
import { asWritten } from "../../../src/tuner/data/computation.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import type { RankingFacts } from "../../../src/tuner/prior/ranker.ts";
import { proveWinner } from "../../../src/tuner/proof/prove-winner.ts";
import { candidateKey, findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import type { Estimate } from "../../../src/tuner/space/draft/draft.ts";
import { type GeneratedSpace, generateSpace, spaceOfTemplates } from "../../../src/tuner/space/generate.ts";
import { frozenTargets } from "../../support/frozen-targets.ts";
import { randomSpace } from "../../support/random-space.ts";
import { pigeonhole } from "../constraint/pigeonhole.ts";
import { anyOp } from "../search/synthetic-task.ts";

const never = { mostMs: 1, nowMs: () => 0 };

const taskOf = (targetName: "wasm" | "avx2", parameters = {}): TuningTask => ({
  op: instantiate(gemm, parameters, "gemm"),
  target: frozenTargets[targetName],
  numerics: "fast",
  threads: 1,
});

/** By listing: of each template, the least time that the model predicts. */
const leastOf = (space: GeneratedSpace): ReadonlyMap<string, number> =>
  new Map(
    space.templates.map((template) => {
      const times = [...enumerate(compileModel(template.model))].map(
        (point) => space.prior(template, point) ?? Infinity,
      );
      return [template.name, Math.min(Infinity, ...times)];
    }),
  );

describe("of spaces by lot", () => {
  test.each(Array.from({ length: 60 }, (_, at) => at + 1))("space %i", async (seed) => {
    const { space, points } = randomSpace(seed);
    const least = leastOf(space);
    const task = { ...taskOf("wasm"), target: targets.wasm };
    for (const { candidate, template, assignment } of points.slice(0, 5)) {
      const predictedNs = space.prior(template.template, assignment);
      const proof = await proveWinner(task, space, candidate, never);
      expect(proof.predictedNs).toBe(predictedNs);
      if (predictedNs === null) continue;
      for (const one of proof.templates) {
        const ns = least.get(one.template)!;
        if (space.estimates({ name: one.template } as never).length === 0) expect(one.verdict).toBe("silent");
        else if (ns < predictedNs) {
          expect(one).toMatchObject({ verdict: "faster", isLeast: true, atLeastNs: ns, best: { ns } });
          const point = findPoint(searchSpace(space), one.best!.schedule)!;
          expect(space.prior(point.template.template, point.assignment)).toBe(ns);
        } else expect(one).toMatchObject({ verdict: "none", best: null });
      }
    }
  });
});

describe("of a GEMM", () => {
  const task = taskOf("wasm", { M: 16, N: 16, K: 28 });
  const space = generateSpace(task);

  test("the least is that of the whole space, and where it wins that is proven", async () => {
    const least = [...leastOf(space).values()][0]!;
    const proof = await proveWinner(task, space, predict(space)!, never);
    const { best } = proof.templates[0]!;
    expect(best?.ns).toBe(least);
    expect(proof.text).toContain("C tiled: ");
    const again = await proveWinner(task, space, best!.schedule, never);
    expect(again).toMatchObject({ verdict: "none", predictedNs: least });
    expect(again.text).toContain("proven: no schedule of this space is predicted to be faster");
  });

  test("where time runs out nothing is claimed", async () => {
    let now = 0;
    const { best } = (await proveWinner(task, space, predict(space)!, never)).templates[0]!;
    const proof = await proveWinner(task, space, best!.schedule, { mostMs: 3, nowMs: () => now++ });
    expect(proof).toMatchObject({
      verdict: "unknown",
      templates: [{ verdict: "unknown", best: null, isLeast: false }],
    });
    expect(proof.text).toContain("unknown, time ran out");
  });

  test("a candidate that the space does not have is no winner", async () => {
    const unknown: Candidate = { template: "C tiled", assignment: {} };
    expect(await proveWinner(task, space, unknown, never)).toMatchObject({ predictedNs: null, verdict: "silent" });
  });
});

describe("where propagation cannot tell whether a faster schedule exists", () => {
  const facts: RankingFacts = {
    flops: 1000,
    waste: 1,
    lanes: 4,
    multiplyAddShare: 1,
    accumulators: 2,
    liveRegisters: 4,
    loadsPerOperation: 1,
    bytesFromL2: 0,
    bytesFromL3: 0,
    bytesFromMemory: 0,
    packedBytes: 0,
    loopIterations: 10,
    parallelTasks: 1,
    bodyInstructions: 4,
  };
  const estimate: Estimate = ({ size }) => ({ ...facts, flops: 1000 * size! });
  /** With size 1 as many places as loops less one; with size 2 one place is free. */
  const space = (isFree: boolean): GeneratedSpace => {
    const { variables, constraints } = pigeonhole(6);
    const last = variables.at(-1)!;
    const room = { ...last, domain: [...(last.domain as readonly number[]), 6] };
    const model = {
      variables: [...variables.slice(0, -1), room, { name: "size", domain: [1, 2], key: true }],
      constraints: isFree
        ? constraints
        : [
            ...constraints,
            {
              kind: "conditional",
              when: [{ tunable: "size", oneOf: [1] }],
              then: { kind: "at-most", left: last.name, right: 5 },
              why: "small schedules have six places",
              role: "limit",
            } as const,
          ],
    };
    const template = { name: "places", ...asWritten(anyOp), instructions: [], structure: [], model };
    return spaceOfTemplates([{ template, estimates: [estimate] }], frozenTargets.wasm);
  };
  const places = Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((at) => [`p${at}`, at]));
  const winner: Candidate = { template: "places", assignment: { ...places, size: 2 } };

  test("z3 refutes it", async () => {
    const proof = await proveWinner(taskOf("wasm"), space(false), winner, never);
    expect(proof.templates).toMatchObject([{ verdict: "none", isLeast: true }]);
  });

  test("one that exists is found", async () => {
    const proof = await proveWinner(taskOf("wasm"), space(true), winner, never);
    const [{ verdict, best }] = proof.templates as [(typeof proof.templates)[0]];
    expect(verdict).toBe("faster");
    expect(candidateKey(best!.schedule)).toContain("size=1");
  });
});
