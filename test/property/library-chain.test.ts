// Every operator of the library, in the types that it takes: random schedules through the oracle chain.

import { expect, test } from "vitest";
import { type ComputeDef, type DType, instantiate, type Op, opLibrary } from "../../src/compiler/index.ts";
import { createRng } from "../../src/tuner/rng.ts";
import { newReport, runCases } from "../support/oracle-chain.ts";
import { caseOf } from "../support/random-schedule.ts";

const seed = Number(process.env.ORACLE_SEED ?? 1);
const each = Number(process.env.ORACLE_EACH ?? 1);

const { avgPool2d, batchMatmul, conv2d, depthwiseConv2d, gemm, gemv, layerNorm, map, maxPool2d, rmsNorm, softmax } =
  opLibrary;

const floats = ["f32", "f64", "f16", "bf16"] as const;
const numbers = [...floats, "i32", "i16", "i8", "u8"] as const;
const image = { N: 1, H: 5, W: 6, C: 19 };

/** Operator, its types, and whether it divides or calls functions. */
const library: readonly (readonly [string, readonly DType[], boolean, (dtype: DType) => Op])[] = [
  ["gemm", numbers, false, (dtype) => gemm({ M: 11, N: 21, K: 13, dtype })],
  [
    "gemm with bias and relu",
    numbers,
    false,
    (dtype) => gemm({ M: 5, N: 19, K: 9, dtype }, { bias: true, activation: "relu" }),
  ],
  ["gemm with gelu", floats, true, (dtype) => gemm({ M: 5, N: 19, K: 9, dtype }, { activation: "gelu" })],
  ["batchMatmul", numbers, false, (dtype) => batchMatmul({ batch: 3, M: 5, N: 17, K: 7, dtype })],
  ["gemv", numbers, false, (dtype) => gemv({ M: 13, K: 37, dtype })],
  [
    "conv2d",
    numbers,
    false,
    (dtype) => conv2d({ ...image, C: 5, F: 19, KH: 3, KW: 2, stride: 2, padding: 1, dilation: 2, dtype }),
  ],
  [
    "depthwiseConv2d",
    numbers,
    false,
    (dtype) => depthwiseConv2d({ ...image, KH: 3, KW: 3, stride: 1, padding: 1, dtype }),
  ],
  ["maxPool2d", floats, false, (dtype) => maxPool2d({ ...image, size: 3, stride: 2, padding: 1, dtype })],
  ["avgPool2d", floats, true, (dtype) => avgPool2d({ ...image, size: 3, stride: 2, padding: 1, dtype })],
  ["layerNorm", floats, true, (dtype) => layerNorm({ M: 5, N: 37, dtype })],
  ["rmsNorm", floats, true, (dtype) => rmsNorm({ M: 5, N: 37, dtype })],
  ["softmax", floats, true, (dtype) => softmax({ M: 5, N: 37, dtype })],
  ["map", floats, false, (dtype) => map({ N: 77, dtype }, (x, y) => x.mul(y).max(x.sub(y)))],
];

const name = (text: string): string => text.replaceAll(" ", "_");

test.each(library)("%s", { timeout: 600_000 }, async (family, dtypes, callsFunctions, make) => {
  const report = newReport();
  const rng = createRng(seed);
  const cases = dtypes.flatMap((dtype, number) => {
    const op: ComputeDef = instantiate(make(dtype), {}, name(`${family}_${dtype}`));
    return Array.from({ length: each }, () => caseOf({ number, family, op, callsFunctions }, rng));
  });
  await runCases(report, cases);
  expect([...report.rejected, ...report.failures]).toEqual([]);
});
