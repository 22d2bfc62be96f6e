// Tensorized GEMMs of odd and prime extents through the oracle chain: the nest, every pass, JavaScript, WASM and C compute
// what the reference does. Instructions that this machine lacks are interpreted, and their C is compiled.

import { fc, test } from "@fast-check/vitest";
import { describe, expect, test as plainTest } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import { opcodes } from "../../../src/compiler/codegen/wasm/opcodes.ts";
import {
  type CpuTarget,
  compileJs,
  type DType,
  fromCompute,
  generateC,
  generateJs,
  generateWasm,
  type LoopFunc,
  type Numerics,
  printFunc,
  schedule,
  type Trace,
  targets,
  verify,
} from "../../../src/compiler/index.ts";
import { findIntrinsic, intrinsics } from "../../../src/compiler/intrinsic/intrinsics.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { compileAll, inTempDir, lackOf, noteSkipped, skipReason, toolchain } from "../../native/compiled.ts";
import { type Reference, referenceOf, wrongJs, wrongNative, wrongNest, wrongWasm } from "../../support/reference.ts";
import { matrixTile, narrowGemm, tensorizedTile } from "./tensorized-gemm.ts";

describe.each(intrinsics)("$name", ({ meaning }) => {
  plainTest("the meaning is a flat function", () => {
    expect(verify(meaning, "flat")).toEqual([]);
  });
});

plainTest("the opcodes of those for WASM are known", () => {
  const names = intrinsics.flatMap(({ text }) => text.wasm?.ops ?? []);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(opcodes).toHaveProperty([name]);
});

/** Types of A and B, and what they are widened to in the packs. */
type Types = readonly [DType, DType, DType | null];
const pairs: readonly Types[] = [
  ["i16", "i16", null],
  ["i8", "i8", "i16"],
  ["u8", "i8", "i16"],
  ["u8", "u8", null],
];

const with512: CpuTarget = {
  ...targets.avx512,
  features: [...targets.avx512.features, "avx512bf16", "avx512vnni"].sort(),
};
const withVnni: CpuTarget = { ...targets.avx2, features: [...targets.avx2.features, "avxvnni"].sort() };

const cases: readonly (readonly [string, CpuTarget, readonly Types[]])[] = [
  ["i32x4.dot_i16x8_s", targets.wasm, pairs],
  ["vpmaddwd.256", targets.avx2, pairs],
  ["vpmaddwd.512", with512, pairs],
  ["vpdpbusd.256", withVnni, [["u8", "i8", null]]],
  [
    "vpdpbusd.512",
    with512,
    [
      ["u8", "i8", null],
      ["i8", "u8", null],
    ],
  ],
  ["vpdpbusd.256.signed", withVnni, [["i8", "i8", null]]],
  ["vpdpbusd.512.signed", with512, [["i8", "i8", null]]],
  ["vdpbf16ps.512", with512, [["bf16", "bf16", null]]],
];

const numRuns = Number(process.env.TENSORIZE_RUNS ?? 1);
const extent = fc.integer({ min: 1, max: 37 });
const tile = fc.record({ rows: fc.integer({ min: 1, max: 4 }), vectors: fc.integer({ min: 1, max: 2 }) });

describe.each(cases)("%s", (name, target, types) => {
  const { shape } = findIntrinsic(name)!.meaning.buffers[0]!;
  const lanes = shape[0]!;
  const group = findIntrinsic(name)!.meaning.buffers[1]!.shape[0]! / lanes;
  const arbitrary = fc.tuple(fc.constantFrom(...types), extent, extent, extent, tile, fc.integer());

  test.prop([fc.array(arbitrary, { minLength: 5, maxLength: 5 })], { numRuns, seed: 1 })(
    "any extents",
    async (drawn) => {
      const all = drawn.map(([[a, b, widen], M, N, K, size, seed]) => {
        const op = narrowGemm(M, N, K, a, b);
        return { reference: referenceOf(op, createRng(seed)), tile: { intrinsic: name, lanes, group, widen, ...size } };
      });
      const flats = all.map(({ reference, tile }) => checked(reference, tensorizedTile(tile), target));
      await checkCode(
        all.map(({ reference }) => reference),
        flats,
        target,
      );
    },
  );
  if (target.backend === "c") noteSkipped("any extents, as C");

  plainTest("whole tiles are the instruction", () => {
    const [a, b, widen] = types[0]!;
    const nest = schedule(
      fromCompute(narrowGemm(4, lanes * 2, group * 3, a, b)),
      tensorizedTile({ intrinsic: name, lanes, group, rows: 2, vectors: 2, widen }),
    );
    expect(printFunc(lower(nest, { target, numerics: "fast" }))).toContain(`= ${name}(C.acc_0, load_0, load_1)`);
  });

  plainTest("a target without it runs vectors", () => {
    const [a, b, widen] = types[0]!;
    const nest = schedule(
      fromCompute(narrowGemm(4, lanes * 2, group * 3, a, b)),
      tensorizedTile({ intrinsic: name, lanes, group, rows: 2, vectors: 2, widen }),
    );
    const flat = lower(nest, { target: { ...target, features: [] }, numerics: "fast" });
    expect(printFunc(flat)).not.toContain(`${name}(`);
  });
});

const inRows = [
  { intrinsic: "usmmla", a: "u8", b: "i8", group: 8 },
  { intrinsic: "smmla", a: "i8", b: "i8", group: 8 },
  { intrinsic: "ummla", a: "u8", b: "u8", group: 8 },
  { intrinsic: "bfmmla", a: "bf16", b: "bf16", group: 4 },
] as const;

describe.each(inRows)("$intrinsic, sums of 2×2 in one vector", ({ intrinsic, a, b, group }) => {
  const target = targets["neon-i8mm"];
  const arbitrary = fc.tuple(extent, extent, extent, tile, fc.integer());

  // Its C is run by test/arm/chain.test.ts.
  test.prop([fc.array(arbitrary, { minLength: 3, maxLength: 3 })], { numRuns, seed: 1 })("any extents", (drawn) => {
    for (const [M, N, K, { rows, vectors }, seed] of drawn) {
      const reference = referenceOf(narrowGemm(M, N, K, a, b), createRng(seed));
      const flat = checked(reference, matrixTile({ intrinsic, side: 2, group, rows, columns: vectors }, K), target);
      expect(printFunc(flat)).toContain(`= ${intrinsic}(C.acc_0, `);
    }
  });

  plainTest("a target without it runs loops", () => {
    const trace = matrixTile({ intrinsic, side: 2, group, rows: 2, columns: 2 }, 2 * group);
    const reference = referenceOf(narrowGemm(8, 8, 2 * group, a, b), createRng(1));
    const flat = checked(reference, trace, { ...target, features: [] });
    expect(printFunc(flat)).not.toContain(`${intrinsic}(`);
  });
});

plainTest("sums that it rounds otherwise are not for strict numerics", () => {
  const nest = schedule(
    fromCompute(narrowGemm(2, 16, 4, "bf16", "bf16")),
    tensorizedTile({ intrinsic: "vdpbf16ps.512", lanes: 16, group: 2, rows: 2, vectors: 1, widen: null }),
  );
  const text = (numerics: Numerics): string => printFunc(lower(nest, { target: with512, numerics }));
  expect(text("fast")).toContain("vdpbf16ps.512(");
  expect(text("strict")).not.toContain("vdpbf16ps.512(");
});

/** The flat function, after all links that need no compiler. */
function checked(reference: Reference, trace: Trace, target: CpuTarget): LoopFunc {
  const nest = schedule(reference.naive, trace);
  expect(wrongNest(reference, nest)).toBeNull();
  expect(wrongJs(reference, compileJs(generateJs(nest)))).toBeNull();
  const dump = (pass: string, func: LoopFunc): void => {
    expect(wrongNest(reference, func), pass).toBeNull();
  };
  const flat = lower(nest, { target, numerics: "fast", dump });
  const forWasm = lower(nest, { target: targets.wasm, numerics: "fast" });
  expect(wrongWasm(reference, generateWasm(forWasm, { relaxed: false }))).toBeNull();
  return flat;
}

/** C is run where this machine can, else it is compiled. */
async function checkCode(
  references: readonly Reference[],
  flats: readonly LoopFunc[],
  target: CpuTarget,
): Promise<void> {
  if (skipReason || target.backend !== "c") return;
  const sources = flats.map((flat) => generateC(flat, target, { numerics: "fast" }));
  if (lackOf(target) === null) {
    const kernels = await compileAll(sources);
    references.forEach((reference, at) => {
      expect(wrongNative(reference, kernels, at)).toBeNull();
    });
    return;
  }
  const built = await inTempDir((outDir) => buildNative(sources, { outDir, toolchain: toolchain! }));
  expect(built.kind === "build-failed" ? built.reason : null).toBeNull();
}
