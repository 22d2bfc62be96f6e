// Two loops that follow one another, with equal extents: may iteration t of the second run before the later iterations
// of the first? Not if one of these touches an element that it touches, and one of both writes it.
//
//   for i: P[i] = …   for j: … P[j + 1] …      iteration 0 of j reads P[1], which iteration 1 of i writes
//
// Exact for each dimension of affine accesses: the difference of both indices is bounded over all pairs of iterations,
// and divided by the greatest common divisor of its coefficients. The index of the element in the buffer is looked at
// too, for what `fuse` took apart.

import { type Affine, addAffine, coefficientOf, withoutVar } from "../ir/affine.ts";
import { boundsOfAffine } from "../ir/bounds.ts";
import { flatIndex } from "../ir/build.ts";
import type { Block, Buffer, Expr, For, LoopFunc } from "../ir/loop-ir.ts";
import { rangesOf } from "../ir/ranges.ts";
import { simplifyAffine } from "../ir/simplify.ts";
import { walkExpr } from "../ir/visit.ts";
import { gcd } from "../support/integer-math.ts";
import { bindAxes, blocksIn, bufferNamed, loopsIn } from "./nest.ts";

export interface BlockAccess {
  readonly block: Block;
  readonly buffer: string;
  /** Indices of the element, over the axes of the block. */
  readonly indices: readonly Expr[];
  readonly writes: boolean;
}

export interface Conflict {
  /** Access in a later iteration of the first loop. */
  readonly first: BlockAccess;
  /** Access in an earlier iteration of the second loop. */
  readonly second: BlockAccess;
}

/** Returns two accesses that conflict, or null. `around` are the loops around both. */
export function firstConflict(nest: LoopFunc, first: For, second: For, around: readonly For[]): Conflict | null {
  if (first.extent === 1) return null;
  const ranges = rangesOf([...around, ...loopsIn(first), ...loopsIn(second)]);
  const formsOf = ({ block, indices }: BlockAccess, { shape }: Buffer): readonly Affine[] => {
    const bound = indices.map((index) => bindAxes(block, index));
    return [...bound, flatIndex(shape, bound)].map((index) => simplifyAffine(index, ranges));
  };
  const meet = (a: BlockAccess, b: BlockAccess): boolean => {
    const buffer = bufferNamed(nest, a.buffer)!;
    const [left, right] = [formsOf(a, buffer), formsOf(b, buffer)];
    return left.every((form, dim) => {
      const difference = addAffine(form, right[dim]!, -1);
      return mayBeZero(difference, first, second, ranges);
    });
  };
  const later = accessesIn(second);
  for (const a of accessesIn(first)) {
    const b = later.find((it) => it.buffer === a.buffer && (a.writes || it.writes) && meet(a, it));
    if (b) return { first: a, second: b };
  }
  return null;
}

/** Writes first: they are what a conflict is about. */
const accessesIn = (loop: For): readonly BlockAccess[] =>
  blocksIn(loop).flatMap((block): BlockAccess[] => {
    const { buffer, indices, init, value } = block;
    const found: BlockAccess[] = [{ block, buffer, indices, writes: true }];
    for (const expr of init ? [init, value] : [value]) {
      walkExpr(expr, (node) => {
        if (node.kind === "load") found.push({ block, buffer: node.buffer, indices: node.indices, writes: false });
      });
    }
    return found;
  });

/** Says whether the difference can be 0 for some iteration of the first loop and an earlier one of the second. */
function mayBeZero(difference: Affine, first: For, second: For, ranges: ReturnType<typeof rangesOf>): boolean {
  const a = coefficientOf(difference, first.name);
  const b = coefficientOf(difference, second.name);
  const size = difference.terms.reduce((divisor, { coefficient }) => gcd(Math.abs(coefficient), divisor), 0);
  if (size === 0 ? difference.constant !== 0 : difference.constant % size !== 0) return false;
  const rest = boundsOfAffine(withoutVar(withoutVar(difference, first.name), second.name), ranges);
  // A linear function is extreme at the corners of the triangle 0 ≤ second < first < extent.
  const last = first.extent - 1;
  const corners = [a, a * last, a * last + b * (last - 1)];
  return Math.min(...corners) + rest.min <= 0 && Math.max(...corners) + rest.max >= 0;
}
