// The analytic prior as a search uses it: where nobody predicts the time of a point, it counts as a good one of those whose
// time is predicted. So it is looked at early, and what is measured of it decides. Points → nanoseconds, all of them known.

import { remembered } from "../../compiler/index.ts";
import { knownNs } from "../cost-model/sound-facts.ts";
import { createRng } from "../rng.ts";
import { drawPoint, type Point, type SearchSpace } from "./search-space.ts";

/** By the prior, or as one of which the prior tells nothing. */
export const priorNs = (space: SearchSpace, point: Point): number => predictedNs(space, point) ?? unknown(space).ns;

/** Null: nobody knows, or what is said is no time. */
const predictedNs = ({ prior }: SearchSpace, { template, assignment }: Point): number | null =>
  prior && knownNs(prior(template.template, assignment));

/** Draws a template: their best is what a few guesses find, well behind what a search does. */
const draws = 8;

/** The least time among drawn points; 1 where none is predicted, for all are alike then. */
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
