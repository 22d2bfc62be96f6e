// A value that a statement uses several times → one local, computed before it. One that a loop computes again in each iteration, and
// that takes long, is computed before the loop.
//
//   Y[i] = (a + X[i] / a) * 0.5, with (b + X[i] / b) * 0.5 for a        let value.0: f32 = (b + X[i] / b) * 0.5
//                                                                  →    Y[i] = (value.0 + X[i] / value.0) * 0.5
//
// Locals are computed also where the conditions in the statement are false. A load that this moves out of the side of a choice,
// and that might leave its buffer there, checks its own bounds: its value is not used in that case.

import { boundsOf } from "../../ir/bounds.ts";
import { localValues } from "../../ir/local-values.ts";
import type { Buffer, Expr, Stmt } from "../../ir/loop-ir.ts";
import type { Ranges } from "../../ir/ranges.ts";
import { mapOwnExprs, ownExprs } from "../../ir/visit.ts";
import { hoistFixedValues } from "./fixed-values.ts";
import { expandLeaves, freshNames, type Leaf } from "./leaves.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";

export const shareValues: Pass = {
  name: "share-values",
  run(func) {
    const fresh = freshNames(func);
    const buffers = buffersOf(func);
    const newName = (): string => fresh("value");
    const shared = expandLeaves(func, (leaf, ranges) => shareIn(leaf, buffers, ranges, newName));
    const body = hoistFixedValues(shared.body, newName);
    return body === shared.body ? shared : { ...shared, body };
  },
};

type Buffers = ReadonlyMap<string, Buffer>;

function shareIn(leaf: Leaf, buffers: Buffers, ranges: Ranges, fresh: () => string): readonly Stmt[] {
  const own = ownExprs(leaf);
  const around = { buffers, boundsOf: (index: Expr) => boundsOf(index, ranges) };
  const { defines, exprs } = localValues(own, around, fresh);
  if (defines.length === 0) return [leaf];
  const places = new Map(own.map((expr, at): [Expr, Expr] => [expr, exprs[at]!]));
  return [...defines, mapOwnExprs(leaf, (expr) => places.get(expr)!)];
}
