// Integer lanes of one width → another. Wider: the low lanes are extended. Narrower: lanes come from several vectors.

import { invariant } from "../../support/invariant.ts";
import { type Code, plain, shuffle, v128, zeroVector } from "./instruction.ts";
import type { OpName } from "./opcodes.ts";
import type { LaneRange } from "./vector.ts";

/** Pushes lanes of some width, in the low end of a vector. */
export type LaneSource = (range: LaneRange) => Code;

/** How lanes that do not fit are narrowed: dropping high bits, or to the nearest value that is signed or unsigned. */
export type Narrowing = "wrap" | "signed" | "unsigned";

const extensions: Readonly<Record<number, { readonly s: OpName; readonly u: OpName }>> = {
  1: { s: "i16x8.extend_low_i8x16_s", u: "i16x8.extend_low_i8x16_u" },
  2: { s: "i32x4.extend_low_i16x8_s", u: "i32x4.extend_low_i16x8_u" },
  4: { s: "i64x2.extend_low_i32x4_s", u: "i64x2.extend_low_i32x4_u" },
};

export function widenLanes(from: number, to: number, sign: "s" | "u", source: LaneSource, range: LaneRange): Code {
  if (from === to) return source(range);
  const extension = extensions[to / 2];
  invariant(extension, `no lanes of ${to} bytes`);
  return [...widenLanes(from, to / 2, sign, source, range), plain(extension[sign])];
}

export function narrowLanes(from: number, to: number, how: Narrowing, source: LaneSource, range: LaneRange): Code {
  if (from === to) return source(range);
  const { first, count } = range;
  const half = 16 / (to * 2);
  const wide = (start: number, lanes: number) =>
    lanes <= 0
      ? [zeroVector]
      : narrowLanes(from, to * 2, how === "unsigned" ? "signed" : how, source, { first: start, count: lanes });
  return joinHalves(to, how, wide(first, Math.min(count, half)), wide(first + half, count - half));
}

/** Both vectors' lanes, of twice the width, one after the other. */
function joinHalves(to: number, how: Narrowing, low: Code, high: Code): Code {
  if (to === 4) return [...low, ...high, shuffle([0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])];
  const narrow = to === 2 ? ("i16x8.narrow_i32x4" as const) : ("i8x16.narrow_i16x8" as const);
  if (how !== "wrap") return [...low, ...high, plain(`${narrow}_${how === "signed" ? "s" : "u"}`)];
  const keep = [lowBits(to), plain("v128.and")];
  return [...low, ...keep, ...high, ...keep, plain(`${narrow}_u`)];
}

/** A mask of the low `bytes` bytes of each lane of twice as many. */
const lowBits = (bytes: number) =>
  v128(Array.from({ length: 16 }, (_, index) => (index % (bytes * 2) < bytes ? 0xff : 0)));
