// Two loops that follow one another, the first of which writes what the second reads, at indices that a test chooses.

import { add, block, constInt, constOf, forLoop, mul, seq, variable } from "../../../src/compiler/ir/build.ts";
import type { Expr, For, LoopFunc } from "../../../src/compiler/ir/loop-ir.ts";

export interface LinearIndex {
  readonly t: number;
  readonly inner: number;
  readonly constant: number;
}

/** t·(outer loop) + inner·(inner loop) + constant, for each dimension. */
export const access = (dims: readonly LinearIndex[], outer: string, inside: string): readonly Expr[] =>
  dims.map(({ t, inner, constant }) =>
    add(add(mul(variable(outer), constInt(t)), mul(variable(inside), constInt(inner))), constInt(constant)),
  );

/** for w.t, w.x: P[written] = 1; for r.t, r.x: Q[r.t, r.x] = P[read]. */
export function copyNest(
  extent: number,
  innerExtent: number,
  written: readonly Expr[],
  read: readonly Expr[],
): { readonly func: LoopFunc; readonly loops: readonly [For, For] } {
  const axes = [
    { name: "t", extent, role: "spatial" },
    { name: "x", extent: innerExtent, role: "spatial" },
  ] as const;
  const write = block({
    name: "P",
    axes,
    bindings: [variable("w.t"), variable("w.x")],
    buffer: "P",
    indices: written,
    value: constOf("f32", 1),
  });
  const copy = block({
    name: "Q",
    axes,
    bindings: [variable("r.t"), variable("r.x")],
    buffer: "Q",
    indices: [variable("t"), variable("x")],
    value: { kind: "load", dtype: "f32", buffer: "P", indices: read, active: null },
  });
  const first = forLoop("w.t", extent, forLoop("w.x", innerExtent, write));
  const second = forLoop("r.t", extent, forLoop("r.x", innerExtent, copy));
  const buffers = [
    { name: "Q", dtype: "f32", shape: [extent, innerExtent], role: "output", memory: "caller" },
    { name: "P", dtype: "f32", shape: written.map(() => 64), role: "local", memory: "workspace" },
  ] as const;
  return { func: { name: "two_loops", buffers, body: seq(first, second) }, loops: [first, second] };
}
