// Search problems by lot: a few small templates, with estimates of every kind that authors may write, and made-up
// measurements of which some fail. Rng → space, outcomes, and all its points.

import { type ComputeDef, targets } from "../../src/compiler/index.ts";
import { enumerate } from "../../src/tuner/constraint/solver/enumerate.ts";
import { featureKinds } from "../../src/tuner/cost-model/feature-kinds.ts";
import { asWritten } from "../../src/tuner/data/computation.ts";
import type { Measurement } from "../../src/tuner/data/measurement.ts";
import type { RankingFacts } from "../../src/tuner/prior/ranker.ts";
import { type Point, pointOf, type SearchSpace, searchSpace } from "../../src/tuner/search/point/search-space.ts";
import {
  atMost,
  choice,
  type Draft,
  type Estimate,
  emptyDraft,
  product,
  sum,
  tunable,
} from "../../src/tuner/space/draft/draft.ts";
import { type GeneratedSpace, spaceOfTemplates } from "../../src/tuner/space/generate.ts";
import type { PlannedTemplate } from "../../src/tuner/space/template/template.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";

const anyOp: ComputeDef = { name: "any", parameters: {}, inputs: [], stages: [], outputs: [] };

export interface RandomSpace {
  /** Description of the draw, for messages. */
  readonly title: string;
  readonly space: GeneratedSpace;
  /** A new one each time: strategies share nothing. */
  readonly searched: () => SearchSpace;
  readonly points: readonly Point[];
  readonly measure: (point: Point) => Measurement;
}

const sound: RankingFacts = {
  flops: 1000,
  waste: 1,
  lanes: 4,
  multiplyAddShare: 1,
  accumulators: 2,
  liveRegisters: 4,
  loadsPerOperation: 1,
  bytesFromL2: 10,
  bytesFromL3: 10,
  bytesFromMemory: 100,
  packedBytes: 0,
  loopIterations: 10,
  parallelTasks: 1,
  bodyInstructions: 4,
};

/** Estimates of authors: facts that they know, and numbers that their arithmetic may give instead. */
const estimates = {
  none: [],
  sound: [(at) => ({ ...sound, flops: 1000 * sumOf(at) })],
  "of two stages": [() => sound, (at) => ({ ...sound, loopIterations: sumOf(at) })],
  "of one of two stages": [() => sound, () => ({ ...sound, flops: Number.NaN })],
  zero: [() => ({ ...sound, ...Object.fromEntries(Object.keys(sound).map((name) => [name, 0])) })],
  NaN: [() => ({ ...sound, bytesFromL2: Number.NaN })],
  infinite: [() => ({ ...sound, flops: Number.POSITIVE_INFINITY })],
  negative: [() => ({ ...sound, loopIterations: -1e9 })],
  "no lanes": [() => ({ ...sound, lanes: 0 })],
  "no tasks": [() => ({ ...sound, parallelTasks: 0 })],
  huge: [() => ({ ...sound, flops: 1e299, bytesFromMemory: 1e299 })],
  slow: [(at) => ({ ...sound, flops: 1e17 * sumOf(at) })],
  tiny: [() => ({ ...sound, flops: 1e-200, loopIterations: 0, bytesFromMemory: 0, bytesFromL2: 0, bytesFromL3: 0 })],
  "half a fact": [() => JSON.parse('{"flops":1}') as RankingFacts],
  nothing: [() => JSON.parse("null") as RankingFacts],
  "of some only": [(at) => (sumOf(at) % 2 === 0 ? sound : { ...sound, waste: Number.NaN })],
} as const satisfies Readonly<Record<string, readonly Estimate[]>>;

const estimateNames = Object.keys(estimates) as (keyof typeof estimates)[];

const sumOf = (at: Readonly<Record<string, number>>): number =>
  Object.values(at).reduce((total, value) => total + value, 1);

/** Spaces of one point, of two, of templates without tunables, beside empty ones; never more than a few hundred points. */
export function randomSpace(seed: number): RandomSpace {
  const rng = createRng(seed);
  const drawn = Array.from({ length: 1 + rng.below(4) }, (_, at) => drawTemplate(`t${at}`, rng));
  const space = spaceOfTemplates(
    drawn.map(({ planned }) => planned),
    targets.wasm,
  );
  const task = { op: anyOp, target: targets.wasm, numerics: "fast", threads: 1 } as const;
  const features = featureKinds["variables and facts"](space, task);
  const searched = (): SearchSpace => searchSpace(space, { prior: space.prior, features });
  const points = searched().templates.flatMap((template) =>
    [...enumerate(template.compiled)].map((assignment) => pointOf(template, assignment)),
  );
  const failing = rng.pick([0, 0, 0.3, 0.8, 1]);
  const outcomes = new Map(points.map(({ key }) => [key, drawOutcome(failing, rng)]));
  return {
    title: `space ${seed}: ${drawn.map(({ title }) => title).join(", ")}; ${points.length} points, ${failing} fail`,
    space,
    searched,
    points,
    measure: ({ key }) => outcomes.get(key)!,
  };
}

function drawTemplate(name: string, rng: Rng): { readonly planned: PlannedTemplate; readonly title: string } {
  const estimate = rng.pick(estimateNames);
  const keys = Array.from({ length: rng.pick([0, 1, 1, 2, 3]) }, (_, at) => `x${at}`);
  const values = (): readonly number[] => rng.shuffle([0, 1, 2, 3, 4, 6, 8, 12]).slice(0, 1 + rng.below(5));
  const decided = keys.reduce<Draft>(
    (draft, key) => (rng.below(4) === 0 ? choice(draft, key, 1 + rng.below(3)) : tunable(draft, key, values())),
    emptyDraft,
  );
  const draft = keys.length === 0 ? decided : limit(decided, keys, rng);
  const planned: PlannedTemplate = {
    template: {
      name,
      ...asWritten(anyOp),
      instructions: [],
      structure: draft.structure,
      model: { variables: draft.variables, constraints: draft.constraints },
    },
    estimates: estimates[estimate],
  };
  return { planned, title: `${name} of ${keys.length} with estimate "${estimate}"` };
}

/** None, a limit that leaves some, or one that leaves nothing. */
function limit(draft: Draft, keys: readonly string[], rng: Rng): Draft {
  const most = rng.pick([1, 4, 12, 30]);
  switch (rng.pick(["none", "product", "sum", "empty"] as const)) {
    case "none":
      return draft;
    case "product":
      return atMost(product(draft, "product", keys, "the product"), "product", most, "the product is small");
    case "sum": {
      const terms = keys.map((term) => ({ coefficient: 1, term }));
      return atMost(sum(draft, "sum", terms, 0, "the sum"), "sum", most, "the sum is small");
    }
    case "empty":
      return rng.below(2) === 0 ? atMost(draft, 100, keys[0]!, "nothing is so large") : tunable(draft, "none", []);
  }
}

const failures: readonly Measurement[] = [
  { kind: "build-failed", reason: "illegal" },
  { kind: "wrong-result", reason: "made to" },
  { kind: "timed-out", deadlineMs: 1 },
  { kind: "crashed", reason: "made to" },
];

function drawOutcome(failing: number, rng: Rng): Measurement {
  if (rng.unit() < failing) return rng.pick(failures);
  const ns = rng.pick([0, 1, 1, 1, 1, 1]) * Math.round(2 ** (30 * rng.unit()));
  return { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 3 } };
}
