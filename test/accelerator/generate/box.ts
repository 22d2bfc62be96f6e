// Loops with what they do to several affine forms at once: addresses of operands, and conditions, which hold where their form is
// not negative. All that the machine's instructions repeat is brought into this shape, and merged, cut and taken apart in it.
//
//   for i in 0..8, j in 0..32: to i*32 + j, from i*40 + j + 7        loops 8: [32, 40], 32: [1, 1]   at [0, 7]

import type { Expr } from "../../../src/compiler/index.ts";
import { simplifyIndex, substitute, toAffine } from "../../../src/compiler/index.ts";
import type { HardwareLoop } from "../isa/instruction.ts";
import { Refusal } from "./refusal.ts";

export interface Box {
  /** Outermost first; a step for each form. */
  readonly loops: readonly HardwareLoop[];
  /** Values of the forms where all loops are in their first iteration. */
  readonly at: readonly number[];
}

/** Values of the loops around, by name. */
export type Known = ReadonlyMap<string, Expr>;

/** @throws Refusal if an expression is not affine in the loops */
export function boxOf(
  loops: readonly { readonly name: string; readonly extent: number }[],
  forms: readonly Expr[],
  known: Known,
): Box {
  const affine = forms.map((form) => toAffine(simplifyIndex(substitute(form, known))));
  for (const { atom } of affine.flatMap(({ terms }) => terms)) {
    const isLoop = atom.kind === "var" && loops.some(({ name }) => name === atom.name);
    if (!isLoop) throw new Refusal("an index is no sum of multiples of loops");
  }
  const stepOf = (name: string): readonly number[] =>
    affine.map(({ terms }) => terms.find(({ atom }) => atom.kind === "var" && atom.name === name)?.coefficient ?? 0);
  return {
    loops: loops.map(({ name, extent }) => ({ count: extent, steps: stepOf(name) })),
    at: affine.map(({ constant }) => constant),
  };
}

/** The box without loops of one iteration, and with loops joined that walk all forms as one loop would. */
export function merged({ loops, at }: Box): Box {
  const several = loops.filter(({ count }) => count > 1);
  for (const inner of several) {
    const outer = several.find(
      (it) => it !== inner && it.steps.every((step, form) => step === (inner.steps[form] ?? 0) * inner.count),
    );
    if (!outer) continue;
    const joined = { count: outer.count * inner.count, steps: inner.steps };
    return merged({ loops: several.flatMap((it) => (it === outer ? [] : [it === inner ? joined : it])), at });
  }
  return { loops: several, at };
}

/** The iterations in which all conditions hold, for each loop from and to; null: there are none. */
export type Ranges = readonly { readonly from: number; readonly to: number }[];

/** @param conditions places of the conditions among the forms; each depends on one loop at most */
export function rangesWhere({ loops, at }: Box, conditions: readonly number[]): Ranges | null {
  const ranges = loops.map(({ count }) => ({ from: 0, to: count }));
  for (const form of conditions) {
    const value = at[form] ?? 0;
    const place = loops.findIndex(({ steps }) => steps[form] !== 0);
    const [step, range] = [loops[place]?.steps[form] ?? 0, ranges[place]];
    if (!range) {
      if (value < 0) return null;
    } else if (step > 0) range.from = Math.max(range.from, Math.ceil(-value / step));
    else range.to = Math.min(range.to, Math.floor(value / -step) + 1);
  }
  return ranges.every(({ from, to }) => from < to) ? ranges : null;
}

/** The part of the box that the ranges leave. */
export function within({ loops, at }: Box, ranges: Ranges): Box {
  const from = (place: number): number => ranges[place]?.from ?? 0;
  return {
    loops: loops.map((loop, place) => ({ ...loop, count: (ranges[place]?.to ?? loop.count) - from(place) })),
    at: at.map((value, form) => loops.reduce((sum, { steps }, place) => sum + (steps[form] ?? 0) * from(place), value)),
  };
}

/** A box for each iteration of one loop. */
export function each({ loops, at }: Box, place: number): readonly Box[] {
  const loop = loops[place];
  if (!loop) return [{ loops, at }];
  const inner = loops.filter((it) => it !== loop);
  return Array.from({ length: loop.count }, (_, iteration) => ({
    loops: inner,
    at: at.map((value, form) => value + iteration * (loop.steps[form] ?? 0)),
  }));
}

/** The box in parts in which each condition depends on one loop at most. */
export function separated(box: Box, conditions: readonly number[]): readonly Box[] {
  const loopsOf = (form: number): number[] =>
    box.loops.flatMap(({ steps }, place) => (steps[form] === 0 ? [] : [place]));
  const entangled = conditions.map(loopsOf).find((places) => places.length > 1);
  if (!entangled) return [box];
  return each(box, entangled[0] ?? 0).flatMap((part) => separated(part, conditions));
}

/** The box in parts that have no more loops than an instruction; the outermost are taken apart. */
export function withLoops(box: Box, most: number): readonly Box[] {
  return box.loops.length <= most ? [box] : each(box, 0).flatMap((part) => withLoops(part, most));
}

/** Some of the box's forms, in another order. */
export const pick = ({ loops, at }: Box, forms: readonly number[]): Box => ({
  loops: loops.map(({ count, steps }) => ({ count, steps: forms.map((form) => steps[form] ?? 0) })),
  at: forms.map((form) => at[form] ?? 0),
});
