// Split one loop into a nest of loops.
//
//   for C.i in 0..96          for C.i.0 in 0..6
//     C[C.i] = …        →       for C.i.1 in 0..16
//                                 C[C.i.0*16 + C.i.1] = …
//
// Factors that overshoot the extent need no condition here: a block instance outside its axes does not run. The tail
// strategy tells the lowering how to see to that. One factor may be 0: it becomes what covers the rest. Where the surplus
// would not leave a block's axes (the inner loop of a split, a loop around a pack) only exact factors are legal.

import { boundsOf } from "../../ir/bounds.ts";
import { add, constInt, min, mul, variable } from "../../ir/build.ts";
import type { Block, Expr, For, LoopFunc } from "../../ir/loop-ir.ts";
import { rangesOf, withRange } from "../../ir/ranges.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { ceilDiv, product } from "../../support/integer-math.ts";
import { blocksIn, findLoop, type LoopPlace, loopsIn, replaceLoop, substituteInBlocks, wrapLoops } from "../nest.ts";
import { withoutPrefetches } from "../prefetch-word.ts";
import { harmedByRepeat } from "../recompute.ts";
import { field, integerFrom, listOf, loopField, oneOf, withPreset } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

/** The factors with a 0 replaced by what covers the extent. */
function inferFactors(factors: readonly number[], extent: number): readonly number[] {
  const known = product(factors.filter((factor) => factor !== 0));
  return factors.map((factor) => (factor === 0 ? ceilDiv(extent, known) : factor));
}

export const split = definePrimitive({
  kind: "split",
  fields: [
    loopField,
    field("factors", listOf(integerFrom(0))),
    withPreset(field("tail", oneOf("perfect", "guard", "cut", "mask", "shift")), "perfect"),
  ],
  role: "step",

  check(nest, { loop, factors, tail }) {
    const place = findLoop(nest, loop);
    if (!place) return noSuchLoop("split.no-such-loop", nest, loop);
    if (place.loop.mark !== "serial") {
      return illegal("split.marked", nest, [loop], `${loop} is already ${place.loop.mark}`, "split first, mark then");
    }
    if (
      factors.length === 0 ||
      factors.some((factor) => !Number.isInteger(factor) || factor < 0) ||
      factors.filter((f) => f === 0).length > 1
    ) {
      return illegal("split.bad-factor", nest, [loop], `factors [${factors.join(", ")}] are not positive integers`);
    }
    const { extent } = place.loop;
    const total = product(inferFactors(factors, extent));
    if (total < extent) {
      return illegal(
        "split.too-small",
        nest,
        [loop],
        `factors ${factors.join(" × ")} make ${total}, the loop has ${extent}`,
        "leave one factor 0 to have it inferred",
      );
    }
    if (tail === "perfect" && total !== extent) {
      return illegal(
        "split.not-divisible",
        nest,
        [loop],
        `factors ${factors.join(" × ")} make ${total}, the loop has ${extent}`,
        `use tail: "mask" or "cut", or factors that multiply to ${extent}`,
      );
    }
    if (tail === "shift" && total !== extent) return checkShift(nest, place, inferFactors(factors, extent));
    const busy = total === extent ? null : busyInSurplus(place, total);
    if (busy) {
      return illegal(
        "split.runs-in-surplus",
        nest,
        [loop],
        `factors ${factors.join(" × ")} make ${total}, the loop has ${extent}, and ${busy.name} would run in the surplus`,
        `use factors that multiply to ${extent}, or split the outer loop, before packing`,
      );
    }
    return null;
  },

  apply(nest, { loop: name, factors, tail }) {
    return replaceLoop(nest, name, (loop) => {
      const extents = inferFactors(factors, loop.extent);
      const parts = extents.map(
        (extent, at): For => ({
          ...(at === extents.length - 1 ? loop : withoutPrefetches(loop)),
          name: `${name}.${at}`,
          extent,
          tail: tail === "perfect" || tail === "shift" ? "guard" : tail,
        }),
      );
      const place =
        tail === "shift" && product(extents) > loop.extent ? shifted(parts, loop.extent) : mixedRadix(parts);
      return wrapLoops(parts, substituteInBlocks(loop.body, new Map([[name, place]])));
    });
  },

  print: ({ loop, factors, tail }) => `split ${loop} [${factors.join(", ")}] ${tail}`,
});

/** Checks a split that shifts inwards: the last tile must fit, and computing elements again must do no harm. */
function checkShift(nest: LoopFunc, place: LoopPlace, factors: readonly number[]): Diagnostic | null {
  const { name, extent } = place.loop;
  const tile = product(factors.slice(1));
  if (tile > extent) {
    return illegal("split.no-room", nest, [name], `a tile of ${tile} cannot be moved inside the ${extent} of ${name}`);
  }
  const harmed = harmedByRepeat(place);
  if (!harmed) return null;
  return illegal(
    "split.recomputes",
    nest,
    [name, harmed.block],
    `${harmed.block} would be computed again for some of ${name}, and ${harmed.why}`,
    'use tail: "cut" or "mask", or split before the reduce loops go outside',
  );
}

/** min(p0 * tile, extent - tile) + the place in the tile */
function shifted([outer, ...inner]: readonly For[], extent: number): Expr {
  const tile = product(inner.map((part) => part.extent));
  const start = mul(variable(outer!.name), constInt(tile));
  return add(min(start, constInt(extent - tile)), mixedRadix(inner));
}

/** A block that iterations of the loop beyond its extent, up to `total`, would run. */
function busyInSurplus({ loop, around }: LoopPlace, total: number): Block | undefined {
  return blocksIn(loop).find((block) => {
    const surplus = withRange(rangesOf([...around, ...loopsIn(loop.body)]), loop.name, loop.extent, total - 1);
    return block.bindings.every((binding, at) => boundsOf(binding, surplus).min < block.axes[at]!.extent);
  });
}

/** ((p0 * e1 + p1) * e2 + p2) … as a sum of products. */
function mixedRadix(parts: readonly For[]): Expr {
  let stride = 1;
  let sum: Expr | null = null;
  for (const part of parts.toReversed()) {
    const variable: Expr = { kind: "var", dtype: "i32", name: part.name };
    const scaled: Expr =
      stride === 1
        ? variable
        : {
            kind: "binary",
            dtype: "i32",
            op: "mul",
            left: variable,
            right: { kind: "const", dtype: "i32", value: stride },
          };
    sum = sum ? { kind: "binary", dtype: "i32", op: "add", left: scaled, right: sum } : scaled;
    stride *= part.extent;
  }
  return sum ?? { kind: "const", dtype: "i32", value: 0 };
}
