// A feature extractor that a user brings, as a plain object → one that a search uses in place of ours.

import {
  type Assignment,
  aFunction,
  aName,
  badAnswer,
  callOwn,
  fromCompute,
  instantiateTemplate,
  type LoopFunc,
  listOf,
  requireFields,
  schedule,
  type Trace,
} from "../../compiler/index.ts";
import type { TuningTask } from "../data/task.ts";
import { extractor, type FeatureExtractor, type FeaturePoint } from "./features.ts";

/**
 * Numbers by which the cost model sees a candidate, in place of ours.
 *
 * @example
 * const tile: OwnFeatures = { name: "tile", columns: ["rows"], row: ({ values }) => [values.rows ?? 0] };
 */
export interface OwnFeatures {
  readonly name: string;
  /** Names of the numbers, in their order. */
  readonly columns: readonly string[];
  /** Returns the numbers of a candidate, one a column, all finite. Called for thousands of candidates: microseconds count. */
  readonly row: (candidate: CandidateFacts) => ArrayLike<number>;
}

export interface CandidateFacts {
  readonly task: TuningTask;
  /** Name of the candidate's template. */
  readonly template: string;
  /** Values of all variables of the template: its decisions, and what follows from them. */
  readonly values: Assignment;
  /** Instructions of the schedule, made when they are asked for. */
  readonly trace: Trace;
  /** Scheduled loop nest, made when it is asked for, which takes about a millisecond. Throws where the schedule is illegal. */
  readonly nest: LoopFunc;
}

/** @throws DiagnosticError `extension.malformed`; later, when a row is made, `extension.threw` and `extension.bad-answer` */
export function ownFeatures(features: OwnFeatures, task: TuningTask): FeatureExtractor {
  requireFields<OwnFeatures>("features", features, { name: aName, columns: listOf(aName), row: aFunction });
  const { name, columns } = features;
  const what = `row of features "${name}"`;
  return extractor(columns, (point) => {
    const row: unknown = callOwn(what, () => features.row(factsOf(point, task)));
    const isList = Array.isArray(row) || (ArrayBuffer.isView(row) && "length" in row);
    const numbers = isList ? Float64Array.from(row as ArrayLike<number>) : null;
    if (numbers?.length === columns.length && numbers.every(Number.isFinite)) return numbers;
    throw badAnswer(what, row, `a list of ${columns.length} finite numbers`);
  });
}

const factsOf = ({ template: { template }, assignment }: FeaturePoint, task: TuningTask): CandidateFacts => {
  const traceOf = (): Trace => instantiateTemplate(template.instructions, assignment);
  return {
    task,
    template: template.name,
    values: assignment,
    get trace() {
      return traceOf();
    },
    get nest() {
      return schedule(fromCompute(template.op), traceOf(), task.target.intrinsics);
    },
  };
};
