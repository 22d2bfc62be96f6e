// The analytic prior as a search uses it: a point without a predicted time counts as a good one of those with one. So it is
// tried early, and measurements of it decide. Points → nanoseconds, all of them known.

import { remembered } from "../../../compiler/index.ts";
import { knownNs } from "../../prior/sound-facts.ts";
import { createRng } from "../../support/rng.ts";
import { drawPoint, type Point, type SearchSpace } from "./search-space.ts";

/** Returns the predicted time of a point, or the least one of some drawn points where none is predicted. */
export const priorNs = (space: SearchSpace, point: Point): number => predictedNs(space, point) ?? unknown(space).ns;

/** Returns the prior's time; null: it predicts none, or none that is positive and finite. */
const predictedNs = ({ prior }: SearchSpace, { template, assignment }: Point): number | null =>
  prior && knownNs(prior(template.template, assignment));

/** Points drawn from each template: the best of a few guesses, well behind what a search finds. */
const draws = 8;

/** Least time among drawn points; 1 where none is predicted, for all are alike then. */
const unknown = remembered((space: SearchSpace) => {
  const rng = createRng(1);
  const times = space.templates.flatMap((template) =>
    Array.from({ length: space.prior ? draws : 0 }, () => {
      const point = drawPoint(space, template, rng, { spread: "plain" });
      return (point && predictedNs(space, point)) ?? Number.POSITIVE_INFINITY;
    }),
  );
  const ns = Math.min(...times);
  return { ns: Number.isFinite(ns) ? ns : 1 };
});
