// A search space and a cost model that tell a profiler what they cost: the pure code in between knows nothing of it.

import type { CostModel } from "../../cost-model/cost-model.ts";
import type { Profiler } from "../../support/profile.ts";
import type { SearchSpace } from "../point/search-space.ts";

export function timedSpace(space: SearchSpace, profiler: Profiler): SearchSpace {
  const { sampler, prior, features } = space;
  return {
    ...space,
    sampler: (compiled, rng, options) => profiler.time("sampling", () => sampler(compiled, rng, options)),
    features: { ...features, rows: (points) => profiler.time("prediction", () => features.rows(points)) },
    prior: prior && ((template, assignment) => profiler.time("prediction", () => prior(template, assignment))),
  };
}

export const timedModel = (model: CostModel, profiler: Profiler): CostModel => ({
  name: model.name,
  fit: (set) => {
    const { predict, importance } = profiler.time("training", () => model.fit(set));
    return { predict: (features) => profiler.time("prediction", () => predict(features)), importance };
  },
});
