// Vectors of bool: masks of 0 and -1, as wide as what they were compared from, converted where widths meet.

import type { Select } from "../../ir/loop-ir.ts";
import type { Context, Value } from "./context.ts";
import { type Element, elementBytes, maskElement } from "./element.ts";
import { resizeLanes } from "./resize-lanes.ts";
import { select } from "./vector-function.ts";

/** The mask with elements as wide as `like`. */
export function asMask({ prelude }: Context, mask: Value, like: Element, lanes: number): Value {
  const element = maskElement(like);
  if (elementBytes[mask.element] === elementBytes[element]) return { ...mask, element };
  return { text: resizeLanes(prelude, mask.text, mask.element, element, lanes), element };
}

/** A mask as numbers 0 and 1: of type u8, the form in which it is stored, unless they are wanted as another integer. */
export function maskToBits(context: Context, mask: Value, lanes: number, element: Element = "u8"): Value {
  const same = asMask(context, mask, element, lanes);
  return { text: `((${context.prelude.type(element, lanes)})${same.text} & 1)`, element };
}

/** Numbers as a mask: -1 where they are not 0. */
export function bitsToMask({ prelude }: Context, bits: Value, lanes: number): Value {
  const element = maskElement(bits.element);
  return { text: `((${prelude.type(element, lanes)})(${bits.text} != 0))`, element };
}

/** Lane by lane `condition ? yes : no`. */
export function selectText(
  context: Context,
  { dtype }: Select,
  condition: Value,
  yes: Value,
  no: Value,
  lanes: number,
): Value {
  const other = dtype === "bool" ? asMask(context, no, yes.element, lanes) : no;
  const mask = asMask(context, condition, yes.element, lanes);
  const call = select(context.prelude, yes.element, lanes);
  return { text: `${call}(${mask.text}, ${yes.text}, ${other.text})`, element: yes.element };
}
