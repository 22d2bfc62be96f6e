// Operators by lot on GPUs without tensor cores: schedules of their templates are legal and compute what the reference does. They have
// stages that nobody thought of: no axes, several reductions, results that others read, choices and windows.

import { describe, expect } from "vitest";
import { type ComputeDef, printComputeDef } from "../../../src/compiler/index.ts";
import { checkPlan } from "../../../src/tuner/check/check-output.ts";
import { exactInputLimit } from "../../../src/tuner/check/exactness.ts";
import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { drawOperator } from "../../support/drawn/draw-operator.ts";
import { small } from "../../support/drawn/drawing.ts";
import { inTurn } from "../../support/long.ts";
import { randomGraph } from "../../support/random-graph.ts";
import { type ReferenceOptions, referenceOf } from "../../support/reference.ts";
import { drawSchedules, threadSpace, wrongThreads } from "../../support/thread-schedules.ts";

const turn = inTurn(4);

/** Templates of an operator that are run: the interpreter does it after each pass. */
const mostTemplates = 2;

interface Drawn {
  readonly op: ComputeDef;
  /** Whether sums may be taken apart. */
  readonly isFast: boolean;
  readonly plan: ReferenceOptions;
}

function drawn(rng: Rng): Drawn {
  const { def, manner } = drawOperator(rng, small);
  const isFast = manner === "smooth" || exactInputLimit([def]) !== null;
  const exact: ReferenceOptions = {
    values: { kind: "reals", from: -1, to: 1 },
    bounds: def.outputs.map(() => ({ kind: "exact" })),
  };
  return { op: def, isFast, plan: isFast ? checkPlan(def) : exact };
}

function graph(rng: Rng): Drawn {
  const op = randomGraph(rng);
  return { op, isFast: true, plan: checkPlan(op) };
}

describe.each([
  ["operators", drawn, 12],
  ["graphs", graph, 6],
] as const)("%s", (_, draw, count) => {
  turn.each(Array.from({ length: count }, (_, at) => at))(
    "%i",
    (at) => {
      const rng = createRng(7_000 + at);
      const { op, isFast, plan } = draw(rng);
      const numerics = isFast ? "fast" : "strict";
      const reference = referenceOf(op, rng, plan);
      const templates = rng.shuffle([...threadSpace(op, numerics).templates]).slice(0, mostTemplates);
      expect(templates.length).toBeGreaterThan(0);
      for (const schedule of templates.flatMap((template) => drawSchedules(template, 1, at))) {
        expect(wrongThreads(reference, schedule, numerics), printComputeDef(op)).toBeNull();
      }
    },
    120_000,
  );
});
