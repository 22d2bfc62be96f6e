// Stages that an intrinsic of the target computes: their space has a template with it beside the plain one.

import { describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  type CpuTarget,
  fromCompute,
  generateC,
  generateWasm,
  instantiate,
  instantiateTemplate,
  lower,
  type Op,
  opLibrary,
  printDiagnostic,
  printFunc,
  printTrace,
  replay,
  schedule,
} from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { narrowGemm } from "../../../compiler/intrinsic/tensorized-gemm.ts";
import { compileAll, noteSkipped, skipReason } from "../../../native/compiled.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { inTurn } from "../../../support/long.ts";
import { referenceOf, wrongNative, wrongNest, wrongWasm } from "../../../support/reference.ts";

const turn = inTurn(3);

const { cast, compute, defineOp, reduceAxis, round, sum, tensor } = authoring;
const { batchMatmul, conv2d, gemm } = opLibrary;

const spaceOf = (op: ComputeDef, target: CpuTarget) => generateSpace({ op, target, numerics: "fast", threads: 1 });
const templatesOf = (op: ComputeDef, target: CpuTarget): readonly string[] =>
  spaceOf(op, target).templates.map(({ name, structure }) => [name, ...structure].join(" | "));
const { avx2, wasm, "avx512-bf16": avx512 } = frozenTargets;

describe("templates", () => {
  test("products of i16: the operand that is broadcast may be read where it is", () => {
    expect(templatesOf(narrowGemm(64, 64, 64, "i16", "i16"), avx2)).toEqual([
      "C tiled | C.order | C.pack.A | C.pack.B",
      "C tiled for vpmaddwd.256 | C.order | C.pack.A",
    ]);
  });

  test("bytes are widened in the packs", () => {
    const { templates } = spaceOf(narrowGemm(64, 64, 64, "u8", "i8"), wasm);
    const kinds = templates[1]!.instructions.flatMap(({ instruction, when }) =>
      instruction.kind === "set-dtype" || instruction.kind === "tensorize" ? [{ ...instruction, when }] : [],
    );
    expect(kinds).toEqual([
      { kind: "set-dtype", buffer: "A.pack", dtype: "i16", when: [{ tunable: "C.pack.A", oneOf: [1] }] },
      { kind: "set-dtype", buffer: "B.pack", dtype: "i16", when: [] },
      { kind: "tensorize", loop: "C.j.3", intrinsic: "i32x4.dot_i16x8_s", when: [] },
    ]);
  });

  test("a sum that is no whole number of groups is padded: within the pack, else row by row in vectors", () => {
    const { templates } = spaceOf(narrowGemm(64, 64, 62, "u8", "i8"), avx512);
    const kinds = ["pad", "cache-read", "inline", "fuse", "vectorize"];
    const lines = templates[1]!.instructions.flatMap(({ instruction, when }) => {
      const { kind, ...args } = instruction;
      const { block, buffer, loop, outer, multiples } = args as Record<string, unknown>;
      const what = [block, buffer ?? loop ?? outer, multiples].filter((it) => it !== undefined).join(" ");
      return kinds.includes(kind) && when.length < 2 ? [`${kind} ${what}`] : [];
    });
    expect([...new Set(lines)]).toEqual([
      "pad C 1,1,4",
      "cache-read B.pad",
      "fuse B.pad.pack.2.1",
      "vectorize B.pad.pack.2.1+B.pad.pack.3",
      "vectorize C.j.3",
      "vectorize A.pad.1.1",
      "inline B.pad",
    ]);
  });

  test("the best intrinsic that the target has", () => {
    const best = (a: "i8" | "u8" | "i16" | "bf16", b = a, target = avx512): string | undefined =>
      templatesOf(narrowGemm(64, 64, 64, a, b), target)[1]?.split(" | ")[0];
    expect(best("u8", "i8")).toBe("C tiled for vpdpbusd.512");
    expect(best("i8")).toBe("C tiled for vpdpbusd.512.signed");
    expect(best("u8")).toBe("C tiled for vpmaddwd.512");
    expect(best("i16")).toBe("C tiled for vpmaddwd.512");
    expect(best("bf16")).toBe("C tiled for vdpbf16ps.512");
    const avxVnni: CpuTarget = { ...avx2, features: [...avx2.features, "avxvnni"].sort() };
    expect(best("u8", "i8", avxVnni)).toBe("C tiled for vpdpbusd.256");
    expect(best("i8", "i8", avxVnni)).toBe("C tiled for vpdpbusd.256.signed");
  });

  test("what finishes the sums in registers may find them by the intrinsic", () => {
    const quantised = gemm({ M: 64, N: 64, K: 64, dtype: "i8" }, { bias: true, activation: "relu" });
    expect(templatesOf(instantiate(quantised, {}, "quantised"), avx512)).toEqual([
      "C.sum tiled | C.sum.order | C.sum.pack.A | C.sum.pack.B",
      "C.sum tiled for vpdpbusd.512.signed | C.sum.order | C.sum.pack.A",
      "C with C.sum in registers | C.sum.order | C.sum.pack.A | C.sum.pack.B",
      "C with C.sum in registers for vpdpbusd.512.signed | C.sum.order | C.sum.pack.A",
    ]);
  });

  test("a batch of products: the operand that is broadcast keeps its layout when it is packed", () => {
    const batch = instantiate(batchMatmul({ batch: 3, M: 64, N: 64, K: 64, dtype: "i8" }), {}, "batch");
    expect(templatesOf(batch, avx512)).toEqual([
      "C tiled | C.order | C.pack.A | C.pack.B",
      "C tiled for vpdpbusd.512.signed | C.order | C.pack.A",
    ]);
  });

  test("none where the operator is another, or too small", () => {
    expect(templatesOf(narrowGemm(64, 64, 64, "bf16", "bf16"), avx2)).toHaveLength(1);
    expect(templatesOf(narrowGemm(64, 7, 64, "i16", "i16"), avx2)).toHaveLength(1);
    expect(templatesOf(narrowGemm(64, 64, 1, "i16", "i16"), avx2).join("\n")).not.toContain(" for ");
    expect(templatesOf(narrowGemm(1, 64, 64, "i16", "i16"), avx2)).toHaveLength(1);
  });
});

/** Products of bytes with what a quantised network does to them: bias, scale, rounding, back to bytes. */
const requantised: Op = defineOp({ M: 17, N: 40, K: 66 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "u8");
  const B = tensor("B", [K, N], "i8");
  const bias = tensor("bias", [N], "i32");
  const scale = tensor("scale", [N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => {
    const sums = sum(cast(A(i, k), "i32").mul(cast(B(k, j), "i32")), k).add(bias(j));
    return cast(
      round(cast(sums, "f32").mul(scale(j)))
        .max(-128)
        .min(127),
      "i8",
    );
  });
});

const image = { N: 1, H: 6, W: 7, C: 6, F: 19, KH: 3, KW: 3, stride: 1, dilation: 1 };
const ops: readonly ComputeDef[] = [
  narrowGemm(13, 41, 29, "u8", "i8"),
  narrowGemm(64, 96, 100, "i16", "i16"),
  instantiate(gemm({ M: 17, N: 40, K: 66, dtype: "i8" }, { bias: true, activation: "relu" }), {}, "biased"),
  instantiate(requantised, {}, "requantised"),
  instantiate(batchMatmul({ batch: 3, M: 7, N: 37, K: 30, dtype: "i8" }), {}, "batch"),
  instantiate(batchMatmul({ batch: 2, M: 9, N: 24, K: 19, dtype: "i8" }, { activation: "relu" }), {}, "batch_relu"),
  instantiate(conv2d({ ...image, padding: 0, dtype: "i8" }), {}, "convolution"),
  instantiate(
    conv2d({ ...image, H: 4, W: 5, C: 9, padding: 1, dtype: "u8", filterDtype: "i8" }, { bias: true }),
    {},
    "convolution_bias",
  ),
  instantiate(conv2d({ ...image, padding: 1, stride: 2, dtype: "u8" }), {}, "padded"),
  instantiate(conv2d({ ...image, padding: 1, dilation: 2, dtype: "i16" }), {}, "dilated"),
];
const cases = ops.flatMap((op) => [wasm, avx2, avx512].map((target) => [op.name, target.name, op, target] as const));

turn.each(cases)("every schedule of %s for %s is legal", (_, __, op, target) => {
  const rng = createRng(1);
  const naive = fromCompute(op);
  const templates = spaceOf(op, target).templates.filter(({ name }) => name.includes(" for "));
  expect(templates.length).toBeGreaterThan(0);
  for (const template of templates) {
    const compiled = compileModel(template.model);
    for (let drawn = 0; drawn < 12; drawn++) {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
      const trace = instantiateTemplate(template.instructions, result.assignment);
      const scheduled = replay(naive, trace);
      if (scheduled.kind === "illegal") {
        throw new Error(`${template.name}\n${printTrace(trace)}\n${printDiagnostic(scheduled.diagnostic)}`);
      }
    }
  }
});

const running = cases.filter(([name]) => /padded|biased|requantised|batch|convolution_bias/.test(name));

turn.each(running)("%s for %s runs the instruction and computes the same", async (_, __, op, target) => {
  const rng = createRng(1);
  const reference = referenceOf(op, rng);
  const templates = spaceOf(op, target).templates.filter(({ name }) => name.includes(" for "));
  const flats = templates.flatMap(({ name, model, instructions }) => {
    const compiled = compileModel(model);
    return [1, 2].map(() => {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(`${name}: ${result.kind}`);
      const nest = schedule(reference.naive, instantiateTemplate(instructions, result.assignment));
      const flat = lower(nest, { target, numerics: "fast" });
      expect(printFunc(flat)).toContain(`${name.split(" for ")[1]}(`);
      expect(wrongNest(reference, flat)).toBeNull();
      return flat;
    });
  });
  if (target === wasm) {
    for (const flat of flats) expect(wrongWasm(reference, generateWasm(flat, { relaxed: false }))).toBeNull();
  }
  if (target !== avx2 || skipReason) return;
  const kernels = await compileAll(flats.map((flat) => generateC(flat, target, { numerics: "fast" })));
  flats.forEach((_, at) => {
    expect(wrongNative(reference, kernels, at)).toBeNull();
  });
});
for (const [op, , , target] of running) if (target === avx2) noteSkipped(`${op} for avx2 computes the same as C`);
