// GEMMs on tiles and with vdpbf16ps on an emulated Sapphire Rapids: results are the reference's, and the instructions
// are among what runs. Needs a newer Bochs than Debian's, which BOCHS names. `npm run test:avx512-emulated`.

import { expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../src/compiler/index.ts";
import { toolchain } from "../native/compiled.ts";
import { emulatorSkipReason } from "./emulator.ts";
import { printEmulatedReport, runEmulated } from "./run-emulated.ts";
import { sampledKernel, type TensorizedCase, tensorizedKernel } from "./tensorized-kernel.ts";

const model = "sapphire_rapids";
const skipReason = toolchain ? await emulatorSkipReason(model) : "no C compiler";
if (skipReason) console.log(`skipped: emulated AMX and BF16: ${skipReason}`);

const cases: readonly TensorizedCase[] = [
  { intrinsic: "tdpbssd", a: "i8", b: "i8", group: 4, tiles: "i32" },
  { intrinsic: "tdpbsud", a: "i8", b: "u8", group: 4, tiles: "i32" },
  { intrinsic: "tdpbusd", a: "u8", b: "i8", group: 4, tiles: "i32" },
  { intrinsic: "tdpbuud", a: "u8", b: "u8", group: 4, tiles: "i32" },
  { intrinsic: "tdpbf16ps", a: "bf16", b: "bf16", group: 2, tiles: "f32" },
  { intrinsic: "vdpbf16ps.512", a: "bf16", b: "bf16", group: 2 },
];
const each = 10;

test.skipIf(skipReason)(`${each} GEMMs of each intrinsic`, { timeout: 3_600_000 }, async () => {
  const kernels = cases.flatMap((it, at) =>
    Array.from({ length: each }, (_, number) => tensorizedKernel(it, targets.amx, at * each + number)),
  );
  const report = await runEmulated(kernels, model);
  console.log(printEmulatedReport(report));
  expect(report.failures).toEqual([]);
  const names = [
    ...cases.map(({ intrinsic }) => intrinsic.replace(/\..*/, "")),
    "ldtilecfg",
    "tileloadd",
    "tilestored",
  ];
  for (const name of [...names, "tilezero", "tilerelease"]) {
    expect(report.named.get(name)?.ran, name).toBeGreaterThan(0);
  }
});

const { batchMatmul, gemm } = opLibrary;
const epilogue = { bias: true, activation: "relu" } as const;
const ops = [
  instantiate(gemm({ M: 61, N: 83, K: 97, dtype: "i8" }, epilogue), {}, "gemm_i8"),
  instantiate(gemm({ M: 40, N: 100, K: 130, dtype: "u8", dtypeB: "i8" }), {}, "gemm_u8_i8"),
  instantiate(gemm({ M: 37, N: 31, K: 64, dtype: "bf16" }), {}, "gemm_bf16"),
  instantiate(batchMatmul({ batch: 3, M: 19, N: 33, K: 128, dtype: "i8" }), {}, "batch_i8"),
];

test.skipIf(skipReason)("samples of the space's templates on tiles", { timeout: 3_600_000 }, async () => {
  const kernels = ops.flatMap((op) =>
    Array.from({ length: 5 }, (_, seed) => sampledKernel(op, "on tiles", targets.amx, seed)),
  );
  const report = await runEmulated(kernels, model);
  console.log(printEmulatedReport(report));
  expect(report.failures).toEqual([]);
});
