// A call of an intrinsic → its operands, one v128 each, and its opcodes. A vector of several parts is one call a part.

import { intrinsicNamed } from "../../intrinsic/intrinsics.ts";
import { lanesOf } from "../../ir/lanes.ts";
import type { IntrinsicCall } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import type { Code } from "./instruction.ts";
import { named } from "./scalar-arithmetic.ts";
import { type LaneRange, vector } from "./vector.ts";

export function intrinsicCall(context: Context, { name, lanes, operands }: IntrinsicCall, range: LaneRange): Code {
  const { wasm: text } = intrinsicNamed(name).text;
  invariant(text && range.count === lanes, `${name} is no instruction on one v128`);
  const vectors = operands.flatMap((operand) => vector(context, operand, { first: 0, count: lanesOf(operand) }));
  return [...vectors, ...text.ops.map(named)];
}
