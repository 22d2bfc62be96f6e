// The algorithms in the order of their templates, and those that a task may be computed with.

import type { TuningTask } from "../../data/task.ts";
import type { Algorithm, AlgorithmRule } from "./algorithm-rule.ts";
import { direct } from "./direct.ts";
import { flatMaps } from "./flat-maps.ts";
import { mergedAxes } from "./merged-axes.ts";
import { narrowIntegers, ofNarrowIntegers } from "./narrow-integers.ts";
import { winograd2, winograd4 } from "./winograd.ts";
import { withoutUnitAxes } from "./without-unit-axes.ts";

export const defaultAlgorithms: readonly AlgorithmRule[] = [
  direct,
  winograd2,
  winograd4,
  withoutUnitAxes,
  mergedAxes,
  flatMaps,
  narrowIntegers,
  ...[withoutUnitAxes, mergedAxes, flatMaps].map(ofNarrowIntegers),
];

/** The direct one first. */
export const algorithmsFor = (
  task: TuningTask,
  rules: readonly AlgorithmRule[] = defaultAlgorithms,
): readonly Algorithm[] =>
  rules.filter((rule) => rule.applies(task)).map((rule) => ({ name: rule.name, ...rule.rewrite(task.op) }));
