// Vectors of floorDiv and mod → code. By a power of two: a shift or a mask. By another positive constant: a product with a
// reciprocal of twice the width, shifted down, where negative lanes go through their complement. By anything else: lane by
// lane.
//
//   ⌊n / c⌋ = n · m >> (b + l)    for 0 ≤ n < 2^b, l = ⌈log2 c⌉, m = ⌊2^(b + l) / c⌋ + 1 < 2^(b + 1)

import type { Binary, IrType } from "../../ir/loop-ir.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, plain, set, shuffle, zeroVector } from "./instruction.ts";
import { laneByLane, splatConst } from "./lane-by-lane.ts";
import type { LaneRange } from "./lane-range.ts";
import { vector } from "./operand.ts";
import { named } from "./scalar-arithmetic.ts";
import { vectorShape } from "./value-type.ts";

type DivisionOp = "floorDiv" | "mod";

export function vectorDivision(context: Context, op: DivisionOp, expr: Binary, range: LaneRange): Code {
  const { dtype, left, right } = expr;
  const divisor = right.kind === "broadcast" && right.value.kind === "const" ? right.value.value : 0;
  if (divisor <= 0) return laneByLane(context, expr, range);
  const value = vector(context, left, range);
  const exponent = Math.log2(divisor);
  if (!Number.isInteger(exponent)) return byReciprocal(context, { op, dtype, divisor }, value, range);
  if (op === "mod") return [...value, splatConst(dtype, divisor - 1), plain("v128.and")];
  return [...value, i32(exponent), named(`${vectorShape[dtype]}.shr_${dtype === "u8" ? "u" : "s"}`)];
}

interface Division {
  readonly op: DivisionOp;
  readonly dtype: IrType;
  readonly divisor: number;
}

function byReciprocal(context: Context, division: Division, value: Code, range: LaneRange): Code {
  if (division.dtype === "i32") return divided(context, division, "i32", value);
  if (division.dtype === "i16") return divided(context, division, "i16", value);
  const sign = division.dtype === "u8" ? "u" : "s";
  return context.locals.with("v128", (bytes) => {
    const half = (which: "low" | "high"): Code =>
      divided(context, division, "i16", [get(bytes), named(`i16x8.extend_${which}_i8x16_${sign}`)]);
    const high = range.count > 8 ? half("high") : [zeroVector];
    return [...value, set(bytes), ...half("low"), ...high, named(`i8x16.narrow_i16x8_${sign}`)];
  });
}

/** Lanes of a type that has products of twice its width. */
function divided(context: Context, division: Division, dtype: "i16" | "i32", value: Code): Code {
  const { op, divisor } = division;
  const shape = vectorShape[dtype];
  const isNatural = division.dtype === "u8";
  const { locals } = context;
  return locals.with("v128", (x) =>
    locals.with("v128", (sign) =>
      locals.with("v128", (n) => {
        const flip: Code = isNatural ? [] : [get(sign), plain("v128.xor")];
        const signs: Code = isNatural ? [] : [get(x), i32(bitsOf[dtype]), named(`${shape}.shr_s`), set(sign)];
        const start: Code = [...value, set(x), ...signs, get(x), ...flip, set(n)];
        const quotient: Code = [...quotientOf(dtype, n, divisor), ...flip];
        if (op === "floorDiv") return [...start, ...quotient];
        const multiple: Code = [...quotient, splatConst(dtype, divisor), named(`${shape}.mul`)];
        return [...start, get(x), ...multiple, named(`${shape}.sub`)];
      }),
    ),
  );
}

/** Number of bits of a value that is never negative. */
const bitsOf = { i16: 15, i32: 31 } as const;

function quotientOf(dtype: "i16" | "i32", n: number, divisor: number): Code {
  const shift = bitsOf[dtype] + Math.ceil(Math.log2(divisor));
  const multiplier = splatConst(dtype, Number((1n << BigInt(shift)) / BigInt(divisor)) + 1);
  const [wide, narrow] = dtype === "i16" ? ["i32x4", "i16x8"] : ["i64x2", "i32x4"];
  const half = (which: "low" | "high"): Code => [
    ...[get(n), multiplier, named(`${wide}.extmul_${which}_${narrow}_u`)],
    ...[i32(shift), named(`${wide}.shr_u`)],
  ];
  return [...half("low"), ...half("high"), dtype === "i16" ? plain("i16x8.narrow_i32x4_u") : shuffle(lowWords)];
}

/** The low half of each i64 lane of two vectors. */
const lowWords = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
