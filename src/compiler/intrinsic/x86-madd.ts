// AVX2 and AVX-512BW: vpmaddwd, products of pairs of i16 summed in i32. Exact: −2¹⁵·−2¹⁵·2 wraps as i32 sums do.
//
// vpmaddubsw (u8·i8 → i16) is not here: its sums of two products saturate at ±2¹⁵, 255·127·2 is beyond that, and no type
// of this compiler says that its elements are small. Bytes are widened to i16 when they are packed.

import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

export const x86Madd: readonly Intrinsic[] = [
  {
    name: "vpmaddwd.512",
    features: ["avx512bw"],
    meaning: dotProduct("vpmaddwd.512", { lanes: 16, group: 2, a: "i16", b: "i16", sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: {
      c: {
        kind: "vectors",
        gcc: "C + __builtin_ia32_pmaddwd512_mask(A, B, C, (unsigned short)-1)",
        clang: "C + __builtin_ia32_pmaddwd512(A, B)",
      },
    },
  },
  {
    name: "vpmaddwd.256",
    features: ["avx2"],
    meaning: dotProduct("vpmaddwd.256", { lanes: 8, group: 2, a: "i16", b: "i16", sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: {
      c: {
        kind: "vectors",
        gcc: "C + __builtin_ia32_pmaddwd256(A, B)",
        clang: "C + __builtin_ia32_pmaddwd256(A, B)",
      },
    },
  },
];
