// AMX: products of tiles, 16×64 bytes by 64 bytes×16 summed in i32, exactly, or in f32; and what moves the sums. There are
// eight tile registers, which kernels use whole: what is smaller is padded when it is packed.
//
// tdpbf16ps adds the products of the even and of the odd elements of a row apart, each with one rounding, and flushes
// denormals, so it is for numerics "fast".

import type { DType } from "../expr/dtype.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { tileCopy, tileProduct, tileZero } from "./tile-product.ts";

export const x86Amx: readonly Intrinsic[] = [
  ofBytes("tdpbssd", "i8", "i8"),
  ofBytes("tdpbsud", "i8", "u8"),
  ofBytes("tdpbusd", "u8", "i8"),
  ofBytes("tdpbuud", "u8", "u8"),
  {
    name: "tdpbf16ps",
    features: ["amx-bf16", "amx-tile"],
    meaning: tileProduct("tdpbf16ps", "bf16", "bf16", "f32"),
    exact: false,
    operands: "tiles",
    text: { c: { kind: "tiles", instruction: "tdpbf16ps" } },
  },
  ...moves("i32"),
  ...moves("f32"),
];

function ofBytes(name: string, a: DType, b: DType): Intrinsic {
  return {
    name,
    features: ["amx-int8", "amx-tile"],
    meaning: tileProduct(name, a, b, "i32"),
    exact: true,
    operands: "tiles",
    text: { c: { kind: "tiles", instruction: name } },
  };
}

function moves(sum: DType): readonly Intrinsic[] {
  const text = { c: { kind: "tiles", instruction: null } } as const;
  const move = { features: ["amx-tile"], exact: true, operands: "tiles", text } as const;
  const [zero, stored] = [`tilezero.${sum}`, `tilestored.${sum}`];
  return [
    { ...move, name: zero, meaning: tileZero(zero, sum) },
    { ...move, name: stored, meaning: tileCopy(stored, sum) },
  ];
}
