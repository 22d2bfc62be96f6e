// Cost models on samples: each learns from some rows of a task, or from other tasks, and orders rows that it has not seen.

import type { CostModel } from "../../../src/tuner/cost-model/cost-model.ts";
import type { FeatureExtractor } from "../../../src/tuner/cost-model/features.ts";
import { learnResidual } from "../../../src/tuner/experience/residual-prior.ts";
import { withExperience } from "../../../src/tuner/experience/transfer.ts";
import { fitMachine } from "../../../src/tuner/prior/calibrate.ts";
import type { MachineModel } from "../../../src/tuner/prior/machine-model.ts";
import { predictTotalNs } from "../../../src/tuner/prior/ranker.ts";
import { scoreOf } from "../../../src/tuner/search/state/search-state.ts";
import type { GeneratedSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import type { Sample } from "./sample.ts";
import { bestOfFirst, recall, spearman } from "./statistics.ts";

export interface Figures {
  readonly rho: number;
  /** Share of the best tenth that the predictions find. */
  readonly recall: number;
  /** Best time of all over the best of the first 24 by prediction (of the first sixth, where there are few rows). */
  readonly best: number;
}

function figuresOf(predictions: ArrayLike<number>, ns: readonly number[]): Figures {
  const speed = ns.map((value) => -value);
  return {
    rho: spearman(predictions, speed),
    recall: recall(predictions, speed, Math.max(1, Math.round(ns.length / 10))),
    best: bestOfFirst(predictions, ns, Math.max(1, Math.min(24, Math.round(ns.length / 6)))),
  };
}

/** The prior by itself: nothing is learnt. */
export function priorFigures({ points, ns, space, task }: Sample, machine?: MachineModel): Figures {
  const predicted = points.map(({ template, assignment }) =>
    predictTotalNs(space.facts(template.template, assignment)!, task.target, machine),
  );
  return figuresOf(
    predicted.map((value) => -value),
    ns,
  );
}

/** The prior of a tuning that has the others' records. */
export const experiencedPrior = ({ space, task }: Sample, others: readonly Sample[]): GeneratedSpace["prior"] =>
  withExperience(
    space,
    task,
    others.flatMap(({ records }) => records),
  ).prior;

/** The prior corrected by what other tasks taught. */
export function transferFigures({ points, ns, space, task }: Sample, others: readonly Sample[]): Figures {
  const residual = learnResidual(
    others.flatMap(({ records }) => records),
    task.target,
  );
  const predicted = points.map(({ template, assignment }) => {
    const facts = space.facts(template.template, assignment)!;
    return Math.log2(predictTotalNs(facts, task.target)) + (residual?.(facts) ?? 0);
  });
  return figuresOf(
    predicted.map((value) => -value),
    ns,
  );
}

/** The prior with numbers fitted to measured candidates of other tasks. */
export function calibratedFigures(sample: Sample, others: readonly Sample[]): Figures {
  const samples = others.flatMap(({ points, ns, space }) =>
    points.map(({ template, assignment }, at) => ({ facts: space.facts(template.template, assignment)!, ns: ns[at]! })),
  );
  return priorFigures(sample, fitMachine(samples, sample.task.target));
}

const splits = 4;

/** Learns from half of the rows, orders the other half; means over several halves. */
export function learningFigures(
  { points, ns }: Sample,
  features: FeatureExtractor,
  model: CostModel,
  prior: GeneratedSpace["prior"] | null,
): Figures {
  const all: Figures[] = [];
  for (let split = 0; split < splits; split++) {
    const order = createRng(split + 1).shuffle(points.map((_, at) => at));
    const half = Math.floor(order.length / 2);
    const [training, held] = [order.slice(0, half), order.slice(half)];
    const baseOf = (rows: readonly number[]): Float64Array =>
      Float64Array.from(rows, (at) =>
        prior ? -Math.log2(prior(points[at]!.template.template, points[at]!.assignment)!) / 4 : 0,
      );
    const best = Math.min(...training.map((at) => ns[at]!));
    const base = baseOf(training);
    const top = Math.max(...base);
    const predictor = model.fit({
      features: features.rows(training.map((at) => points[at]!)),
      scores: Float64Array.from(training, (at) => scoreOf(ns[at]!, best)),
      base: base.map((value) => 1 + value - top),
    });
    const learned = predictor.predict(features.rows(held.map((at) => points[at]!)));
    const heldBase = baseOf(held);
    all.push(
      figuresOf(
        learned.map((value, at) => value + heldBase[at]!),
        held.map((at) => ns[at]!),
      ),
    );
  }
  return meanFigures(all);
}

export const meanFigures = (all: readonly Figures[]): Figures => {
  const mean = (pick: (it: Figures) => number): number => all.reduce((sum, it) => sum + pick(it), 0) / all.length;
  return { rho: mean((it) => it.rho), recall: mean((it) => it.recall), best: mean((it) => it.best) };
};
