// A schedule space: template traces with tunables, the constraints that every point of it satisfies, and checks that may refuse
// a point's kernel. Stage 3.

import type { Assignment, KernelSource, LoopFunc, TemplateInstruction, Trace } from "../../compiler/index.ts";
import type { ConstraintModel } from "../constraint/constraint.ts";
import type { Computation } from "./computation.ts";
import type { TuningTask } from "./task.ts";

/** One shape of schedule, of the operator as written or the same computed otherwise. The key variables of `model` are its tunables. */
export interface Template extends Computation {
  /**
   * Decisions that tell it from its siblings: "C with C.sum in registers". An algorithm other than the direct one comes
   * first.
   */
  readonly name: string;
  readonly instructions: readonly TemplateInstruction[];
  readonly model: ConstraintModel;
  /** Tunables that decide about the shape, not the size: the order of loops, which operands are packed. */
  readonly structure: readonly string[];
  /** Name of the algorithm; null or none: the direct one. */
  readonly algorithm?: string | null;
  /** Names of the ways that a tunable chooses between, by value; only of tunables whose ways have names. */
  readonly labels?: ReadonlyMap<string, readonly string[]>;
}

/** All schedules that the rules allow for a task. A candidate is a template and an assignment of its key variables. */
export interface Space {
  readonly templates: readonly Template[];
  /** Postprocessors, which may refuse a candidate's kernel before it is built. */
  readonly postprocessors?: readonly Postprocessor[];
}

/**
 * Predicts a candidate's nanoseconds without measuring, from values of all variables. Null: unknown, as for a template without
 * an estimate; zero, negative and infinite times mean the same.
 */
export type Prior = (template: Template, assignment: Assignment) => number | null;

export interface Candidate {
  /** Name of the template. */
  readonly template: string;
  /** Values of the template's key variables. */
  readonly assignment: Assignment;
}

/** A candidate's kernel, as a postprocessor sees it. */
export interface KernelFacts {
  readonly task: TuningTask;
  readonly candidate: Candidate;
  readonly trace: Trace;
  readonly source: KernelSource;
  /** Scheduled loop nest, made when it is asked for. */
  readonly nest: LoopFunc;
}

export type Verdict = { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: string };

/** Sees a kernel after its code is generated and before a compiler is asked, and may refuse it. */
export interface Postprocessor {
  /** Name, with which the reason of a refusal begins. */
  readonly name: string;
  /** Judges a kernel. The same kernel gets the same verdict. */
  readonly apply: (facts: KernelFacts) => Verdict;
}
