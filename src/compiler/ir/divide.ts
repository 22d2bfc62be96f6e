// floorDiv and mod of linear forms by positive constants, with ranges: what is divisible leaves, what is too small to
// matter vanishes.
//
//   (96·i + 48·j + x) floorDiv 48  →  2·i + j               where 0 ≤ x < 48
//   (16·i + x) mod 64              →  16·(i mod 4) + x      where 0 ≤ x < 16

import { isBounded } from "../affine/interval.ts";
import { gcd } from "../support/integer-math.ts";
import { type Affine, addAffine, addConstant, atomAffine, constantAffine, fromAffine, toAffine } from "./affine.ts";
import { boundsOfAffine } from "./bounds.ts";
import { exprKey } from "./expr-key.ts";
import type { Binary } from "./loop-ir.ts";
import type { Ranges } from "./ranges.ts";

export function divideAffine(x: Affine, by: number, ranges: Ranges): Affine {
  if (by === 1) return x;
  if (!isBounded(boundsOfAffine(x, ranges))) return atomAffine(division("floorDiv", x, by));
  const { multiple, rest } = splitBy(x, by);
  const whole = Math.floor(rest.constant / by);
  const { min, max } = boundsOfAffine(rest, ranges);
  const first = Math.floor(min / by);
  if (first === Math.floor(max / by)) return addConstant(multiple, first);
  const quotient = divideRest(addConstant(rest, -whole * by), by, ranges);
  return addConstant(addAffine(multiple, quotient), whole);
}

export function modAffine(x: Affine, by: number, ranges: Ranges): Affine {
  if (by === 1) return constantAffine(0);
  if (!isBounded(boundsOfAffine(x, ranges))) return atomAffine(division("mod", x, by));
  const { rest } = splitBy(throughMods(x, by), by);
  const { min, max } = boundsOfAffine(rest, ranges);
  const first = Math.floor(min / by);
  if (first === Math.floor(max / by)) return addConstant(rest, -first * by);
  const reduced = addConstant(rest, -Math.floor(rest.constant / by) * by);
  const step = stepOf(reduced, by, ranges);
  if (!step) return atomAffine(division("mod", reduced, by));
  return addAffine(step.small, modAffine(step.large, by / step.size, ranges), step.size);
}

/** k·c·(x floorDiv c) + k·(x mod c)  →  k·x */
export function joinDivisions(x: Affine): Affine {
  const mods = x.terms.filter(({ atom }) => atom.kind === "binary" && atom.op === "mod");
  for (const { atom, coefficient } of mods) {
    const { left, right } = atom as Binary;
    if (right.kind !== "const") continue;
    const wanted = exprKey({ ...(atom as Binary), op: "floorDiv" });
    const quotient = x.terms.find((term) => exprKey(term.atom) === wanted);
    if (quotient?.coefficient !== coefficient * right.value) continue;
    const others = x.terms.filter((term) => term !== quotient && term.atom !== atom);
    return joinDivisions(addAffine({ ...x, terms: others }, toAffine(left), coefficient));
  }
  return x;
}

/** Divides the remaining terms once the divisible ones are taken out. The constant is in 0..by. */
function divideRest(rest: Affine, by: number, ranges: Ranges): Affine {
  const step = stepOf(rest, by, ranges);
  if (step) return divideAffine(step.large, by / step.size, ranges);
  const inner = rest.terms[0]?.atom;
  const nested = rest.terms.length === 1 && rest.terms[0]?.coefficient === 1 && inner?.kind === "binary";
  if (nested && inner.op === "floorDiv" && inner.right.kind === "const") {
    const unit = inner.right.value;
    return divideAffine(addConstant(toAffine(inner.left), rest.constant * unit), by * unit, ranges);
  }
  return atomAffine(division("floorDiv", rest, by));
}

/** x = by · multiple + rest; the constant stays in the rest. */
function splitBy(x: Affine, by: number): { readonly multiple: Affine; readonly rest: Affine } {
  const divisible = x.terms.filter(({ coefficient }) => coefficient % by === 0);
  if (divisible.length === 0) return { multiple: constantAffine(0), rest: x };
  const multiple = divisible.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / by }));
  const rest = x.terms.filter(({ coefficient }) => coefficient % by !== 0);
  return { multiple: { terms: multiple, constant: 0 }, rest: { terms: rest, constant: x.constant } };
}

interface Step {
  readonly size: number;
  readonly large: Affine;
  readonly small: Affine;
}

/** x = size · large + small with 0 ≤ small < size, for the largest such divisor of `by`; null if there is none. */
function stepOf(x: Affine, by: number, ranges: Ranges): Step | null {
  const sizes = [...new Set(x.terms.map(({ coefficient }) => gcd(Math.abs(coefficient), by)))];
  for (const size of sizes.sort((a, b) => b - a)) {
    if (size === 1) continue;
    const { multiple, rest } = splitBy(x, size);
    const whole = Math.floor(x.constant / size);
    const small = addConstant(rest, -whole * size);
    const { min, max } = boundsOfAffine(small, ranges);
    if (min >= 0 && max < size) return { size, large: addConstant(multiple, whole), small };
  }
  return null;
}

/** (k·(y mod a)) mod c  →  (k·y) mod c, where c divides k·a */
function throughMods(x: Affine, by: number): Affine {
  const through = x.terms.filter(({ atom, coefficient }) => {
    if (atom.kind !== "binary" || atom.op !== "mod" || atom.right.kind !== "const") return false;
    return (coefficient * atom.right.value) % by === 0;
  });
  if (through.length === 0) return x;
  const rest: Affine = { terms: x.terms.filter((term) => !through.includes(term)), constant: x.constant };
  return through.reduce(
    (sum, { atom, coefficient }) => addAffine(sum, toAffine((atom as Binary).left), coefficient),
    rest,
  );
}

const division = (op: "floorDiv" | "mod", x: Affine, by: number): Binary => ({
  kind: "binary",
  dtype: "i32",
  op,
  left: fromAffine(x),
  right: { kind: "const", dtype: "i32", value: by },
});
