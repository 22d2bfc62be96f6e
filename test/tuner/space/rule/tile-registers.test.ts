// Products of matrices that AMX has an instruction for: their space has a template on tiles beside those on vectors.

import { describe, expect, test } from "vitest";
import { withConstants } from "../../../../src/compiler/expr/op.ts";
import {
  type ComputeDef,
  compileJs,
  fromCompute,
  generateJs,
  instantiate,
  instantiateTemplate,
  lower,
  opLibrary,
  printDiagnostic,
  printFunc,
  printTrace,
  replay,
  type Target,
} from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../../src/tuner/data/space.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { narrowGemm } from "../../../compiler/intrinsic/tensorized-gemm.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { referenceOf, wrongJs } from "../../../support/reference.ts";

const { amx } = frozenTargets;
const { batchMatmul, gemm } = opLibrary;
const spaceOf = (op: ComputeDef, target: Target = amx) =>
  generateSpace({ op, target, numerics: "fast", threads: 1, ...(op.constants && { constants: op.constants }) });
const onTiles = (op: ComputeDef, target?: Target): readonly Template[] =>
  spaceOf(op, target).templates.filter(({ name }) => name.includes("on tiles"));
const names = (op: ComputeDef, target?: Target): readonly string[] => onTiles(op, target).map(({ name }) => name);

const biased = instantiate(
  gemm({ M: 37, N: 40, K: 66, dtype: "i8" }, { bias: true, activation: "relu" }),
  {},
  "biased",
);
const batched = instantiate(batchMatmul({ batch: 3, M: 19, N: 33, K: 128, dtype: "i8" }), {}, "batched");

describe("templates", () => {
  test("the instruction of the operands' types", () => {
    expect(names(narrowGemm(64, 64, 64, "i8", "i8"))).toEqual(["C on tiles for tdpbssd"]);
    expect(names(narrowGemm(64, 64, 64, "i8", "u8"))).toEqual(["C on tiles for tdpbsud"]);
    expect(names(narrowGemm(64, 64, 64, "u8", "i8"))).toEqual(["C on tiles for tdpbusd"]);
    expect(names(narrowGemm(64, 64, 64, "u8", "u8"))).toEqual(["C on tiles for tdpbuud"]);
    expect(names(narrowGemm(64, 64, 64, "bf16", "bf16"))).toEqual(["C on tiles for tdpbf16ps"]);
  });

  test("beside those on vectors", () => {
    expect(spaceOf(narrowGemm(64, 64, 64, "u8", "i8")).templates.map(({ name }) => name)).toEqual([
      "C tiled",
      "C tiled for vpdpbusd.512",
      "C on tiles for tdpbusd",
    ]);
    expect(spaceOf(narrowGemm(64, 64, 64, "bf16", "bf16")).templates.map(({ name }) => name)).toEqual([
      "C tiled",
      "C tiled for vdpbf16ps.512",
      "C on tiles for tdpbf16ps",
    ]);
  });

  test("sums that an epilogue reads, batches", () => {
    expect(names(biased)).toEqual(["C.sum on tiles for tdpbssd", "C with C.sum on tiles for tdpbssd"]);
    expect(names(batched)).toEqual(["C on tiles for tdpbssd"]);
  });

  test("none of other types, of vectors, or for another target", () => {
    expect(names(narrowGemm(64, 64, 64, "i16", "i16"))).toEqual([]);
    expect(names(instantiate(gemm({ M: 64, N: 64, K: 64 }), {}, "floats"))).toEqual([]);
    expect(names(narrowGemm(64, 64, 64, "u8", "i8"), frozenTargets["avx512-vnni"])).toEqual([]);
  });
});

const layer = instantiate(withConstants(gemm({ M: 32, N: 48, K: 96, dtype: "bf16" }), "B"), {}, "layer");
const paddedLayer = instantiate(withConstants(gemm({ M: 20, N: 50, K: 70, dtype: "i8" }), "B"), {}, "padded_layer");

const ops: readonly ComputeDef[] = [
  narrowGemm(13, 41, 29, "u8", "i8"),
  narrowGemm(32, 48, 128, "i8", "i8"),
  layer,
  paddedLayer,
  narrowGemm(70, 96, 128, "i8", "i8"),
  narrowGemm(33, 50, 70, "bf16", "bf16"),
  biased,
  batched,
];

test.each(ops.map((op) => [op.name, op] as const))("every schedule of %s is legal, and on tiles", (_, op) => {
  const rng = createRng(1);
  const naive = fromCompute(op);
  const reference = referenceOf(op, rng);
  for (const template of onTiles(op)) {
    const compiled = compileModel(template.model);
    for (let drawn = 0; drawn < 12; drawn++) {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
      const trace = instantiateTemplate(template.instructions, result.assignment);
      const scheduled = replay(naive, trace);
      if (scheduled.kind === "illegal") {
        throw new Error(`${template.name}\n${printTrace(trace)}\n${printDiagnostic(scheduled.diagnostic)}`);
      }
      const text = printFunc(lower(scheduled.nest, { target: amx, numerics: "fast" }));
      expect(text, printTrace(trace)).toMatch(/\.acc_0 = tdp\w+\(/);
      expect(text, printTrace(trace)).not.toMatch(/\.acc: /);
      if (drawn < 3) expect(wrongJs(reference, compileJs(generateJs(scheduled.nest)))).toBeNull();
    }
  }
});

describe("where tiles lie", () => {
  /** The loop IR of schedules that are drawn until one has these decisions. */
  const loweredWith = (op: ComputeDef, wanted: Readonly<Record<string, number>>): string => {
    const rng = createRng(1);
    const template = onTiles(op).at(-1)!;
    for (let drawn = 0; drawn < 200; drawn++) {
      const result = sample(compileModel(template.model), rng);
      if (result.kind !== "found") throw new Error(result.kind);
      const { assignment } = result;
      if (Object.entries(wanted).some(([name, value]) => assignment[name] !== value)) continue;
      const scheduled = replay(fromCompute(op), instantiateTemplate(template.instructions, assignment));
      if (scheduled.kind === "illegal") throw new Error(printDiagnostic(scheduled.diagnostic));
      return printFunc(lower(scheduled.nest, { target: amx, numerics: "fast" }));
    }
    throw new Error("none was drawn");
  };

  test("whole tiles are loaded and stored where they are, row by row", () => {
    const text = loweredWith(narrowGemm(32, 48, 128, "i8", "i8"), { "C.pack.A": 0, "C.store": 1 });
    expect(text).toMatch(/A\[ramp\(ramp\(.*, 1, 64\), 128, 1024\)\]/);
    expect(text).toMatch(/C\[ramp\(ramp\(.*, 1, 16\), 48, 256\)\] = C\.acc/);
    expect(text).not.toMatch(/A\.pack|C\.acc\.pack/);
  });

  test("constants lie in tiles before the loops, with their padding", () => {
    for (const [op, laidOut] of [
      [layer, "B.layout: bf16[3, 48, 16, 2]"],
      [paddedLayer, "B.pad: i8[4, 32, 16, 4]"],
    ] as const) {
      const [template] = onTiles(op);
      const result = sample(compileModel(template!.model), createRng(1));
      if (result.kind !== "found") throw new Error(result.kind);
      const scheduled = replay(fromCompute(op), instantiateTemplate(template!.instructions, result.assignment));
      expect(scheduled.kind === "ok" && printFunc(scheduled.nest)).toContain(laidOut);
    }
  });

  test("a map takes the sums from the tiles' copy, without a buffer of all sums", () => {
    const text = loweredWith(layer, {});
    expect(text).toContain("C[ramp(");
    expect(text).not.toMatch(/C\.sum: /);
  });
});
