// The algorithms in the order of their templates, and those that a task may be computed with.

import type { TuningTask } from "../../data/task.ts";
import type { Algorithm, AlgorithmRule } from "./algorithm-rule.ts";
import { withProductQuotients } from "./constant-quotients.ts";
import { direct } from "./direct.ts";
import { flatMaps } from "./flat-maps.ts";
import { withKnownValues } from "./known-values.ts";
import { mergedAxes } from "./merged-axes.ts";
import { narrowIntegers } from "./narrow-integers.ts";
import { winograd2, winograd4 } from "./winograd.ts";
import { withoutUnitAxes } from "./without-unit-axes.ts";
import { writtenSums } from "./written-sums.ts";

/** The algorithm of a rule for the operator that another rule has rewritten, without roundings of its own. */
const after = (first: AlgorithmRule, second: AlgorithmRule): AlgorithmRule => ({
  name: `${second.name} of ${first.name}`,
  applies: (task) => first.applies(task) && second.applies({ ...task, op: first.rewrite(task.op).op }),
  rewrite: (op) => second.rewrite(first.rewrite(op).op),
});

/** Rules that give vectors other axes to go along. */
const ofAxes = [withoutUnitAxes, mergedAxes, flatMaps];

const writtenAndNarrow = after(writtenSums, narrowIntegers);

export const defaultAlgorithms: readonly AlgorithmRule[] = [
  direct,
  winograd2,
  winograd4,
  ...ofAxes,
  narrowIntegers,
  ...ofAxes.map((rule) => after(narrowIntegers, rule)),
  writtenSums,
  ...ofAxes.map((rule) => after(writtenSums, rule)),
  writtenAndNarrow,
  ...ofAxes.map((rule) => after(writtenAndNarrow, rule)),
];

/** The direct one first. */
export function algorithmsFor(
  asked: TuningTask,
  rules: readonly AlgorithmRule[] = defaultAlgorithms,
): readonly Algorithm[] {
  const task = { ...asked, op: withKnownValues(asked.op) };
  return rules
    .filter((rule) => rule.applies(task))
    .map((rule) => {
      const computation = rule.rewrite(task.op);
      return { name: rule.name, ...computation, op: withProductQuotients(computation.op) };
    });
}
