// The kinds of features that a tuning may choose from, by name. docs/cost-model.md compares them.

import { malformed } from "../../compiler/index.ts";
import type { Template } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { factColumns, factFeatures } from "./fact-features.ts";
import { extractor, type FeatureExtractor, sideBySide, variableFeatures } from "./features.ts";
import { loopExtractor } from "./loop-features.ts";
import { type OwnFeatures, ownFeatures } from "./own-features.ts";

export const featureKindNames = ["variables", "facts", "variables and facts", "loops"] as const;
export type FeatureKind = (typeof featureKindNames)[number];

type ExtractorOf = (templates: readonly Template[]) => FeatureExtractor;

export const featureKinds: {
  readonly [K in FeatureKind]: (space: GeneratedSpace, task: TuningTask) => ExtractorOf;
} = {
  /** Heron's features: the constraint variables. */
  variables: () => variableFeatures,
  facts: (space, task) => () => factsOf(space, task),
  /** The best features that cost microseconds: the decisions, and facts that follow from them. */
  "variables and facts": (space, task) => (templates) =>
    sideBySide([variableFeatures(templates), factsOf(space, task)]),
  /** Ansor's features: each candidate is scheduled for them, which takes milliseconds. */
  loops:
    (space, { target }) =>
    () =>
      loopExtractor(space, target.intrinsics),
};

/** Returns what makes the features of a kind of ours, or of a user's own. */
export function featuresOf(features: FeatureKind | OwnFeatures, space: GeneratedSpace, task: TuningTask): ExtractorOf {
  if (typeof features !== "string") return () => ownFeatures(features, task);
  if (Object.hasOwn(featureKinds, features)) return featureKinds[features](space, task);
  throw malformed(
    `there are no features "${features}"`,
    `there are ${featureKindNames.join(", ")}, or an object of yours`,
  );
}

function factsOf({ facts }: GeneratedSpace, { target }: TuningTask): FeatureExtractor {
  return extractor(factColumns, ({ template: { template }, assignment }) => {
    const stages = facts(template, assignment);
    return stages ? factFeatures(stages, target) : new Float64Array(factColumns.length);
  });
}
