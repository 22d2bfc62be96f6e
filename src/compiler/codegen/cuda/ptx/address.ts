// Sums of indices, and addresses of elements → registers and constants. What is summed first is what is known first: loops then add only what they
// change, and constants are part of the instruction that loads.

import { type Affine, type AffineTerm, toAffine } from "../../../ir/affine.ts";
import { boundsOfAffine } from "../../../ir/bounds.ts";
import type { Expr } from "../../../ir/loop-ir.ts";
import { isPowerOfTwo } from "../../../support/integer-math.ts";
import type { BufferPlace, PtxContext } from "./context.ts";
import { constant, type Emitter, type Value } from "./emitter.ts";
import { int } from "./registers.ts";

/** A value and how often it is added. */
interface Addend {
  readonly value: Value;
  readonly times: number;
}

/** Gives the value of an atom of a sum. */
type Evaluate = (atom: Expr) => Value;

/** Value of a sum, in 32 bits. */
export function sumOf(affine: Affine, evaluate: Evaluate, { compute }: Emitter): Value {
  const sum = added(null, addendsOf(affine.terms, evaluate), { compute });
  if (!sum) return int(affine.constant);
  return affine.constant === 0 ? sum : compute("add.s32", "b32", [sum, int(affine.constant)], true);
}

/** Values of terms, those known in outer blocks first. */
const addendsOf = (terms: readonly AffineTerm[], evaluate: Evaluate): readonly Addend[] =>
  terms
    .map(({ atom, coefficient }) => ({ value: evaluate(atom), times: coefficient }))
    .sort((a, b) => a.value.depth - b.value.depth);

function added(start: Value | null, addends: readonly Addend[], { compute }: Pick<Emitter, "compute">): Value | null {
  return addends.reduce<Value | null>((sum, { value, times }) => {
    if (!sum) return multiple(value, times, { compute });
    if (times === 1) return compute("add.s32", "b32", [sum, value], true);
    return compute("mad.lo.s32", "b32", [value, int(times), sum], true);
  }, start);
}

function multiple(value: Value, times: number, { compute }: Pick<Emitter, "compute">): Value {
  if (times === 1) return value;
  if (times === -1) return compute("neg.s32", "b32", [value], true);
  if (isPowerOfTwo(times)) return compute("shl.b32", "b32", [value, int(Math.log2(times))], true);
  return compute("mul.lo.s32", "b32", [value, int(times)], true);
}

/** An address: a register, and bytes that the instruction adds. */
export interface Address {
  readonly base: Value;
  readonly offset: number;
}

/** Most bytes that an instruction adds. */
const mostOffset = 2 ** 31 - 1;

export const addressText = ({ base, offset }: Address): string =>
  offset === 0 ? `[${base.text}]` : `[${base.text}+${offset}]`;

/**
 * Address of an element.
 *
 * @param bytes of an element
 * @param swizzle bytes of an element whose pieces of 16 bytes are swapped in the rows of 128 bytes; undefined: none are
 */
export function addressOf(
  place: BufferPlace,
  index: Expr,
  {
    bytes,
    swizzle,
    evaluate,
  }: { readonly bytes: number; readonly swizzle: number | undefined; readonly evaluate: Evaluate },
  context: PtxContext,
): Address {
  const { emitter } = context;
  const affine = toAffine(index);
  if (swizzle !== undefined) return swappedAddress(place, affine, swizzle, evaluate, emitter);
  const addends = addendsOf(affine.terms, evaluate);
  const offset = place.offset + affine.constant * bytes;
  if (place.space === "shared") {
    const base = addends.reduce(
      (sum, { value, times }) => plusMultiple(sum, value, times * bytes, emitter),
      place.base,
    );
    // An address that an instruction adds to is one in this memory, too.
    const isBefore = !(boundsOfAffine({ ...affine, constant: 0 }, context.ranges).min >= 0);
    return isBefore ? { base: plusMultiple(base, int(offset), 1, emitter), offset: 0 } : { base, offset };
  }
  const sum = added(null, addends, emitter);
  const base = sum ? emitter.compute("mad.wide.s32", "b64", [sum, int(bytes), place.base], true) : place.base;
  if (Math.abs(offset) <= mostOffset) return { base, offset };
  return { base: emitter.compute("add.s64", "b64", [base, constant("b64", offset)], true), offset: 0 };
}

const plusMultiple = (sum: Value, value: Value, times: number, { compute }: Emitter): Value =>
  times === 1
    ? compute("add.s32", "b32", [sum, value], true)
    : compute("mad.lo.s32", "b32", [value, int(times), sum], true);

/** Rows whose pieces are swapped alike follow each other every 1024 bytes. */
const patternBytes = 1024;

/** The number of a piece of 16 bytes in its row of 128 is changed by the number of the row, of eight. */
function swappedAddress(
  place: BufferPlace,
  { terms, constant }: Affine,
  bytes: number,
  evaluate: Evaluate,
  emitter: Emitter,
): Address {
  const { compute } = emitter;
  const whole = Math.floor((constant * bytes) / patternBytes) * patternBytes;
  const index = sumOf({ terms, constant: constant - whole / bytes }, evaluate, emitter);
  const row = compute("shr.u32", "b32", [index, int(3)], true);
  const swap = compute("and.b32", "b32", [row, int(112 / bytes)], true);
  const swapped = compute("xor.b32", "b32", [index, swap], true);
  return { base: plusMultiple(place.base, swapped, bytes, emitter), offset: place.offset + whole };
}
