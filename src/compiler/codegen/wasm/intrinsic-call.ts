// A call of an intrinsic → its operands, one v128 each, and its opcodes. A vector of several parts is one call a part.

import { lanesOf } from "../../ir/lanes.ts";
import type { IntrinsicCall } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import type { Code } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";
import { vector } from "./operand.ts";
import { named } from "./scalar-arithmetic.ts";

export function intrinsicCall(
  context: Context,
  { name, lanes, operands, text: { wasm: text } }: IntrinsicCall,
  range: LaneRange,
): Code {
  invariant(text && range.count === lanes, `${name} is no instruction on one v128`);
  const vectors = operands.flatMap((operand) => vector(context, operand, { first: 0, count: lanesOf(operand) }));
  return [...vectors, ...text.ops.map(named)];
}
