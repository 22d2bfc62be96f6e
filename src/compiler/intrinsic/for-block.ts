// A block of the naive nest → the intrinsics of a target that compute it, once its axes are cut to their extents and its
// operands lie as they want them, those that are padded in copies.

import type { DType } from "../expr/dtype.ts";
import type { Block, Expr, For, Load } from "../ir/loop-ir.ts";
import { perfectNest } from "../ir/perfect-nest.ts";
import { mapExpr, varsIn } from "../ir/visit.ts";
import { product } from "../support/integer-math.ts";
import type { Numerics, Target } from "../target/target.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { intrinsicsOf, isAvailable } from "./intrinsics.ts";
import { unify } from "./unify.ts";

export interface BlockIntrinsic {
  readonly intrinsic: Intrinsic;
  /** Elements of the result that it computes, and how many values each of them gains. */
  readonly lanes: number;
  /** Rows that the elements of the result are; 1: they are neighbours in one row. */
  readonly rows: number;
  readonly group: number;
  /** Returns the element type that a buffer must have as an operand; null for a buffer that the intrinsic does not read. */
  readonly operandType: (buffer: string) => DType | null;
}

/** Intrinsics that a block may be computed by, the better ones first. */
export function intrinsicsFor(block: Block, target: Target, numerics: Numerics): readonly BlockIntrinsic[] {
  return intrinsicsOf(target).flatMap((intrinsic) => {
    const found = isAvailable(intrinsic, target, numerics) ? blockIntrinsic(block, intrinsic) : null;
    return found ? [found] : [];
  });
}

function blockIntrinsic(block: Block, intrinsic: Intrinsic): BlockIntrinsic | null {
  const { buffers, body } = intrinsic.meaning;
  const nest = perfectNest(body);
  if (nest?.leaf.kind !== "store") return null;
  const { leaf, loops } = nest;
  const dtype = buffers[0]!.dtype;
  const target: Load = { kind: "load", dtype, buffer: block.buffer, indices: block.indices, active: null };
  const [bindings] = unify(leaf, mapExpr(block.value, withoutPadding), buffers, target);
  if (!bindings) return null;
  const named = varsIn(leaf.indices[0]!);
  const results = loops.filter(({ name }) => named.has(name));
  const count = (some: readonly For[]): number => product(some.map(({ extent }) => extent));
  const types = new Map(buffers.map(({ name, dtype }) => [bindings.get(name)!.load.buffer, dtype]));
  return {
    intrinsic,
    lanes: count(results),
    rows: count(results.slice(0, -1)),
    group: count(loops.filter((loop) => !results.includes(loop))),
    operandType: (buffer) => types.get(buffer) ?? null,
  };
}

/** Element behind a choice of an element or 0, which a copy that is padded with zeros has. */
const withoutPadding = (expr: Expr): Expr =>
  expr.kind === "select" && expr.then.kind === "load" && expr.else.kind === "const" && expr.else.value === 0
    ? expr.then
    : expr;
