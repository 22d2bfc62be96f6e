// GEMMs on the tiles of AMX through the oracle chain. C is run with the instructions in plain C in their place (soft-tiles.ts), and
// compiled as it is: where there are no tiles `npm run test:avx512-emulated` runs it on an emulated processor.

import { fc, test } from "@fast-check/vitest";
import { describe, expect, test as plainTest } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  compileJs,
  type DType,
  generateC,
  generateJs,
  generateWasm,
  type LoopFunc,
  printFunc,
  schedule,
  targets,
} from "../../../src/compiler/index.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { loadNative } from "../../../src/native/load/load-native.ts";
import { cpuFeatures } from "../../../src/native/machine/cpu-features.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { compileAll, inTempDir, lackOf, noteSkipped, skipReason, toolchains } from "../../native/compiled.ts";
import { onSoftTiles } from "../../native/soft-tiles.ts";
import { type Reference, referenceOf, wrongJs, wrongNative, wrongNest, wrongWasm } from "../../support/reference.ts";
import { narrowGemm, type TileBlock, tileBlock } from "./tensorized-gemm.ts";

const target = targets.amx;

type Product = Pick<TileBlock, "intrinsic" | "group" | "sum"> & { readonly a: DType; readonly b: DType };

const bytes = { group: 4, sum: "i32" } as const;
const products: readonly Product[] = [
  { intrinsic: "tdpbssd", a: "i8", b: "i8", ...bytes },
  { intrinsic: "tdpbsud", a: "i8", b: "u8", ...bytes },
  { intrinsic: "tdpbusd", a: "u8", b: "i8", ...bytes },
  { intrinsic: "tdpbuud", a: "u8", b: "u8", ...bytes },
  { intrinsic: "tdpbf16ps", a: "bf16", b: "bf16", group: 2, sum: "f32" },
];

interface Case {
  readonly reference: Reference;
  readonly flat: LoopFunc;
}

interface Size {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly rows: number;
  readonly columns: number;
}

/** Lowered; the links of the chain that take milliseconds have been looked at. */
function checked({ a, b, ...product }: Product, { M, N, K, rows, columns }: Size, seed: number): Case {
  const reference = referenceOf(narrowGemm(M, N, K, a, b), createRng(seed));
  const nest = schedule(reference.naive, tileBlock({ ...product, rows, columns }, K));
  expect(wrongJs(reference, compileJs(generateJs(nest)))).toBeNull();
  const forWasm = lower(nest, { target: targets.wasm, numerics: "fast" });
  expect(wrongWasm(reference, generateWasm(forWasm, { relaxed: false }))).toBeNull();
  return { reference, flat: lower(nest, { target, numerics: "fast" }) };
}

/** The interpreter before and after every pass. Slow: a tile is 16,384 products. */
function interpreted({ a, b, ...product }: Product, { M, N, K, rows, columns }: Size): void {
  const reference = referenceOf(narrowGemm(M, N, K, a, b), createRng(1));
  const nest = schedule(reference.naive, tileBlock({ ...product, rows, columns }, K));
  expect(wrongNest(reference, nest)).toBeNull();
  const dump = (pass: string, func: LoopFunc): void => expect(wrongNest(reference, func), pass).toBeNull();
  lower(nest, { target, numerics: "fast", dump });
}

async function runOnSoftTiles(cases: readonly Case[]): Promise<void> {
  if (skipReason) return;
  const kernels = await compileAll(cases.map(({ flat }) => onSoftTiles(generateC(flat, target, { numerics: "fast" }))));
  cases.forEach(({ reference }, at) => {
    expect(wrongNative(reference, kernels, at)).toBeNull();
    expect(wrongNative(reference, kernels, at), "again").toBeNull();
  });
}

/** Compiles and runs; where this machine has no tiles the addon says so, instead of dying of its first instruction. */
async function runOnTiles(cases: readonly Case[]): Promise<void> {
  const sources = cases.map(({ flat }) => generateC(flat, target, { numerics: "fast" }));
  for (const toolchain of toolchains) {
    await inTempDir(async (outDir) => {
      const built = await buildNative(sources, { outDir, toolchain });
      if (built.kind === "build-failed") throw new Error(built.reason);
      if (target.features.every((feature) => cpuFeatures().includes(feature))) {
        const loaded = loadNative(built.path, { features: target.features });
        if (loaded.kind === "unavailable") throw new Error(loaded.reason);
        for (const [at, { reference }] of cases.entries())
          expect(wrongNative(reference, loaded.kernels, at)).toBeNull();
        return;
      }
      const reason = "the system does not let this process use the tile registers (AMX)";
      expect(loadNative(built.path, { features: [] })).toEqual({ kind: "unavailable", reason });
      expect(loadNative(built.path, { features: target.features })).toMatchObject({ kind: "unavailable" });
    });
  }
}

plainTest("more sums than there are registers: some stay in memory", async () => {
  const [product] = products;
  const spilled = checked(product!, { M: 48, N: 48, K: 128, rows: 3, columns: 3 }, 1);
  expect(generateC(spilled.flat, target, { numerics: "fast" }).text).toContain("uk_tile C_acc_");
  await runOnSoftTiles([spilled]);
});
noteSkipped("more sums than there are registers, as C");

const extent = (most: number) => fc.integer({ min: 1, max: most });
const prime: Size = { M: 37, N: 41, K: 131, rows: 2, columns: 2 };
const size = fc.record({ M: extent(40), N: extent(40), K: extent(140), rows: extent(3), columns: extent(3) });
const numRuns = Number(process.env.TENSORIZE_RUNS ?? 1);

describe.each(products)("$intrinsic", (product) => {
  const drawn = fc.array(fc.tuple(size, fc.integer()), { minLength: 3, maxLength: 3 });
  test.prop([drawn], { numRuns, seed: 1 })("any extents", async (sizes) => {
    const cases = [checked(product, prime, 1), ...sizes.map(([size, seed]) => checked(product, size, seed))];
    await runOnSoftTiles(cases);
    await runOnTiles(cases);
  });
  noteSkipped("any extents, as C");
  noteSkipped("any extents, on the CPU's tiles", skipReason ?? lackOf(target));

  plainTest("every pass keeps what it computes", () => {
    interpreted(product, { M: 17, N: 7, K: 10 * product.group, rows: 2, columns: 1 });
  });

  plainTest("whole tiles, and no vectors in the inner loop", () => {
    const { flat } = checked(product, { M: 32, N: 32, K: 128, rows: 2, columns: 2 }, 1);
    const text = printFunc(flat);
    const sums = [0, 256, 512, 768].map((at) => `C.acc_${at} = ${product.intrinsic}(C.acc_${at}, load_`);
    for (const sum of sums) expect(text).toContain(sum);
    expect(text).toContain(`let C.acc_0: ${product.sum}x256 = broadcast(0${product.sum === "f32" ? ".0" : ""}, 256)`);
    expect(text).toContain("C.acc.pack[ramp(0, 1, 256)] = C.acc_0");
  });
});
