import { expect, test } from "vitest";
import { generateC } from "../../../../src/compiler/codegen/c/generate-c.ts";
import { avx2 } from "../../../../src/compiler/target/avx2.ts";
import { packedGemm } from "./flat-functions.ts";

test("a small packed gemm reads as C", () => {
  const source = generateC(packedGemm({ m: 2, n: 8, k: 4 }, { mr: 2, nr: 8, lanes: 8 }), avx2, { numerics: "fast" });
  expect(source.text).toMatchInlineSnapshot(`
    "/*
     * gemm_f32_2x8x4__2x8
     * target avx2 (avx avx2 f16c fma), numerics fast, workspace 0 bytes
     *   A f32[8] input
     *   B f32[32] input
     *   C f32[16] output
     */
    #ifndef UK_F32X8
    #define UK_F32X8
    typedef float uk_f32x8 __attribute__((vector_size(32)));
    #endif
    #ifndef UK_SPLAT_F32X8
    #define UK_SPLAT_F32X8
    static inline __attribute__((always_inline)) uk_f32x8 uk_splat_f32x8(float a) { return (uk_f32x8){a, a, a, a, a, a, a, a}; }
    #endif
    #ifndef UK_F32X8_U
    #define UK_F32X8_U
    typedef float uk_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));
    #endif
    void gemm_f32_2x8x4__2x8(void *const *args, void *workspace);
    void gemm_f32_2x8x4__2x8(void *const *args, void *workspace) {
      const float *restrict A = args[0];
      const float *restrict B = args[1];
      float *restrict C = args[2];
      {
        const long jr = 0;
        {
          const long ir = 0;
          uk_f32x8 acc_0_0 = uk_splat_f32x8(0.0f);
          uk_f32x8 acc_1_0 = uk_splat_f32x8(0.0f);
          for (long k = 0; k < 4; k++) {
            uk_f32x8 b_0 = *(const uk_f32x8_u *)(B + ((jr * 32) + (k * 8)));
            acc_0_0 = acc_0_0 + (uk_splat_f32x8(A[(ir * 8) + (k * 2)]) * b_0);
            acc_1_0 = acc_1_0 + (uk_splat_f32x8(A[(ir * 8) + ((k * 2) + 1)]) * b_0);
          }
          *(uk_f32x8_u *)(C + ((ir * 16) + (jr * 8))) = acc_0_0;
          *(uk_f32x8_u *)(C + (((ir * 16) + 8) + (jr * 8))) = acc_1_0;
        }
      }
    }
    "
  `);
});
