// A made-up time for each point of a real space: what the prior says, off by as much as it is off on a machine, and for
// reasons that can be learned. Strategies are compared on many of them in minutes, and no neighbour disturbs a clock.

import { invariant, sha256 } from "../../../src/compiler/index.ts";
import type { Point, SearchSpace } from "../../../src/tuner/search/point/search-space.ts";

/** Nanoseconds. */
export type Landscape = (point: Point) => number;

/** Octaves: what is left of log₂(time / prior) on this project's machines is of this size (docs/cost-model.md). */
const spread = 0.25;
/** Weights of the effects of a template, of one variable, and of two decisions together. The rest is an effect of the point alone. */
const weights = { template: 0.5, variable: 0.9, pair: 0.9 };
const own = 0.03;

/** Between two knots, in octaves of a variable's value, an effect changes linearly. */
const knotDistance = 1.5;

/** The same number makes the same landscape. */
export function landscape({ prior }: SearchSpace, number: number): Landscape {
  invariant(prior, "a made-up time starts from a prior");
  const normal = normals(String(number));
  const effect = (of: string, value: number): number => {
    const octave = Math.log2(value + 1) / knotDistance;
    const [knot, share] = [Math.floor(octave), octave % 1];
    return normal(`${of} at ${knot}`) * (1 - share) + normal(`${of} at ${knot + 1}`) * share;
  };
  return ({ template: { template }, assignment, candidate, key }) => {
    const variables = Object.entries(assignment).map(([name, value]) => effect(name, value));
    const decisions = Object.entries(candidate.assignment);
    const pairs = decisions.flatMap(([name, value], at) =>
      decisions
        .slice(0, at)
        .map(([other, its]) => effect(`${name} beside ${other} ${Math.round(Math.log2(its + 1))}`, value)),
    );
    const { template: ofTemplate, variable, pair } = weights;
    const error = ofTemplate * normal(template.name) + variable * together(variables) + pair * together(pairs);
    return prior(template, assignment)! * 2 ** (spread * error + own * normal(key));
  };
}

/** Adds effects so that the sum is as large as one of them for any number of effects. */
const together = (effects: readonly number[]): number =>
  effects.reduce((sum, effect) => sum + effect, 0) / Math.sqrt(Math.max(1, effects.length));

/** Name → a draw from the standard normal distribution, the same each time (Box and Muller 1958). */
export function normals(seed: string): (name: string) => number {
  const known = new Map<string, number>();
  const draw = (name: string): number => {
    const digest = sha256(`${seed} ${name}`);
    const [first, second] = [0, 12].map((at) => (Number.parseInt(digest.slice(at, at + 12), 16) + 1) / (2 ** 48 + 1));
    return Math.sqrt(-2 * Math.log(first!)) * Math.cos(2 * Math.PI * second!);
  };
  return (name) => {
    const drawn = known.get(name) ?? draw(name);
    known.set(name, drawn);
    return drawn;
  };
}
