// The lanes of a vector combined into one scalar → a C function that combines its halves until one lane is left.
//
//   fold.add(a)   →   uk_fold_add_f32x16(a)

import { lanesOf } from "../../ir/lanes.ts";
import type { FoldOp, LaneFold } from "../../ir/loop-ir.ts";
import { onValues } from "./binary.ts";
import type { Context, Value } from "./context.ts";
import { type Element, elementBytes, piecesOf, storedElement, typeName } from "./element.ts";
import { emit } from "./operand.ts";
import { pickFunction } from "./pick.ts";
import { pieceLanesOf } from "./piece-lanes.ts";
import type { Prelude } from "./prelude.ts";
import { inline } from "./vector-function.ts";

export function emitFold(context: Context, { op, operand, dtype }: LaneFold): Value {
  const element = storedElement[dtype];
  const pieces = piecesOf(lanesOf(operand), pieceLanesOf(context, operand));
  const { lanes } = pieces[0]!;
  const values = pieces.map((piece) => emit(context, operand, piece));
  const { text } = values.reduce((left, right) => onValues(context, op, left, right, lanes));
  return { text: lanes === 1 ? text : `${foldFunction(context.prelude, op, element, lanes)}(${text})`, element };
}

/** Bytes of the shortest vector that machines compute with: lanes of shorter ones are combined with others of the same vector. */
const leastBytes = 16;

/** `name(a)`: the halves of `a` combined, and their halves, down to one lane. */
function foldFunction(prelude: Prelude, op: FoldOp, element: Element, lanes: number): string {
  const name = `uk_fold_${op}_${element}x${lanes}`;
  return prelude.define(name, () => {
    const steps: string[] = [];
    let [value, width] = ["a", lanes];
    for (let half = lanes / 2; half >= 1; half /= 2) {
      const isHalved = half * elementBytes[element] >= leastBytes;
      const places = Array.from({ length: isHalved ? half : width }, (_, lane) => lane);
      const part = (from: number): Value => {
        const picked = places.map((lane) => (lane + from) % width);
        const form = { element, width, count: 1, places: picked };
        return { text: `${pickFunction(prelude, form)}(${value})`, element };
      };
      const lower = isHalved ? part(0) : { text: value, element };
      const { text } = onValues({ prelude }, op, lower, part(half), places.length);
      [value, width] = [`a${half}`, places.length];
      steps.push(`  ${prelude.type(element, width)} ${value} = ${text};`);
    }
    const signature = `${inline} ${typeName(element, 1)} ${name}(${prelude.type(element, lanes)} a)`;
    return [`${signature} {`, ...steps, `  return ${value}[0];`, "}"].join("\n");
  });
}
