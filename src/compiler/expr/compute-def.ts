// A tensor expression: inputs, a chain of stages, results. Stage 1 of the pipeline.

import type { SourceLoc } from "../support/source-loc.ts";
import type { DType } from "./dtype.ts";
import type { Axis, Reducer, ScalarExpr } from "./scalar-expr.ts";

/** An input tensor, row-major. */
export interface TensorDecl {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly loc: SourceLoc | null;
}

/**
 * One stage computes every element of one tensor, either as a map or as one reduction. The authoring layer brings
 * everything into this form: a reduction inside a larger expression becomes a stage of its own that the rest reads
 * (`C = sum(…) + bias` → `C.sum`, `C`), and argmax/argmin become a `max`/`min` stage and a `min` over matching indices.
 */
export interface Stage {
  readonly name: string;
  readonly axes: readonly Axis[];
  /** Type of the stored element. */
  readonly dtype: DType;
  /** Reduction of the stage; null for a map. */
  readonly reduce: { readonly reducer: Reducer; readonly axes: readonly Axis[] } | null;
  /** The element (map) or the value that is reduced; may name the axes, and the reduce axes if there are any. */
  readonly body: ScalarExpr;
  readonly loc: SourceLoc | null;
}

/** Parameter values of one instance of an operator: sizes as numbers, dtypes as strings. */
export type Parameters = Readonly<Record<string, number | string>>;

export interface ComputeDef {
  /** The name of the operator: the file's base name in a build, else given by the caller. An identifier. */
  readonly name: string;
  readonly parameters: Parameters;
  readonly inputs: readonly TensorDecl[];
  /** Stages in order: each reads only inputs and earlier stages. */
  readonly stages: readonly Stage[];
  /** Names of the stages that are results, in the order in which the kernel takes and returns them. */
  readonly outputs: readonly string[];
  /** Names of inputs that stay the same from call to call, sorted; default: none. */
  readonly constants?: readonly string[];
}
