// Rules and algorithms of the spaces of a back end's targets. Those of CPUs stand here; a foreign back end's are added by
// `useSpaceRules`.

import { type AcceleratorTarget, addTo, invariant, type Target } from "../../compiler/index.ts";
import type { AlgorithmRule } from "./algorithm/algorithm-rule.ts";
import { direct } from "./algorithm/direct.ts";
import { gathered } from "./algorithm/gathered.ts";
import { defaultAlgorithms } from "./algorithm/index.ts";
import type { SpaceRule } from "./draft/space-rule.ts";
import { defaultRules } from "./rule/index.ts";
import { tensorCoreRules } from "./thread-tiles/rules.ts";

export interface SpaceRules<On extends Target = Target> {
  /** Name of the back end. */
  readonly name: string;
  /** Rules in the order in which they are asked; the first that applies schedules a stage. They add the limits of the machine. */
  readonly rules: readonly SpaceRule<On>[];
  /** Ways to compute an operator, the direct one first. */
  readonly algorithms: readonly AlgorithmRule[];
}

const ofThreads: SpaceRules<AcceleratorTarget> = {
  name: "wgsl",
  // Those with tensor cores have products on subgroup matrices, where a machine says that it has such.
  rules: tensorCoreRules,
  algorithms: [direct],
};

const ofTensorCores: SpaceRules<AcceleratorTarget> = {
  name: "cuda",
  rules: tensorCoreRules,
  algorithms: [direct, gathered],
};

/** A target meets the rules of its own back end alone, so that their kind of target is the one that they get. */
const table = new Map<string, SpaceRules>([
  ...["c", "wasm"].map((name) => [name, { name, rules: defaultRules, algorithms: defaultAlgorithms }] as const),
  [ofThreads.name, ofThreads],
  [ofTensorCores.name, ofTensorCores],
]);

/**
 * Adds the rules of a foreign back end.
 *
 * @throws DiagnosticError `backend.taken`
 */
export const useSpaceRules = (rules: SpaceRules): void => addTo(table, rules);

export function spaceRulesOf({ backend, name }: Target): SpaceRules {
  const found = table.get(backend);
  invariant(found, `the back end of ${name} was given to useBackend`);
  return found;
}
