// Loops marked "tensorized" → one statement with the intrinsic, where the nest in them is what it means and the target
// has it. Loops that it does not take (the rest of a tail, copies that initialise or write back, another target) become
// vectors.
//
//   for v in 0..8 (tensorized vpmaddwd.256)                        acc[ramp(0, 1, 8)] = vpmaddwd.256(acc[ramp(0, 1, 8)],
//     for p in 0..2                                           →      broadcast(X[ramp(k*2, 1, 2)], 16),
//       acc[v] = acc[v] + i32(X[k*2 + p]) * i32(Y[v*2 + p])          Y[ramp(0, 1, 16)])
//
// Buffers in registers that an intrinsic takes as fragments become fragments.

import type { Intrinsic } from "../../intrinsic/intrinsic.ts";
import { findIntrinsic, isAvailable } from "../../intrinsic/intrinsics.ts";
import { match, type OperandPlace } from "../../intrinsic/match.ts";
import { fromAffine } from "../../ir/affine.ts";
import { localBuffer } from "../../ir/buffer.ts";
import { broadcast, cast, ramp, store } from "../../ir/build.ts";
import { isOnFragments } from "../../ir/fragment.ts";
import type { Buffer, Expr, For, Stmt } from "../../ir/loop-ir.ts";
import { perfectNest } from "../../ir/perfect-nest.ts";
import { noRanges, type Ranges, withRange } from "../../ir/ranges.ts";
import { simplifyIndex } from "../../ir/simplify.ts";
import { updateFor, updateLoad } from "../../ir/update.ts";
import { mapChildren } from "../../ir/visit.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { LoweringContext, Pass } from "./pass.ts";

export const tensorize: Pass = {
  name: "tensorize",
  run(func, context) {
    const fragments = new Set<string>();
    const body = tensorizeIn(func.body, { ...context, buffers: buffersOf(func), ranges: noRanges, fragments });
    const buffers = func.buffers.map((each) => (fragments.has(each.name) ? localBuffer(each, "fragment") : each));
    return { ...func, buffers, body };
  },
};

export interface TensorizeContext extends LoweringContext {
  readonly buffers: ReadonlyMap<string, Buffer>;
  readonly ranges: Ranges;
  /** Names of the buffers in registers that are found to be fragments. */
  readonly fragments: Set<string>;
}

export const tensorizedPrefix = "tensorized ";

/** Says whether the iterations of the loop become lanes. */
export const isVectorLoop = ({ mark }: For): boolean => mark === "vectorized" || mark.startsWith(tensorizedPrefix);

function tensorizeIn(stmt: Stmt, context: TensorizeContext): Stmt {
  if (stmt.kind !== "for") return mapChildren(stmt, (child) => tensorizeIn(child, context));
  if (stmt.mark.startsWith(tensorizedPrefix)) return tensorizeLoop(stmt, context);
  const ranges = withRange(context.ranges, stmt.name, 0, stmt.extent - 1);
  return mapChildren(stmt, (child) => tensorizeIn(child, { ...context, ranges }));
}

function tensorizeLoop(loop: For, context: TensorizeContext): Stmt {
  const intrinsic = findIntrinsic(loop.mark.slice(tensorizedPrefix.length), context.target.intrinsics);
  const usable = intrinsic && isAvailable(intrinsic, context.target, context.numerics);
  return (usable && callOf(loop, intrinsic, context)) || updateFor(loop, { mark: "vectorized" });
}

/** Call of the intrinsic for a loop; null if the loop is not what it computes. */
export function callOf(loop: For, intrinsic: Intrinsic, { buffers, ranges, fragments }: TensorizeContext): Stmt | null {
  const nest = perfectNest(loop);
  if (nest?.leaf.kind !== "store" || nest.leaf.active) return null;
  const { loops, leaf } = nest;
  const known = loops.reduce((all, { name, extent }) => withRange(all, name, 0, extent - 1), ranges);
  const { buffer, indices, value } = leaf;
  const found = match({ loops, buffer, indices, value, buffers, ranges: known }, intrinsic);
  if (found.kind === "mismatch") return null;
  const starts = loops.reduce((all, { name }) => withRange(all, name, 0, 0), ranges);
  const operands = found.places.map((place) => operandOf(place, starts));
  const at = indexOf(found.places[0]!, starts);
  const call = callOrMove(value, intrinsic, operands);
  if (isOnFragments(call)) {
    const taken = found.places.map(({ load }) => load.buffer);
    for (const name of taken) if (buffers.get(name)!.memory === "register") fragments.add(name);
  }
  return store({ name: buffer }, [at], call);
}

/** The call; a move is none, but a vector as wide as it moves. */
function callOrMove(value: Expr, { name, meaning, text }: Intrinsic, operands: readonly Expr[]): Expr {
  const { dtype, shape } = meaning.buffers[0]!;
  const lanes = shape[0]!;
  if (value.kind === "const") return broadcast(value, lanes);
  if (value.kind === "load") return operands[1]!;
  return { kind: "intrinsic", dtype, lanes, name, operands, meaning, text };
}

/** The operand as a vector: a run of elements, repeated as often as need be, in the type that the intrinsic takes. */
function operandOf(place: OperandPlace, starts: Ranges): Expr {
  const { operand, load } = place;
  const run: Expr = updateLoad(load, { indices: [indexOf(place, starts)] });
  return cast(operand.dtype, broadcast(run, operand.shape[0]!));
}

function indexOf({ index, period, rows }: OperandPlace, starts: Ranges): Expr {
  const base = simplifyIndex(fromAffine(index), starts);
  if (rows) return ramp(ramp(base, 1, rows.lanes), rows.apart, period);
  return period === 1 ? base : ramp(base, 1, period);
}
