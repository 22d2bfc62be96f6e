// Loop nest + intrinsic → which loop plays which role in its meaning and where each operand lies, or why they do not
// match. Nothing is said by hand: expressions are unified, then every way of giving the loops roles is tried.
//
//   for v in 0..8, p in 0..2                                  lane = v, step = p
//     acc[v] = acc[v] + i32(X[k*2 + p]) * i32(Y[v*2 + p])  →  C: acc  A: 2 elements of X, repeated  B: 16 elements of Y

import { type Affine, coefficientOf, toAffine } from "../ir/affine.ts";
import { flatIndex } from "../ir/build.ts";
import type { Buffer, Expr, For, Load } from "../ir/loop-ir.ts";
import { perfectNest } from "../ir/perfect-nest.ts";
import type { Ranges } from "../ir/ranges.ts";
import { simplifyAffine } from "../ir/simplify.ts";
import { someExpr } from "../ir/visit.ts";
import { invariant } from "../support/invariant.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { type Bindings, unify } from "./unify.ts";

/** A nest in terms of its loops: one element of `buffer` gets `value` in each iteration. */
export interface MatchableNest {
  readonly loops: readonly For[];
  readonly buffer: string;
  readonly indices: readonly Expr[];
  readonly value: Expr;
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** Ranges of these loops and of those around them. */
  readonly ranges: Ranges;
}

/** An operand of the intrinsic, as it lies in memory. */
export interface OperandPlace {
  /** Buffer of the meaning that stands for the operand. */
  readonly operand: Buffer;
  readonly load: Load;
  /** Place of the element in the flat buffer. */
  readonly index: Affine;
  /** Neighbouring elements that are read; they are repeated to fill the operand. */
  readonly period: number;
  /** Distance between the rows of a tile; null: they follow each other without gaps. */
  readonly rows: Rows | null;
}

interface Rows {
  readonly lanes: number;
  readonly apart: number;
}

export type Match =
  | { readonly kind: "match"; readonly places: readonly OperandPlace[]; readonly roles: ReadonlyMap<string, string> }
  /** value: another computation; loops: other extents; layout: the elements do not lie as the instruction wants them. */
  | { readonly kind: "mismatch"; readonly what: "value" | "loops" | "layout"; readonly why: string };

type Mismatch = Extract<Match, { kind: "mismatch" }>;

export function match(candidate: MatchableNest, intrinsic: Intrinsic): Match {
  const { name, meaning } = intrinsic;
  const { loops, leaf } = meaningNest(intrinsic);
  const target: Load = loadOfTarget(candidate);
  const unified = unify(leaf, candidate.value, meaning.buffers, target);
  if (unified.length === 0) return { kind: "mismatch", what: "value", why: `${name} computes something else` };
  const rolesTried = roleAssignments(loops, candidate.loops);
  if (rolesTried.length === 0) return { kind: "mismatch", what: "loops", why: otherExtents(intrinsic, loops) };
  let first: Mismatch | null = null;
  for (const bindings of unified) {
    for (const roles of rolesTried) {
      const found = placesOf(candidate, intrinsic, bindings, roles);
      if (found.kind === "match") return found;
      first ??= found;
    }
  }
  return first!;
}

function meaningNest({ name, meaning }: Intrinsic) {
  const nest = perfectNest(meaning.body);
  invariant(nest?.leaf.kind === "store", `the meaning of ${name} is no store under loops`);
  return { loops: nest.loops, leaf: nest.leaf };
}

const loadOfTarget = ({ buffer, buffers, indices }: MatchableNest): Load => ({
  kind: "load",
  dtype: buffers.get(buffer)!.dtype,
  buffer,
  indices,
  active: null,
});

const otherExtents = ({ name }: Intrinsic, loops: readonly For[]): string =>
  `${name} wants loops of ${loops.map(({ extent }) => extent).join(" and ")} iterations and no others`;

/** Loop of the meaning → loop of the nest, of the same extent: every way. */
function roleAssignments(wanted: readonly For[], found: readonly For[]): readonly ReadonlyMap<string, string>[] {
  if (wanted.length !== found.length) return [];
  const [first, ...rest] = wanted;
  if (!first) return [new Map()];
  return found
    .filter(({ extent }) => extent === first.extent)
    .flatMap((loop) =>
      roleAssignments(
        rest,
        found.filter((other) => other !== loop),
      ).map((roles) => new Map(roles).set(first.name, loop.name)),
    );
}

// ── where the operands lie ──────────────────────────────────────────────────────────────────────────────────────────

function placesOf(
  candidate: MatchableNest,
  intrinsic: Intrinsic,
  bindings: Bindings,
  roles: ReadonlyMap<string, string>,
): Match {
  const places: OperandPlace[] = [];
  for (const [at, operand] of intrinsic.meaning.buffers.entries()) {
    const bound = bindings.get(operand.name)!;
    const rows = rowsOf(candidate, intrinsic, bound, roles);
    const period = periodOf(candidate, intrinsic, { operand, ...bound, rows }, roles);
    if (typeof period !== "number") return period;
    if (at === 0 && period !== operand.shape[0]) return repeatedResult(intrinsic, bound.load);
    const asItLies = period === operand.shape[0] && bound.load.dtype === operand.dtype;
    if (intrinsic.operands === "tiles" && !asItLies) return noTile(intrinsic, bound.load);
    places.push({ operand, load: bound.load, index: flatForm(candidate, bound.load), period, rows });
  }
  return { kind: "match", places, roles };
}

/** Rows of a tile: instructions that move tiles take any distance between them, as long as no two overlap. */
function rowsOf(
  candidate: MatchableNest,
  { operands }: Intrinsic,
  { load, wanted }: Pick<Bound, "load" | "wanted">,
  roles: ReadonlyMap<string, string>,
): Rows | null {
  const [row] = stepsOf(toAffine(wanted), roles);
  if (operands !== "tiles" || !row) return null;
  const apart = coefficientOf(flatForm(candidate, load), roles.get(row.role)!);
  return apart > row.step ? { lanes: row.step, apart } : null;
}

const repeatedResult = ({ name }: Intrinsic, { buffer }: Load): Mismatch => ({
  kind: "mismatch",
  what: "layout",
  why: `${name} has a result of its own for each lane, ${buffer} has one for several`,
});

const noTile = ({ name }: Intrinsic, { buffer }: Load): Mismatch => ({
  kind: "mismatch",
  what: "layout",
  why: `${name} moves whole tiles as they lie in memory, ${buffer} would have to be repeated or widened`,
});

function flatForm({ buffers, ranges }: MatchableNest, { buffer, indices }: Load): Affine {
  const { shape } = buffers.get(buffer)!;
  return simplifyAffine(flatIndex(shape, indices), ranges);
}

interface Bound {
  readonly operand: Buffer;
  readonly load: Load;
  /** Index of the operand in terms of the meaning's loops. */
  readonly wanted: Expr;
  readonly rows: Rows | null;
}

/**
 * The elements of an operand have to be as far apart as the lanes of the vector that holds them. Outer loops, those that
 * skip most, may stand still instead: then what the inner ones read is repeated.
 */
function periodOf(
  candidate: MatchableNest,
  { name }: Intrinsic,
  { operand, load, wanted, rows }: Bound,
  roles: ReadonlyMap<string, string>,
): number | Mismatch {
  const misplaced = (why: string): Mismatch => ({ kind: "mismatch", what: "layout", why });
  const form = flatForm(candidate, load);
  const hidden = form.terms.find(({ atom }) => atom.kind !== "var" && mentionsAny(atom, roles));
  if (hidden) return misplaced(`${load.buffer} is not read at affine indices`);
  const pattern = toAffine(wanted);
  let period = operand.shape[0]!;
  let isInner = false;
  for (const { role, step } of stepsOf(pattern, roles)) {
    const loop = roles.get(role)!;
    const found = coefficientOf(form, loop);
    const stands = found === 0 && !isInner;
    const isRow = rows !== null && step === rows.lanes;
    if (found !== step && !stands && !isRow) {
      const apart = `${load.buffer} moves by ${found} elements along ${loop}`;
      return misplaced(`${apart}, ${name} wants its operand ${operand.name} to move by ${step}`);
    }
    if (stands && step > 0) period = step;
    else if (step > 0) isInner = true;
  }
  return period;
}

/** The roles, the one that skips most elements first. */
const stepsOf = (pattern: Affine, roles: ReadonlyMap<string, string>) =>
  [...roles.keys()].map((role) => ({ role, step: coefficientOf(pattern, role) })).sort((a, b) => b.step - a.step);

const mentionsAny = (atom: Expr, roles: ReadonlyMap<string, string>): boolean => {
  const loops = [...roles.values()];
  return someExpr(atom, (each) => each.kind === "var" && loops.includes(each.name));
};
