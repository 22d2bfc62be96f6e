// AVX512-BF16: vdpbf16ps, products of pairs of bf16 summed in f32. It flushes denormals, rounds to odd inside and adds
// the pair first, so it is for numerics "fast".

import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

/** gcc 13 and clang 16 gave the builtin's operands a type of their own. */
const preamble = `#if (defined(__clang__) && __clang_major__ >= 16) || (!defined(__clang__) && __GNUC__ >= 13)
typedef __bf16 uk_bf16x32 __attribute__((vector_size(64)));
#elif defined(__clang__)
typedef int uk_bf16x32 __attribute__((vector_size(64)));
#else
typedef short uk_bf16x32 __attribute__((vector_size(64)));
#endif`;

export const x86Bf16: readonly Intrinsic[] = [
  {
    name: "vdpbf16ps.512",
    features: ["avx512bf16"],
    meaning: dotProduct("vdpbf16ps.512", { lanes: 16, group: 2, a: "bf16", b: "bf16", sum: "f32" }),
    exact: false,
    operands: "vectors",
    text: {
      c: {
        kind: "vectors",
        preamble,
        gcc: "__builtin_ia32_dpbf16ps_v16sf(C, (uk_bf16x32)A, (uk_bf16x32)B)",
        clang: "__builtin_ia32_dpbf16ps_512(C, (uk_bf16x32)A, (uk_bf16x32)B)",
      },
    },
  },
];
