// Functions that a module carries when its code calls them: what WASM has no instruction for and is too long to inline.

import { splatBytes } from "./const-bits.ts";
import { type Code, call, get, i32, ifElse, plain, set, tee, v128, type WasmFunction } from "./instruction.ts";
import type { OpName } from "./opcodes.ts";

export const runTimeNames = ["floorDiv", "mod", "clamp", "widenF16", "narrowF16", "narrowBf16"] as const;
export type RunTimeName = (typeof runTimeNames)[number];

export const callRunTime = (runTime: Set<RunTimeName>, name: RunTimeName): Code => {
  runTime.add(name);
  return [call(name)];
};

const splatI32 = (value: number) => v128(splatBytes("i32", value | 0));
const ops = (...names: readonly OpName[]): Code => names.map(plain);

/** ⌊a / b⌋ for i32; 0 where b is 0; the smallest i32 divided by −1 wraps. */
const floorDiv: WasmFunction = {
  name: "floorDiv",
  params: ["i32", "i32"],
  results: ["i32"],
  locals: ["i32"],
  code: [
    ...[get(1), i32(1), plain("i32.add"), i32(2), plain("i32.lt_u")],
    ...ifElse(
      "i32",
      [get(0), get(1), plain("i32.mul")],
      [
        ...[get(0), get(0), get(1), plain("i32.div_s"), tee(2), get(1), ...ops("i32.mul", "i32.sub"), set(0)],
        // The remainder is in 0: the quotient is one too large if it has the other sign than b.
        ...[get(2), get(0), i32(0), plain("i32.ne"), get(0), get(1), plain("i32.xor"), i32(31), plain("i32.shr_u")],
        ...ops("i32.and", "i32.sub"),
      ],
    ),
  ],
};

/** a − b·⌊a / b⌋ for i32; 0 where b is 0. */
const mod: WasmFunction = {
  name: "mod",
  params: ["i32", "i32"],
  results: ["i32"],
  locals: ["i32"],
  code: [
    ...[get(1), i32(1), plain("i32.add"), i32(2), plain("i32.lt_u")],
    ...ifElse(
      "i32",
      [i32(0)],
      [
        ...[get(0), get(1), plain("i32.rem_s"), tee(2), get(1), get(2), plain("i32.xor"), i32(31), plain("i32.shr_s")],
        ...[get(1), plain("i32.and"), i32(0), get(2), plain("select"), plain("i32.add")],
      ],
    ),
  ],
};

/** (value, low, high) → value brought into low … high. */
const clamp: WasmFunction = {
  name: "clamp",
  params: ["i32", "i32", "i32"],
  results: ["i32"],
  locals: [],
  code: [
    ...[get(0), get(1), get(0), get(1), plain("i32.gt_s"), plain("select"), tee(0)],
    ...[get(2), get(0), get(2), plain("i32.lt_s"), plain("select")],
  ],
};

/**
 * Four f16, zero-extended to i32 lanes → f32x4. The fraction moves to its place and a product with 2^112 corrects the
 * exponent, subnormals included; infinities and NaN get theirs by hand. (F. Giesen, "half_to_float_fast4".)
 */
const widenF16: WasmFunction = {
  name: "widenF16",
  params: ["v128"],
  results: ["v128"],
  locals: ["v128"],
  code: [
    ...[get(0), splatI32(0x7fff), plain("v128.and"), i32(13), plain("i32x4.shl"), tee(1)],
    ...[splatI32(0x77800000), plain("f32x4.mul")],
    ...[get(1), splatI32(0x0f7fffff), plain("i32x4.gt_s"), splatI32(0x7f800000), ...ops("v128.and", "v128.or")],
    ...[get(0), splatI32(0x8000), plain("v128.and"), i32(16), ...ops("i32x4.shl", "v128.or")],
  ],
};

/**
 * f32x4 → four f16 in i32 lanes, to nearest even. (F. Giesen, "float_to_half_fast3_rtne".) Local 1: |x|; three results
 * are made and two selections pick.
 */
const narrowF16: WasmFunction = {
  name: "narrowF16",
  params: ["v128"],
  results: ["v128"],
  locals: ["v128"],
  code: [
    ...[get(0), splatI32(0x7fffffff), plain("v128.and"), set(1)],
    // Subnormal: adding 0.5 makes the adder round at the right bit.
    ...[get(1), splatI32(0x3f000000), plain("f32x4.add"), splatI32(0x3f000000), plain("i32x4.sub")],
    // Normal: the exponent's bias changes from 127 to 15, and the 13 low bits are rounded away.
    ...[get(1), i32(13), plain("i32x4.shr_u"), splatI32(1), plain("v128.and"), get(1), plain("i32x4.add")],
    ...[splatI32(((15 - 127) << 23) + 0xfff), plain("i32x4.add"), i32(13), plain("i32x4.shr_u")],
    ...[get(1), splatI32(113 << 23), ...ops("i32x4.lt_s", "v128.bitselect")],
    // Too large: infinity, or a quiet NaN.
    ...[get(1), splatI32(0x7f800000), plain("i32x4.gt_s"), splatI32(0x0200), plain("v128.and")],
    ...[splatI32(0x7c00), plain("v128.or")],
    ...[get(1), splatI32((127 + 16) << 23), ...ops("i32x4.lt_s", "v128.bitselect")],
    ...[get(0), i32(16), plain("i32x4.shr_u"), splatI32(0x8000), ...ops("v128.and", "v128.or")],
  ],
};

/** f32x4 → four bf16 in i32 lanes, to nearest even; a NaN stays one. */
const narrowBf16: WasmFunction = {
  name: "narrowBf16",
  params: ["v128"],
  results: ["v128"],
  locals: [],
  code: [
    ...[get(0), i32(16), plain("i32x4.shr_u"), splatI32(0x40), plain("v128.or")],
    ...[get(0), i32(16), plain("i32x4.shr_u"), splatI32(1), plain("v128.and"), splatI32(0x7fff), plain("i32x4.add")],
    ...[get(0), plain("i32x4.add"), i32(16), plain("i32x4.shr_u")],
    ...[get(0), get(0), ...ops("f32x4.ne", "v128.bitselect")],
  ],
};

const runTime: Readonly<Record<RunTimeName, WasmFunction>> = { floorDiv, mod, clamp, widenF16, narrowF16, narrowBf16 };

/** The functions of `names`, in a fixed order. */
export const runTimeFunctions = (names: ReadonlySet<RunTimeName>): readonly WasmFunction[] =>
  runTimeNames.filter((name) => names.has(name)).map((name) => runTime[name]);
