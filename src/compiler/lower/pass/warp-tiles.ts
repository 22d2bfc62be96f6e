// Loops over a tile that one instruction, or all lanes of a warp together, compute → one statement on vectors as long as the tile. A
// nest that is marked with an intrinsic becomes a call. One with the word `warp`, which computes element by element, such as a start with
// zeros or a bias that is added on the way to memory, becomes that on whole vectors. All other loops stay as they are.
//
//   for r in 0..16 (warp: 1)
//     for c in 0..16                                    →     C[ramp(ramp(i*512 + j, 1, 16), 512, 256)] =
//       C[(i + r)*512 + j + c] = f16(acc[r*16 + c])             f16(acc[ramp(0, 1, 256)])

import { findIntrinsic, isAvailable } from "../../intrinsic/intrinsics.ts";
import { type Affine, coefficientOf, fromAffine, toAffine, withoutVar } from "../../ir/affine.ts";
import { and, broadcast, ifThen, ramp, store } from "../../ir/build.ts";
import type { Expr, For, Stmt } from "../../ir/loop-ir.ts";
import { perfectNest } from "../../ir/perfect-nest.ts";
import { noRanges, withRange } from "../../ir/ranges.ts";
import { updateBinary, updateFor, updateLoad, updateOperand, updateSelect } from "../../ir/update.ts";
import { lanesOf, mapChildren, varsIn } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";
import { callOf, type TensorizeContext, tensorizedPrefix } from "./tensorize.ts";
import { conditionsOfTile } from "./warp-tiles/conditions-of-tile.ts";

/** Word of the outer loop over a tile, which has as many elements as the lanes of a warp hold together. */
export const warpWord = "warp";

export const warpTiles: Pass = {
  name: "warp-tiles",
  run(func, context) {
    const known = { ...context, buffers: buffersOf(func), ranges: noRanges, fragments: new Set<string>() };
    return { ...func, body: tilesIn(func.body, known) };
  },
};

function tilesIn(stmt: Stmt, context: TensorizeContext): Stmt {
  if (stmt.kind !== "for") return mapChildren(stmt, (child) => tilesIn(child, context));
  if (stmt.mark.startsWith(tensorizedPrefix)) return tileOf(stmt, context);
  if (stmt.annotations[warpWord] !== undefined) return elementwise(stmt) ?? stmt;
  const ranges = withRange(context.ranges, stmt.name, 0, stmt.extent - 1);
  return mapChildren(stmt, (child) => tilesIn(child, { ...context, ranges }));
}

function tileOf(loop: For, context: TensorizeContext): Stmt {
  const intrinsic = findIntrinsic(loop.mark.slice(tensorizedPrefix.length), context.target.intrinsics);
  const isUsable = intrinsic && isAvailable(intrinsic, context.target, context.numerics);
  const found = isUsable ? conditionsOfTile(loop) : null;
  const call = found && callOf(found.tile, intrinsic!, context);
  if (!call) return updateFor(loop, { mark: "serial" });
  return found.conditions.length === 0 ? call : ifThen(found.conditions.reduce(and), call);
}

/** Loops over a tile, the outermost first, and how many elements it has. */
interface Tile {
  readonly loops: readonly For[];
  readonly lanes: number;
}

/** The nest on whole vectors; null where it is none around a store, or an index is not affine in its loops. */
function elementwise(loop: For): Stmt | null {
  const nest = perfectNest(loop);
  if (nest?.leaf.kind !== "store" || nest.leaf.active) return null;
  const tile: Tile = { loops: nest.loops, lanes: product(nest.loops.map(({ extent }) => extent)) };
  const index = indexOn(nest.leaf.indices[0]!, tile);
  const value = valueOn(nest.leaf.value, tile);
  return index && value && store({ name: nest.leaf.buffer }, [index], broadcast(value, tile.lanes));
}

function dependsOn(expr: Expr, { loops }: Tile): boolean {
  const names = varsIn(expr);
  return loops.some(({ name }) => names.has(name));
}

/** The index in all lanes, the outermost loop slowest; null: it is not affine in the loops. Loops that go on where the next one ends are one run. */
function indexOn(index: Expr, tile: Tile): Expr | null {
  const form = toAffine(index);
  const rest = tile.loops.reduce<Affine>((left, { name }) => withoutVar(left, name), form);
  const base = fromAffine(rest);
  if (dependsOn(base, tile)) return null;
  const runs: { stride: number; count: number }[] = [];
  for (const { name, extent } of tile.loops.toReversed()) {
    const [stride, last] = [coefficientOf(form, name), runs.at(-1)];
    if (last && stride === last.stride * last.count) last.count *= extent;
    else runs.push({ stride, count: extent });
  }
  return runs.reduce<Expr>((inner, { stride, count }) => ramp(inner, stride, lanesOf(inner) * count), base);
}

/** The value in all lanes, or as a scalar where it is the same in all; null: it has no vector form. */
function valueOn(expr: Expr, tile: Tile): Expr | null {
  if (!dependsOn(expr, tile)) return expr;
  const on = (operand: Expr): Expr | null => {
    const value = valueOn(operand, tile);
    return value && broadcast(value, tile.lanes);
  };
  switch (expr.kind) {
    case "var":
      return indexOn(expr, tile);
    case "load": {
      const index = expr.active ? null : indexOn(expr.indices[0]!, tile);
      return index && updateLoad(expr, { indices: [index], active: null });
    }
    case "unary":
    case "cast":
    case "bitcast": {
      const operand = on(expr.operand);
      return operand && updateOperand(expr, operand);
    }
    case "binary": {
      const [left, right] = [on(expr.left), on(expr.right)];
      return left && right && updateBinary(expr, { left, right });
    }
    case "select": {
      const [condition, yes, no] = [on(expr.condition), on(expr.then), on(expr.else)];
      return condition && yes && no && updateSelect(expr, { condition, then: yes, else: no });
    }
    default:
      return null;
  }
}
