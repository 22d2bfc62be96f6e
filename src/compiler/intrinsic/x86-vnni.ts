// AVX512-VNNI and AVX-VNNI: vpdpbusd, products of four u8 and four i8 summed in i32 without saturation. Exact.
//
// i8·i8 is made of it: a ^ 0x80, read as u8, is a + 128, and what that adds, 128·Σb, is subtracted again. The
// subtrahend depends on B only, so it is computed once for all rows of a register tile.

import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

interface Width {
  readonly bits: 256 | 512;
  readonly feature: string;
  readonly lanes: number;
  /** vpdpbusd(c, a, b), the bytes as i32. */
  readonly call: { readonly [K in "gcc" | "clang"]: (c: string, a: string, b: string) => string };
}

const widths: readonly Width[] = [
  {
    bits: 512,
    feature: "avx512vnni",
    lanes: 16,
    call: {
      gcc: (c, a, b) => `__builtin_ia32_vpdpbusd_v16si(${c}, ${a}, ${b})`,
      clang: (c, a, b) => `__builtin_ia32_vpdpbusd512(${c}, ${a}, ${b})`,
    },
  },
  {
    bits: 256,
    feature: "avxvnni",
    lanes: 8,
    call: {
      gcc: (c, a, b) => `__builtin_ia32_vpdpbusd_v8si(${c}, ${a}, ${b})`,
      clang: (c, a, b) => `__builtin_ia32_vpdpbusd256(${c}, ${a}, ${b})`,
    },
  },
];

export const x86Vnni: readonly Intrinsic[] = widths.flatMap((width) => [
  unsignedBySigned(width),
  signedBySigned(width),
]);

function unsignedBySigned({ bits, feature, lanes, call }: Width): Intrinsic {
  const name = `vpdpbusd.${bits}`;
  const text = (it: Width["call"]["gcc"]): string => it("C", asInts("A", lanes), asInts("B", lanes));
  return {
    name,
    features: [feature],
    meaning: dotProduct(name, { lanes, group: 4, a: "u8", b: "i8", sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: { c: { kind: "vectors", gcc: text(call.gcc), clang: text(call.clang) } },
  };
}

function signedBySigned({ bits, feature, lanes, call }: Width): Intrinsic {
  const name = `vpdpbusd.${bits}.signed`;
  const ints = `uk_i32x${lanes}`;
  // (int)0x80808080 in every lane.
  const offset = `((${ints}){} + -2139062144)`;
  const text = (it: Width["call"]["gcc"]): string => {
    const shifted = it("C", `(${asInts("A", lanes)} ^ ${offset})`, asInts("B", lanes));
    return `${shifted} - ${it(`(${ints}){}`, offset, asInts("B", lanes))}`;
  };
  return {
    name,
    features: [feature],
    meaning: dotProduct(name, { lanes, group: 4, a: "i8", b: "i8", sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: { c: { kind: "vectors", gcc: text(call.gcc), clang: text(call.clang) } },
  };
}

function asInts(vector: string, lanes: number): string {
  return `(uk_i32x${lanes})${vector}`;
}
