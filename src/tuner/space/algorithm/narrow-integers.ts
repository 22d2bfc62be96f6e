// Integers of 32 bits that are made of bytes → the same in 16 bits, where they are known to fit: twice as many go into a vector. Sums over
// few elements are narrow stages, and what becomes a byte in the end is computed in words. The results are the same.
//
//   out[i] = u8((Σ over k: i32(A[k, i])) div 8), k of eight elements     →     sums and quotients of i16

import {
  type ComputeDef,
  type Interval,
  integerRange,
  operandsOfScalar,
  remembered,
  type Stage,
  stageValues,
  valuesIn,
  walkGraph,
} from "../../../compiler/index.ts";
import { asWritten } from "../../data/computation.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";
import { asWord, type WordSite, withWords } from "./narrow-integers/words.ts";

/** The operator with narrow stages and words; asked for by several rules. */
const narrowed = remembered((op: ComputeDef): ComputeDef => {
  const values = stageValues(op);
  const narrow = new Set<string>();
  const stages = op.stages.map((stage) => {
    const site: WordSite = { valuesOf: valuesIn(stage, values), narrowed: narrow };
    const word =
      op.outputs.includes(stage.name) || !fits(stage, values.get(stage.name)) ? null : asWord(stage.body, site);
    if (!word) return { ...stage, body: withWords(stage.body, site) };
    narrow.add(stage.name);
    return { ...stage, dtype: word.dtype, body: word };
  });
  return { ...op, stages };
});

export const narrowIntegers: AlgorithmRule = {
  name: "narrow integers",
  applies: ({ op }) => wordsIn(narrowed(op)) > wordsIn(op),
  rewrite: (op) => ({ ...asWritten(op), op: narrowed(op) }),
};

/** Says whether the stage is of i32 and no value of it, nor of its unfinished sums, needs more than 16 bits. */
function fits({ dtype }: Stage, values: Interval | undefined): boolean {
  const [least, most] = integerRange.i16;
  return dtype === "i32" && values !== undefined && values.min >= least && values.max <= most;
}

/** Counts the stages and operators that work on words. */
function wordsIn({ stages }: ComputeDef): number {
  let count = 0;
  for (const { dtype, body } of stages) {
    if (dtype === "i16") count++;
    walkGraph(body, operandsOfScalar, (node) => {
      if (node.kind === "binary" && node.left.dtype === "i16") count++;
    });
  }
  return count;
}
