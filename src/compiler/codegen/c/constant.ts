// Constants → C text that reads back as exactly the same value.

import type { IrType } from "../../ir/loop-ir.ts";
import type { Context } from "./context.ts";
import { narrowHalf } from "./half-function.ts";

export function constantText(context: Context, dtype: IrType, value: number): string {
  switch (dtype) {
    case "f64":
      return floatText(value, "");
    case "f32":
      return floatText(Math.fround(value), "f");
    case "f16":
    case "bf16":
      return `${narrowHalf(context.prelude, dtype, 1, context.numerics)}(${floatText(Math.fround(value), "f")})`;
    case "i64":
      return integerText(value, "LL");
    case "i32":
      return value === -2147483648 ? "(-2147483647 - 1)" : integerText(value, "");
    case "i16":
    case "i8":
    case "u8":
    case "bool":
      return integerText(value, "");
  }
}

const integerText = (value: number, suffix: string): string => {
  const text = `${BigInt(value)}${suffix}`;
  return value < 0 ? `(${text})` : text;
};

/** Text of a float: JavaScript prints the shortest decimal that reads back as the same double; that of an f32 reads back as that f32. */
function floatText(value: number, suffix: string): string {
  if (Number.isNaN(value)) return `__builtin_nan${suffix}("")`;
  if (!Number.isFinite(value)) return value > 0 ? `__builtin_inf${suffix}()` : `(-__builtin_inf${suffix}())`;
  const digits = String(Math.abs(value));
  const text = `${/[.e]/.test(digits) ? digits : `${digits}.0`}${suffix}`;
  return value < 0 || Object.is(value, -0) ? `(-${text})` : text;
}
