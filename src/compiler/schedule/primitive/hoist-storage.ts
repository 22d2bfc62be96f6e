// Let the storage of an intermediate outlive the loop that it is computed under: it covers what the body of an outer loop
// (null: the whole kernel) reads, computing stays where it is. With that, what neighbouring iterations have in common can
// be kept: Halide's store_at with its sliding window and storage folding, exo's lift_alloc.
//
//   for Q.i in 0..9                            for P.first.i in 0..1: P[P.first.i] = f(P.first.i)
//     for P.i in 0..2                          for Q.i in 0..9
//       P[P.i] = f(Q.i + P.i)           →        for P.i in 0..1
//     Q[Q.i] = P[0] + P[1]                         P[Q.i + 1 + P.i] = f(Q.i + 1 + P.i)
//                                                Q[Q.i] = P[Q.i] + P[Q.i + 1]             (reuse "slide", root)
//
// reuse "none"   the same elements are computed, each time, into the larger storage
//       "slide"  an iteration of the loop around the producer computes only what the one before it has not; what is missing
//                in the first is computed before the loop. Exact, without conditions: regions are affine
//       "fold"   as slide, and the dimension along which the window moves is stored modulo its width

import { type Affine, addAffine, addConstant, fromAffine, toAffine } from "../../ir/affine.ts";
import { boundsOf } from "../../ir/bounds.ts";
import { isParameter } from "../../ir/buffer.ts";
import { constInt, mod } from "../../ir/build.ts";
import type { Expr, For, LoopFunc } from "../../ir/loop-ir.ts";
import { rangesOf } from "../../ir/ranges.ts";
import { varsIn } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { bufferNamed, findBlock, findLoop } from "../nest.ts";
import { type SlidingWindow, slideWindow, windowOf } from "../sliding-window.ts";
import { accessors, type DimStorage, mapAccesses, storageOf } from "../storage.ts";
import type { InstructionOf } from "../trace.ts";
import { bufferField, field, loopOrNullField, oneOf, withPreset } from "./field.ts";
import { illegal, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

type Args = InstructionOf<"hoist-storage">;

export const hoistStorage = definePrimitive({
  kind: "hoist-storage",
  fields: [bufferField, loopOrNullField, withPreset(field("reuse", oneOf("none", "slide", "fold")), "none")],
  role: "step",

  check(nest, args) {
    const { buffer: name, loop, reuse } = args;
    const marked = loop === null ? [] : [loop];
    const no = (code: ReasonOf<"hoist-storage">, text: string) => illegal(`hoist-storage.${code}`, nest, marked, text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    if (isParameter(buffer)) return no("parameter", `${name} is the caller's memory`);
    if (loop !== null && !findLoop(nest, loop)) return noSuchLoop("hoist-storage.no-such-loop", nest, loop);
    const outside = accessors(nest, name).find((block) => !isUnder(nest, block.name, loop));
    if (outside) return no("outside", `${outside.name} uses ${name} outside ${loop}`);
    const dims = hoistedDims(nest, args);
    if (!dims) return no("not-affine", `where ${name} begins in its stage is no affine function of the loops`);
    if (dims.every(({ offset }) => offset.terms.length === 0)) {
      return no("there", `${name} covers all that the body of ${loop ?? "the kernel"} reads of it already`);
    }
    return reuse === "none" ? null : checkReuse(nest, args);
  },

  apply(nest, args) {
    const { buffer: name, reuse } = args;
    const dims = hoistedDims(nest, args)!;
    const window = reuse === "none" ? null : (windowOf(nest, name) as SlidingWindow);
    const folded = reuse === "fold" ? window : null;
    const moved = mapAccesses(nest, name, (indices) =>
      indices.map((index, dim) => {
        const element = fromAffine(addAffine(toAffine(index), dims[dim]!.offset));
        return folded?.dim === dim ? mod(element, constInt(folded.width)) : element;
      }),
    );
    const shape = dims.map(({ extent }, dim) => (folded?.dim === dim ? folded.width : extent));
    const buffers = moved.buffers.map((buffer) => (buffer.name === name ? { ...buffer, shape } : buffer));
    return window ? slideWindow({ ...moved, buffers }, window) : { ...moved, buffers };
  },

  print: ({ buffer, loop, reuse }) =>
    `hoist-storage ${buffer} to ${loop ?? "the root"}${reuse === "none" ? "" : ` ${reuse}`}`,
});

const isUnder = (nest: LoopFunc, block: string, loop: string | null): boolean =>
  loop === null || findBlock(nest, block)!.around.some(({ name }) => name === loop);

function checkReuse(nest: LoopFunc, { buffer, loop }: Args): Diagnostic | null {
  const window = windowOf(nest, buffer);
  const no = (code: ReasonOf<"hoist-storage">, loops: readonly string[], text: string, hint: string | null = null) =>
    illegal(`hoist-storage.${code}`, nest, loops, text, hint);
  if ("why" in window) return no("no-window", window.loops, window.why, window.hint);
  if (loop !== window.at && isUnder(nest, window.block, loop)) {
    const { around } = findBlock(nest, window.block)!;
    const names = around.map(({ name }) => name);
    if (loop === null || names.indexOf(loop) < names.indexOf(window.at)) return null;
  }
  return no(
    "inside",
    [window.at],
    `the window moves along ${window.at}, so ${buffer} has to outlive it`,
    `hoist to a loop outside of ${window.at}, or to the root`,
  );
}

interface HoistedDim {
  /** Term that is added to the indices, in steps. */
  readonly offset: Affine;
  readonly extent: number;
}

/** Dimensions of the hoisted storage; null if it has no start, or one that other loops than those around all accesses decide. */
function hoistedDims(nest: LoopFunc, { buffer, loop }: Args): readonly HoistedDim[] | null {
  const dims = storageOf(nest, buffer);
  if (!dims) return null;
  const places = accessors(nest, buffer).map((block) => findBlock(nest, block.name)!.around);
  const common = places[0]!.filter(({ name }) => places.every((around) => around.some((each) => each.name === name)));
  const names = new Set(common.map(({ name }) => name));
  const vars = dims.flatMap(({ start }) => [...varsIn(fromAffine(start))]);
  if (vars.some((name) => !names.has(name))) return null;
  const inner = common.slice(loop === null ? 0 : common.findIndex(({ name }) => name === loop) + 1);
  const { shape } = bufferNamed(nest, buffer)!;
  const hoisted = dims.map((dim, at) => hoistedDim(dim, shape[at]!, inner));
  return hoisted.every((dim) => dim !== null) ? hoisted : null;
}

/** `inner` are the loops that the storage grows over. */
function hoistedDim({ start, step }: DimStorage, size: number, inner: readonly For[]): HoistedDim | null {
  const names = new Set(inner.map(({ name }) => name));
  const isInner = (atom: Expr): boolean => [...varsIn(atom)].some((name) => names.has(name));
  const moving = start.terms.filter(({ atom }) => isInner(atom));
  const own = { terms: moving, constant: 0 };
  const { min, max } = boundsOf(fromAffine(own), rangesOf(inner));
  if (!Number.isFinite(max - min) || moving.some(({ coefficient }) => coefficient % step !== 0)) return null;
  const offset = addConstant(own, -min);
  const terms = offset.terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / step }));
  return {
    offset: { terms, constant: offset.constant / step },
    extent: size + (max - min) / step,
  };
}
