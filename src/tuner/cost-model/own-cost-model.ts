// A cost model that a user brings, as a plain object → one whose answers are checked and carry the user's name in errors.

import { aFunction, aName, badAnswer, callOwn, requireFields } from "../../compiler/index.ts";
import type { CostModel, FeatureMatrix, Predictor, TrainingSet } from "./cost-model.ts";

/**
 * Learns which candidates are fast. A search asks it to order thousands of candidates before some of them are measured.
 *
 * @example
 * const nearest: OwnCostModel = {
 *   name: "mean of all",
 *   fit: ({ scores }) => ({ predict: ({ rows }) => new Float64Array(rows).fill(mean(scores)) }),
 * };
 */
export interface OwnCostModel {
  readonly name: string;
  /**
   * Learns from all measurements so far: `features`, a row each; `scores`, 1 for the fastest, a quarter less for each doubling
   * of its time, 0 for failures; `base`, the score by the analytic prior. The same set gives the same predictor.
   */
  readonly fit: (set: TrainingSet) => OwnPredictor;
}

export interface OwnPredictor {
  /** Returns, for each row, what to add to its score by the prior; higher is faster. */
  readonly predict: (features: FeatureMatrix) => ArrayLike<number>;
  /** Share of each column in what was learned; default: 0 for all. */
  readonly importance?: ArrayLike<number>;
}

/** @throws DiagnosticError `extension.malformed`; later, when learning or predicting, `extension.threw` and `extension.bad-answer` */
export function ownCostModel(model: OwnCostModel): CostModel {
  requireFields<OwnCostModel>("costModel", model, { name: aName, fit: aFunction });
  return {
    name: model.name,
    fit(set) {
      const what = `costModel "${model.name}".fit`;
      const predictor: unknown = callOwn(what, () => model.fit(set));
      if (!isPredictor(predictor)) throw badAnswer(what, predictor, "an object with a function predict");
      return checkedPredictor(model.name, predictor, set.features.columns);
    },
  };
}

const isPredictor = (value: unknown): value is OwnPredictor =>
  typeof value === "object" && value !== null && "predict" in value && typeof value.predict === "function";

function checkedPredictor(name: string, predictor: OwnPredictor, columns: number): Predictor {
  const importance = predictor.importance ?? new Float64Array(columns);
  return {
    importance: numbersOf(`costModel "${name}".fit`, importance, columns, "importance"),
    predict(features) {
      const what = `predict of costModel "${name}"`;
      return numbersOf(
        what,
        callOwn(what, () => predictor.predict(features)),
        features.rows,
        "answer",
      );
    },
  };
}

/** @throws DiagnosticError `extension.bad-answer` where it is no list of so many finite numbers */
function numbersOf(what: string, answer: unknown, count: number, noun: string): Float64Array {
  const isList = Array.isArray(answer) || (ArrayBuffer.isView(answer) && "length" in answer);
  const numbers = isList ? Float64Array.from(answer as ArrayLike<number>) : null;
  if (numbers?.length === count && numbers.every(Number.isFinite)) return numbers;
  throw badAnswer(what, answer, `a list of ${count} finite numbers, as its ${noun},`);
}
