// Integer lanes of one width → another. Wider: the low lanes are extended. Narrower: lanes come from several vectors.

import { invariant } from "../../support/invariant.ts";
import { type Code, plain, shuffle, v128, zeroVector } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";
import type { OpName } from "./opcodes.ts";

/** Pushes lanes of some width, in the low end of a vector. */
export type LaneSource = (range: LaneRange) => Code;

/** Rule for values that do not fit into narrower lanes: drop the high bits, or take the nearest signed or unsigned value. */
export type Narrowing = "wrap" | "signed" | "unsigned";

type BySign = { readonly s: OpName; readonly u: OpName };

const extensions: Readonly<Record<number, BySign>> = {
  1: { s: "i16x8.extend_low_i8x16_s", u: "i16x8.extend_low_i8x16_u" },
  2: { s: "i32x4.extend_low_i16x8_s", u: "i32x4.extend_low_i16x8_u" },
  4: { s: "i64x2.extend_low_i32x4_s", u: "i64x2.extend_low_i32x4_u" },
};

/** A load of eight bytes and an extension in one. */
const extendingLoads: Readonly<Record<number, BySign>> = {
  1: { s: "v128.load8x8_s", u: "v128.load8x8_u" },
  2: { s: "v128.load16x4_s", u: "v128.load16x4_u" },
  4: { s: "v128.load32x2_s", u: "v128.load32x2_u" },
};

export function widenLanes(from: number, to: number, sign: "s" | "u", source: LaneSource, range: LaneRange): Code {
  if (from === to) return source(range);
  return extend(to / 2, sign, widenLanes(from, to / 2, sign, source, range));
}

function extend(from: number, sign: "s" | "u", code: Code): Code {
  const [extension, extendingLoad] = [extensions[from], extendingLoads[from]];
  invariant(extension && extendingLoad, `no lanes of ${from * 2} bytes`);
  const last = code.at(-1);
  if (last?.kind !== "memory" || last.op !== "v128.load64_zero") return [...code, plain(extension[sign])];
  return [...code.slice(0, -1), { ...last, op: extendingLoad[sign] }];
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
