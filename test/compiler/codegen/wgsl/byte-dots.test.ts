// Dot products of bytes by words in WGSL: how operands are printed, that every template that names them has them, and that schedules of
// such templates compute exactly what the reference does, in the interpreter after every pass and on SwiftShader, for all bytes.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateWgsl } from "../../../../src/compiler/codegen/wgsl/generate-wgsl.ts";
import {
  authoring,
  type ComputeDef,
  generateKernel,
  opLibrary,
  printDiagnostic,
  shortWgsl,
  type Trace,
  type WgslSource,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { callsOf } from "../../../../src/compiler/intrinsic/calls.ts";
import { wgslDot } from "../../../../src/compiler/intrinsic/wgsl-dot.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { bytePairs, byteProducts, instantiated, referenceOfBytes } from "../../../support/byte-products.ts";
import { inTurn } from "../../../support/long.ts";
import { naga } from "../../../support/naga.ts";
import type { Reference } from "../../../support/reference.ts";
import { type DrawnSchedule, drawSchedules, threadSpace, wrongThreads } from "../../../support/thread-schedules.ts";
import { noSoftwareGpu, openSoftwareGpu, wrongOnGpu } from "../../../support/webgpu.ts";

const turn = inTurn(8);

const dotsOf = (op: ComputeDef) => threadSpace(op).templates.filter(({ name }) => name.includes("dots of bytes"));

function textOf(op: ComputeDef, { trace }: Pick<DrawnSchedule, "trace">): WgslSource {
  const kernel = generateKernel(op, trace, webgpu, { numerics: "fast", verify: true });
  if (kernel.kind !== "ok") throw new Error(printDiagnostic(kernel.diagnostic));
  return kernel.source as WgslSource;
}

describe("texts", () => {
  const printed = (at: number): string =>
    generateWgsl(callsOf(wgslDot[at]!, 8), { target: webgpu, numerics: "fast" }).text;

  test("bytes are taken as the words that they lie in", () => {
    expect(printed(0)).toContain("(C_start_[block_] + dot4I8Packed(A_[block_], B_[block_]))");
    expect(printed(1)).toContain("(C_start_[block_] + i32(dot4U8Packed(A_[block_], B_[block_])))");
  });

  test("u8 is moved to i8, and what that takes away is added again", () => {
    const text = printed(2);
    expect(text).toContain("let uk_v0 = B_[block_];");
    expect(text).toContain(
      "(dot4I8Packed(A_[block_] ^ 0x80808080u, uk_v0) + (dot4I8Packed(0x01010101u, uk_v0) << 7u))",
    );
  });
});

/** A product with a vector whose rows have ten bytes, of which eight are taken. */
function ofUnevenRows(): { readonly op: ComputeDef; readonly source: WgslSource } {
  const { compute, defineOp, reduceAxis, sum, tensor } = authoring;
  const made = defineOp({}, () => {
    const [W, x, k] = [tensor("W", [6, 10], "i8"), tensor("x", [9], "i8"), reduceAxis("k", 8)];
    return compute("y", [6], (i) =>
      sum(
        W(i, k)
          .cast("i32")
          .mul(x(k.add(1)).cast("i32")),
        k,
      ),
    );
  });
  const op = instantiated(made);
  const trace: Trace = [
    { kind: "split", loop: "y.k", factors: [2, 4], tail: "perfect" },
    { kind: "bind", loop: "y.i", axis: "blockIdx.x" },
    { kind: "cache-write", block: "y", loop: "y.i", scope: "register" },
    { kind: "tensorize", loop: "y.k.1", intrinsic: "dot4I8Packed" },
  ];
  return { op, source: textOf(op, { trace }) };
}

describe("templates", () => {
  const names = (op: ComputeDef): readonly string[] => dotsOf(op).map(({ name }) => name);

  test.each([
    [
      "transposed",
      ["C, dots of bytes, in tiles of threads", "C, dots of bytes, in tiles of threads, operands in their group"],
    ],
    [
      "withVector",
      [
        "y, dots of bytes, in tiles of threads, k in slices",
        "y by rows, dots of bytes",
        "y by rows, dots of bytes, several a thread",
      ],
    ],
  ] as const)("%s", (product, expected) => {
    for (const pair of bytePairs)
      expect(names(instantiated(byteProducts[product](pair, [256, 256, 256])))).toEqual(expected);
  });

  test.each(["transposed", "withVector"] as const)("they are predicted to be faster, %s", (product) => {
    const space = threadSpace(instantiated(byteProducts[product](["i8", "i8"], [512, 512, 512])));
    const best = (templates: typeof space.templates): number =>
      Math.min(
        ...templates.flatMap((template) =>
          drawSchedules(template, 100, 1).map(({ assignment }) => space.prior(template, assignment)!),
        ),
      );
    const isByDots = ({ name }: { readonly name: string }): boolean => name.includes("dots of bytes");
    expect(best(space.templates.filter(isByDots))).toBeLessThan(best(space.templates.filter((it) => !isByDots(it))));
  });

  test("none where operands do not lie in words along the depth", () => {
    const { transposed, withVector } = byteProducts;
    expect(names(instantiated(transposed(["i8", "i8"], [32, 32, 66])))).toEqual([]);
    expect(names(instantiated(withVector(["i8", "i8"], [32, 1, 63])))).toEqual([]);
    expect(names(instantiated(transposed(["i16", "i16"], [32, 32, 64])))).toEqual([]);
    expect(names(instantiated(opLibrary.gemm({ M: 32, N: 32, K: 64, dtype: "i8" })))).toEqual([]);
  });
});

/** Extents that tiles divide, and those that they do not; depths of which threads have slices. */
const sizes = [
  [5, 7, 20],
  [3, 6, 260],
  [8, 4, 32],
] as const;

interface Case {
  readonly title: string;
  readonly reference: Reference;
  readonly drawn: readonly DrawnSchedule[];
}

/** Schedules of all templates with dot products. */
function casesOf(seed: number, each: number): readonly Case[] {
  return Object.entries(byteProducts).flatMap(([title, product], number) =>
    bytePairs.map((pair, at): Case => {
      const op = instantiated(product(pair, sizes[(number + at + seed) % sizes.length]!));
      const drawn = dotsOf(op).flatMap((template) => drawSchedules(template, each, seed));
      return {
        title: `${title}, ${pair.join("·")}`,
        reference: referenceOfBytes(op, createRng(seed), seed % 2 === 0),
        drawn,
      };
    }),
  );
}

turn.each(casesOf(1, 1))("$title is interpreted", ({ reference, drawn }) => {
  expect(drawn.length).toBeGreaterThan(0);
  for (const it of drawn) {
    expect(wrongThreads(reference, it)).toBeNull();
    expect(textOf(reference.op, it).text).toMatch(/dot4[IU]8Packed\(/);
    expect(textOf(reference.op, it).text).not.toContain("pack4x");
  }
});

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  turn.each([...casesOf(2, 2), ...casesOf(3, 2)])("$title", async ({ reference, drawn }) => {
    for (const [at, it] of drawn.entries()) {
      const source = textOf(reference.op, it);
      expect(await wrongOnGpu(gpu, reference, at % 2 === 0 ? source : shortWgsl(source)), source.text).toBeNull();
    }
  });

  turn("bytes that do not begin a word are packed", async () => {
    const { op, source } = ofUnevenRows();
    expect(source.text).toContain("pack4xI8(");
    expect(await wrongOnGpu(gpu, referenceOfBytes(op, createRng(1), false), source)).toBeNull();
    expect(naga([source])).toEqual([null]);
  });

  turn("sums wrap as those of 32 bits do", async () => {
    const op = instantiated(byteProducts.withVector(["u8", "u8"], [3, 1, 34_000]));
    const reference = referenceOfBytes(op, { ...createRng(1), pick: () => 255 as never }, true);
    expect(reference.expected.length).toBe(1);
    for (const template of dotsOf(op)) {
      const [it] = drawSchedules(template, 1, 1);
      expect(await wrongOnGpu(gpu, reference, textOf(op, it!))).toBeNull();
    }
  });

  turn("naga takes the texts", () => {
    const sources = casesOf(4, 1).flatMap(({ reference, drawn }) =>
      drawn.map((it) => shortWgsl(textOf(reference.op, it))),
    );
    expect(naga(sources).filter((answer) => answer !== null)).toEqual([]);
  });
});
