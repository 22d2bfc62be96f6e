// Matrix products: shapes of the libraries' own benches, of networks, and those that fit no tile.

import { opLibrary } from "../../../../src/compiler/index.ts";
import type { SuiteName, Work } from "../work.ts";

const { batchMatmul, gemm, gemmExpGemm, gemv } = opLibrary;

type Shape = readonly [M: number, N: number, K: number];

const nameOf = (shape: readonly number[]): string =>
  shape.every((extent) => extent === shape[0]) ? `${shape[0]}³` : shape.join("×");

const cube = (extent: number): Shape => [extent, extent, extent];

const shapes: Readonly<Record<"gemm" | "small" | "odd" | "packed", readonly Shape[]>> = {
  // The last three are BERT's at 128 tokens.
  gemm: [
    ...[64, 128, 256, 512, 1024].map(cube),
    [512, 768, 768],
    [1000, 1536, 770],
    [128, 768, 768],
    [128, 3072, 768],
    [128, 768, 3072],
  ],
  small: [...[16, 23, 32, 64].map(cube), [24, 64, 96], [48, 64, 128], [192, 128, 128], [480, 512, 16], [384, 256, 256]],
  odd: [
    [37, 53, 71],
    [127, 129, 131],
    [255, 255, 255],
    [361, 192, 1344],
    [16, 768, 768],
    [8, 1024, 1024],
    [4, 4096, 1024],
    [1, 4096, 4096],
  ],
  packed: [...[256, 512, 1024, 2048].map(cube), [512, 768, 768], [128, 768, 3072], [16, 768, 768], [1000, 1536, 770]],
};

const products = (suite: keyof typeof shapes): readonly Work[] =>
  shapes[suite].map((shape) => {
    const [M, N, K] = shape;
    const isPacked = suite === "packed";
    return {
      suite,
      name: nameOf(shape),
      op: gemm({ M, N, K }),
      ...(isPacked ? { constants: ["B"] } : {}),
      call: { name: isPacked ? "gemm-f32-packed" : "gemm-f32", extents: shape },
    };
  });

/** All of a batch fits L2. */
const batch: readonly Work[] = [
  [8, 256],
  [16, 64],
  [23, 64],
  [32, 64],
].map(([extent = 1, count = 1]) => {
  const shape = cube(extent);
  const [M, N, K] = shape;
  const op = batchMatmul({ batch: count, M, N, K });
  return {
    suite: "batch",
    name: `${count} of ${nameOf(shape)}`,
    op,
    call: { name: "batch-f32", extents: [...shape, count] },
  };
});

const epilogues = {
  "bias relu": { bias: true, activation: "relu" },
  "bias gelu": { bias: true, activation: "gelu" },
  residual: { residual: true },
} as const;

const fusedShapes: readonly Shape[] = [cube(256), [128, 3072, 768], [512, 768, 768]];

const fused: readonly Work[] = fusedShapes.flatMap((shape) =>
  Object.entries(epilogues).map(([title, epilogue]): Work => {
    const [M, N, K] = shape;
    const call = { name: `gemm-${title.replace(" ", "-")}`, extents: shape };
    const name = `${nameOf(shape)} ${title}`;
    return { suite: "fused", name, op: gemm({ M, N, K }, epilogue), constants: ["B"], call };
  }),
);

const chain: readonly Work[] = [{ M: 1024, N: 1024, K: 2048, L: 3072 }].map(({ M, N, K, L }) => ({
  suite: "chain",
  name: `${M}×${K}×${N}×${L}`,
  op: gemmExpGemm({ M, N, K, L }),
  call: { name: "gemm-exp-gemm", extents: [M, N, K, L] },
}));

const vectors: readonly Work[] = [
  [768, 768],
  [1024, 1024],
  [3072, 768],
  [4096, 4096],
].map(([M = 1, K = 1]) => ({
  suite: "gemv",
  name: `${M}×${K}`,
  op: gemv({ M, K }),
  call: { name: "gemv-f32", extents: [M, K] },
}));

const bytes: readonly Shape[] = [...shapes.gemm.filter(([M]) => M <= 512), [37, 53, 71], [16, 768, 768]];

const int8: readonly Work[] = bytes.map((shape) => {
  const [M, N, K] = shape;
  const op = gemm({ M, N, K, dtype: "u8", dtypeB: "i8" });
  return { suite: "int8", name: nameOf(shape), op, call: { name: "gemm-u8s8", extents: shape } };
});

const int8Packed: readonly Work[] = shapes.packed.map((shape) => {
  const [M, N, K] = shape;
  const call = { name: "gemm-s8-packed", extents: shape };
  return { suite: "int8-packed", name: nameOf(shape), op: gemm({ M, N, K, dtype: "i8" }), constants: ["B"], call };
});

const bf16: readonly Work[] = shapes.packed.map((shape) => {
  const [M, N, K] = shape;
  const call = { name: "gemm-bf16-packed", extents: shape };
  return { suite: "bf16", name: nameOf(shape), op: gemm({ M, N, K, dtype: "bf16" }), constants: ["B"], call };
});

export const gemmWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = {
  gemm: products("gemm"),
  small: products("small"),
  batch,
  odd: products("odd"),
  packed: products("packed"),
  fused,
  chain,
  gemv: vectors,
  int8,
  "int8-packed": int8Packed,
  bf16,
};
