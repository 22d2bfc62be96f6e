// Loop + buffer + distance → the cache lines of the buffer that the iteration so far ahead touches: where the first one
// begins, and how one gets to the others. In the scheduled form and in the lowered one.
//
//   for C.k, for C.j.1 in 0..32: … B[C.k, C.j.0*32 + C.j.1] …, B of 96×83 f32, 4 ahead at C.k
//     →   B[C.k + 4, C.j.0*32], 2 lines of 16 elements
//
// Elements that leave no whole line between them are one run, across rows too. Where a run begins within a line is not
// known: its lines are counted from its first element, and the last bytes of it may lie in one line more.

import { byteSize } from "../expr/dtype.ts";
import { boundsOf } from "../ir/bounds.ts";
import { add, constInt, flatIndex, variable } from "../ir/build.ts";
import type { Buffer, Expr, Stmt } from "../ir/loop-ir.ts";
import { type Ranges, rangesOf } from "../ir/ranges.ts";
import { simplifyIndex } from "../ir/simplify.ts";
import { substitute, varsIn, walkOwnExprs, walkStmt } from "../ir/visit.ts";
import { ceilDiv, product } from "../support/integer-math.ts";
import { bindAxes, type LoopPlace, loopsIn } from "./nest.ts";
import { boundingBox, countOf, type DimRegion } from "./region.ts";

/** Bytes of a cache line, of x86 and of nearly all ARM cores. */
const lineBytes = 64;

/**
 * A core has 10 to 24 misses on their way at a time (line fill buffers, miss address buffers); of 64 hints in a row, a
 * page, the last waits three times for memory. More would be a slow copy: the loop inside has the better place.
 */
export const mostLines = 64;

export type LinesAhead =
  | {
      readonly kind: "lines";
      /** Indices of the first element, over the loop and those around it; may lie outside of the buffer. */
      readonly first: readonly Expr[];
      readonly steps: readonly LineStep[];
      readonly writes: boolean;
    }
  | { readonly kind: "not-used" | "not-affine" | "same" | "beyond" }
  | { readonly kind: "too-many"; readonly lines: number };

/** `count` hints, each `elements` further along a dimension. */
export interface LineStep {
  readonly dim: number;
  readonly elements: number;
  readonly count: number;
}

export function linesAhead({ loop, around }: LoopPlace, buffer: Buffer, distance: number): LinesAhead {
  const accesses = accessesUnder(loop.body, buffer.name);
  if (accesses.length === 0) return { kind: "not-used" };
  const box = boundingBox(
    accesses.map(({ indices }) => indices),
    loopsIn(loop.body),
    [...around, loop],
  );
  if (!box) return { kind: "not-affine" };
  if (!box.some(({ start }) => varsIn(start).has(loop.name))) return { kind: "same" };
  const ahead = new Map([[loop.name, add(variable(loop.name), constInt(distance))]]);
  const ranges = rangesOf([...around, loop]);
  const first = box.map(({ start }) => simplifyIndex(substitute(start, ahead), ranges));
  if (isOutside(first, box, buffer, ranges)) return { kind: "beyond" };
  const steps = lineSteps(box, buffer);
  const lines = product(steps.map(({ count }) => count));
  if (lines > mostLines) return { kind: "too-many", lines };
  return { kind: "lines", first, steps, writes: accesses.some(({ writes }) => writes) };
}

interface LineAccess {
  /** Indices of an access, over loops. */
  readonly indices: readonly Expr[];
  readonly writes: boolean;
}

function accessesUnder(body: Stmt, buffer: string): readonly LineAccess[] {
  const found: LineAccess[] = [];
  walkStmt(body, (stmt) => {
    const bind = (index: Expr): Expr => (stmt.kind === "block" ? bindAxes(stmt, index) : index);
    const note = (indices: readonly Expr[], writes: boolean) => found.push({ indices: indices.map(bind), writes });
    if ((stmt.kind === "block" || stmt.kind === "store") && stmt.buffer === buffer) note(stmt.indices, true);
    walkOwnExprs(stmt, (expr) => expr.kind === "load" && expr.buffer === buffer && note(expr.indices, false));
  });
  return found;
}

/** Says whether the lines lie outside of the buffer in every iteration of the loops around. */
function isOutside(first: readonly Expr[], box: readonly DimRegion[], { shape }: Buffer, ranges: Ranges): boolean {
  const { min, max } = boundsOf(simplifyIndex(flatIndex(shape, first), ranges), ranges);
  const length = product(shape);
  const span = box.reduce((sum, { extent }, dim) => sum * shape[dim]! + extent - 1, 0);
  return min >= length || max + span < 0;
}

/** Steps from line to line, from the last dimension outwards: what is close together is one run, the rest is stepped over. */
function lineSteps(box: readonly DimRegion[], { shape, dtype }: Buffer): readonly LineStep[] {
  const perLine = lineBytes / byteSize[dtype];
  const steps: LineStep[] = [];
  let [run, stride] = [1, 1];
  for (const [dim, region] of [...box.entries()].reverse()) {
    const [count, apart] = [countOf(region), region.step * stride];
    if (count > 1 && steps.length === 0 && apart - run < perLine) run += (count - 1) * apart;
    else if (count > 1) steps.unshift({ dim, elements: region.step, count });
    stride *= shape[dim]!;
  }
  const lines = ceilDiv(run, perLine);
  return lines === 1 ? steps : [...steps, { dim: box.length - 1, elements: perLine, count: lines }];
}
