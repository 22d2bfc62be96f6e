// Functions for writing rules, a user's as ours: additions to a draft, and questions about a stage.

export type { Condition, Instruction, Operand, SplitTail } from "../../compiler/index.ts";
export type { Constraint, Domain, Term } from "../constraint/constraint.ts";
export type { RankingFacts } from "../prior/ranker.ts";
export {
  atMost,
  atMostWhen,
  choice,
  constrain,
  type Draft,
  decide,
  derived,
  type Estimate,
  estimate,
  fuse,
  instruct,
  instructWhen,
  is,
  type Placement,
  place,
  product,
  splitWithTail,
  sum,
  tilesOf,
  tunable,
} from "./draft/draft.ts";
export { type Access, dependsOn, isReused, type SchedulableStage } from "./draft/schedulable-stage.ts";
export type { RuleContext, SpaceRule } from "./draft/space-rule.ts";
export { isVectorizable } from "./draft/vector-axis.ts";
export { lanesFor } from "./draft/vector-lanes.ts";
