// Products that tensor cores take, of whole tiles and of whole panels, and those whose operands are gathered or padded to such. They are small
// enough for the interpreter.

import { opLibrary } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { byteProducts } from "../../support/byte-products.ts";
import { between } from "../../support/drawn/drawing.ts";
import { operandTypes } from "../../support/library/library-operator.ts";
import { epilogues, type FurtherOperator } from "./further-operators.ts";

const ofTiles = (rng: Rng) => ({ M: 64 * between(rng, 1, 2), N: 64 * between(rng, 1, 2), K: 16 * between(rng, 1, 4) });

export const tensorCoreOperators: readonly FurtherOperator[] = [
  {
    title: "gemm of whole tiles",
    types: ["f16", "bf16"],
    draw(rng, type) {
      const { dtype } = operandTypes(type);
      return opLibrary.gemm({ ...ofTiles(rng), dtype }, rng.pick(epilogues));
    },
  },
  {
    title: "batches of whole tiles",
    types: ["bf16", "f16"],
    draw: (rng, type) =>
      opLibrary.batchMatmul({ ...ofTiles(rng), batch: between(rng, 1, 3), dtype: operandTypes(type).dtype }),
  },
  {
    title: "products of bytes of whole tiles",
    types: ["i8", "u8", "u8·i8"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const { transposed, finished, inBatches } = byteProducts;
      const { M, N } = ofTiles(rng);
      const K = rng.pick([32, 64, 96, 128, 256]);
      if (rng.below(2) === 0) return opLibrary.gemm({ M, N, K, dtype, dtypeB: second }, rng.pick(epilogues));
      return rng.pick([transposed, finished, inBatches])([dtype, second], [M, N, K]);
    },
  },
  {
    // Products for `wgmma`, which reads its operands in panels.
    title: "products of whole panels",
    types: ["bf16", "i8", "f16", "u8·i8", "u8"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const { transposed, finished, inBatches } = byteProducts;
      const [M, N] = [64 * between(rng, 1, 3), 64 * rng.pick([1, 2, 3, 4])];
      if (type.endsWith("8")) {
        return rng.pick([transposed, finished, inBatches])([dtype, second], [M, N, 128 * between(rng, 2, 3)]);
      }
      const sizes = { M, N, K: 64 * between(rng, 2, 5), dtype };
      if (rng.below(3) === 0) return opLibrary.batchMatmul({ ...sizes, batch: between(rng, 2, 3) });
      return opLibrary.gemm(sizes, rng.pick(epilogues));
    },
  },
  {
    // Rows enough for groups that compute several parts of the result, and for neighbours that are a cluster.
    title: "products of persistent groups",
    types: ["bf16", "i8", "f16"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const { transposed, finished, inBatches } = byteProducts;
      const [M, N] = [64 * rng.pick([2, 4, 6]), 64 * between(rng, 1, 2)];
      if (type.endsWith("8")) {
        return rng.pick([transposed, finished, inBatches])([dtype, second], [M, N, 128 * between(rng, 2, 3)]);
      }
      const sizes = { M, N, K: 64 * between(rng, 2, 3), dtype };
      if (rng.below(3) === 0) return opLibrary.batchMatmul({ ...sizes, batch: 2 });
      return opLibrary.gemm(sizes, rng.pick(epilogues));
    },
  },
  {
    title: "deep products of whole tiles",
    types: ["f16", "bf16", "i8"],
    draw(rng, type) {
      const { dtype } = operandTypes(type);
      const sizes = { M: 16 * between(rng, 1, 4), N: 32 * between(rng, 1, 2), K: 128 * between(rng, 1, 2), dtype };
      if (rng.below(3) === 0) return opLibrary.batchMatmul({ ...sizes, batch: between(rng, 1, 2) });
      return opLibrary.gemm(sizes, rng.pick(epilogues));
    },
  },
  {
    title: "products that are gathered",
    types: ["f16", "bf16", "i8", "u8·i8"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const [M, N, K] = [between(rng, 9, 40), between(rng, 9, 40), between(rng, 17, 70)];
      if (rng.below(2) === 0) return opLibrary.gemm({ M, N, K, dtype, dtypeB: second }, rng.pick(epilogues));
      return rng.pick([byteProducts.transposed, byteProducts.inBatches])([dtype, second], [M, N, K]);
    },
  },
  {
    title: "convolutions that are gathered",
    types: ["f16", "bf16", "i8"],
    draw(rng, type) {
      const { dtype } = operandTypes(type);
      const channels = { C: between(rng, 4, 18), F: between(rng, 9, 20), dtype };
      const image = { H: between(rng, 4, 7), W: between(rng, 4, 7), ...channels };
      return rng.pick([
        () => opLibrary.conv1d({ W: between(rng, 12, 40), ...channels }),
        () => opLibrary.conv2d({ ...image, stride: between(rng, 1, 2), padding: rng.below(2) }, rng.pick(epilogues)),
        () => opLibrary.conv3d({ D: 3, ...image, H: 5, W: 5 }),
        () => opLibrary.groupConv2d({ ...image, C: 16, F: 2 * channels.F, groups: 2 }),
        () => opLibrary.transposedConv2d({ ...image, H: 4, W: 4 }),
      ])();
    },
  },
  {
    title: "two products of whole tiles",
    types: ["f16"],
    draw: (rng) => opLibrary.gemmExpGemm({ M: 64, N: 64, K: 16 * between(rng, 1, 3), L: 64, dtype: "f16" }),
  },
];
