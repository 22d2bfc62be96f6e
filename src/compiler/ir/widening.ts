// Says whether one type holds every value of another, so that a conversion loses nothing.

import type { IrType } from "./loop-ir.ts";

const held: Readonly<Partial<Record<IrType, readonly IrType[]>>> = {
  f64: ["f32", "f16", "bf16", "i32", "i16", "i8", "u8"],
  f32: ["f16", "bf16", "i16", "i8", "u8"],
  i32: ["i16", "i8", "u8"],
  i16: ["i8", "u8"],
};

export const holds = (wide: IrType, narrow: IrType): boolean =>
  wide === narrow || (held[wide]?.includes(narrow) ?? false);
