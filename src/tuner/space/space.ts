// A schedule space: template traces with tunables, and the constraints that every point of it satisfies. Stage 3.

import type { Assignment, TemplateInstruction } from "../../compiler/index.ts";
import type { ConstraintModel } from "../constraint/constraint.ts";
import type { Computation } from "../measure/computation.ts";
import type { Postprocessor } from "../postprocessor/postprocessor.ts";

/** One shape of schedule, of the operator as written or the same computed otherwise. The key variables of `model` are its tunables. */
export interface Template extends Computation {
  /** What tells it from its siblings: "C with C.sum in registers"; another algorithm than the direct one comes first. */
  readonly name: string;
  readonly instructions: readonly TemplateInstruction[];
  readonly model: ConstraintModel;
  /** Tunables that decide about the shape, not the size: the order of loops, which operands are packed. */
  readonly structure: readonly string[];
  /** Name of the algorithm; null or none: the direct one. */
  readonly algorithm?: string | null;
  /** Of tunables that choose between ways with names: the names, by value. */
  readonly labels?: ReadonlyMap<string, readonly string[]>;
}

/** All schedules that the rules allow for a task. A candidate is a template and an assignment of its key variables. */
export interface Space {
  readonly templates: readonly Template[];
  /** What may refuse a candidate's kernel before it is built. */
  readonly postprocessors?: readonly Postprocessor[];
}

/**
 * Nanoseconds that a candidate will take, by what is known without measuring: values of all variables → ns. Null: nobody
 * knows, as of a template without an estimate; zero, negative and infinite times stand for the same.
 */
export type Prior = (template: Template, assignment: Assignment) => number | null;

export interface Candidate {
  /** Name of the template. */
  readonly template: string;
  /** Values of the template's key variables. */
  readonly assignment: Assignment;
}
