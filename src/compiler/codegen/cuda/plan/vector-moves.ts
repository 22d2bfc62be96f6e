// Vectors that one instruction moves: loads in the value of a statement, and stores of what was loaded.

import type { Expr, Load, Store } from "../../../ir/loop-ir.ts";
import { lanesOf } from "../../../ir/visit.ts";
import { alignedRun } from "./aligned-run.ts";
import { type Choice, walkChosen } from "./chosen.ts";
import { bytesOfElement } from "./elements.ts";
import type { KernelFacts } from "./kernel-facts.ts";

/** A vector that one instruction loads. */
export interface VectorLoad {
  readonly load: Load;
  /** Index of its first element. */
  readonly start: Expr;
  /** Ways in which it is chosen, of which one has to be taken; null: it is loaded in any case. */
  readonly ways: readonly (readonly Choice[])[] | null;
}

/** The vectors in a value that are loaded as a whole, but those that are known already. */
export function vectorLoadsIn(value: Expr, isKnown: (load: Load) => boolean): readonly VectorLoad[] {
  const ways = new Map<Load, (readonly Choice[])[]>();
  walkChosen(value, (expr, chosen) => {
    if (expr.kind !== "load" || lanesOf(expr) === 1 || expr.active || isKnown(expr)) return;
    ways.set(expr, [...(ways.get(expr) ?? []), chosen]);
  });
  return [...ways].flatMap(([load, all]) => {
    const start = alignedRun(load.indices[0]!, load.dtype);
    if (!start) return [];
    return [{ load, start, ways: all.some((chosen) => chosen.length === 0) ? null : all }];
  });
}

/** A store of a run that is a load of one of the same type. */
export interface CopiedRun {
  readonly load: Load;
  /** Indices of the first elements. */
  readonly to: Expr;
  readonly from: Expr;
  readonly bytes: number;
}

/** A store that is one move; null: it is none. */
export function copiedRun({ indices, value, active }: Store): CopiedRun | null {
  if (active || value.kind !== "load" || value.active) return null;
  const [to, from] = [alignedRun(indices[0]!, value.dtype), alignedRun(value.indices[0]!, value.dtype)];
  return to && from && { load: value, to, from, bytes: lanesOf(value) * bytesOfElement(value.dtype) };
}

/** Says whether the threads need not wait for a move: it fills memory of the group that is filled ahead. */
export const isInBackground = (
  { buffer }: Store,
  { load, bytes }: CopiedRun,
  { ahead, group }: Pick<KernelFacts, "ahead" | "group">,
): boolean => bytes === 16 && ahead.has(buffer) && !group.has(load.buffer);
