// WGSL of scheduled operators: what is dispatched, how arrays are declared and narrow elements stored, and what is refused.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  type DType,
  generateKernel,
  instantiate,
  type Numerics,
  opLibrary,
  printDiagnostic,
  type Target,
  type Trace,
  targetNamed,
  type WgslSource,
  webgpu,
} from "../../../../src/compiler/index.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { inTurn } from "../../../support/long.ts";
import { referenceOf } from "../../../support/reference.ts";
import { noSoftwareGpu, openSoftwareGpu, wrongOnGpu } from "../../../support/webgpu.ts";
import { byThreads, productOf } from "./schedules.ts";

const turn = inTurn(3);

const { compute, defineOp, tensor } = authoring;

function resultOf(op: ComputeDef, trace: Trace, target: Target = webgpu, numerics: Numerics = "fast") {
  return generateKernel(op, trace, target, { numerics, verify: true });
}

function sourceOf(op: ComputeDef, trace: Trace, target?: Target): WgslSource {
  const result = resultOf(op, trace, target);
  if (result.kind !== "ok") throw new Error(printDiagnostic(result.diagnostic));
  return result.source as WgslSource;
}

function refusalOf(op: ComputeDef, trace: Trace, target?: Target, numerics?: Numerics): string {
  const result = resultOf(op, trace, target, numerics);
  return result.kind === "ok" ? "" : printDiagnostic(result.diagnostic);
}

const doubled = (length: number, dtype: DType = "f32", to: DType = dtype): ComputeDef =>
  instantiate(
    defineOp({}, () => {
      const let_ = tensor("let", [length], dtype);
      return compute("C", [length], (i) =>
        let_(i)
          .cast("f32")
          .mul(2)
          .cast(to as "f32"),
      );
    }),
    {},
    "double",
  );

const mapped = (groups: number, threads: number, ...more: Trace): Trace => [
  { kind: "split", loop: "C.i", factors: [groups, threads, ...(more.length > 0 ? [4] : [])], tail: "guard" },
  { kind: "bind", loop: "C.i.0", axis: "blockIdx.x" },
  { kind: "bind", loop: "C.i.1", axis: "threadIdx.x" },
  ...more,
];

const inRuns: Trace = [{ kind: "vectorize", loop: "C.i.2" }];

test("the target is known by its name", () => {
  expect(targetNamed("webgpu")).toBe(webgpu);
});

test("a map is one launch; threads past the end do nothing, and names of the language are no matter", () => {
  const { text, launches, scratch } = sourceOf(doubled(40), mapped(2, 32));
  expect({ launches, scratch }).toEqual({
    launches: [{ entry: expect.stringMatching(/_0$/), grid: [2, 1, 1], arrays: [0, 1] }],
    scratch: [],
  });
  expect(text.replace(/fn \w+\(/, "fn double(")).toMatchInlineSnapshot(`
    "@group(0) @binding(0) var<storage, read> let_: array<f32>;
    @group(0) @binding(1) var<storage, read_write> C_: array<f32>;
    @compute @workgroup_size(32, 1, 1) fn double(@builtin(workgroup_id) uk_workgroup_id: vec3<u32>, @builtin(local_invocation_id) uk_local_invocation_id: vec3<u32>) {
      let blockIdx_x_ = i32(uk_workgroup_id.x);
      let threadIdx_x_ = i32(uk_local_invocation_id.x);
      if (((blockIdx_x_ * 32) + threadIdx_x_) < 40) {
        C_[((blockIdx_x_ * 32) + threadIdx_x_)] = (let_[((blockIdx_x_ * 32) + threadIdx_x_)] * 2.0f);
      }
    }
    "
  `);
});

test("runs of four are vectors", () => {
  const { text } = sourceOf(doubled(64), mapped(2, 8, ...inRuns));
  expect(text).toContain("var<storage, read> let_: array<vec4<f32>>;");
  expect(text).toContain("C_[((blockIdx_x_ * 8) + threadIdx_x_)] = ");
});

test("runs of bytes are stored as words, and single ones by atomic operations", () => {
  expect(sourceOf(doubled(64, "i8", "i8"), mapped(2, 8, ...inRuns)).text).toContain("read_write> C_: array<u32>;");
  const single = sourceOf(doubled(64, "i8", "i8"), mapped(2, 32)).text;
  expect(single).toContain("read_write> C_: array<atomic<u32>>;");
  expect(single).toContain("atomicOr(&C_[");
});

test("more groups than an axis has are folded, and those too many do nothing", () => {
  const { launches, text } = sourceOf(doubled(70_001 * 2), mapped(70_001, 2));
  const [{ grid } = { grid: [0, 0, 0] }] = launches;
  expect(grid).toEqual([35_001, 2, 1]);
  expect(text).toContain("if (uk_group >= 70001) { return; }");
});

test("what no loop gives to threads is a launch of one", () => {
  const { text, launches } = sourceOf(doubled(40), []);
  expect(launches[0]?.grid).toEqual([1, 1, 1]);
  expect(text).toContain("@workgroup_size(1, 1, 1)");
});

test("copies to the memory of a group have barriers, ahead or not", () => {
  for (const stages of [1, 2, 3]) {
    const { text } = sourceOf(productOf("f32"), byThreads(stages));
    expect(text).toContain("var<workgroup> A_pack_: array<");
    expect(text).toContain("workgroupBarrier();");
    expect(text).not.toContain("storageBarrier();");
  }
});

describe("refused", () => {
  test("f64", () => {
    expect(refusalOf(doubled(40, "f64"), mapped(2, 32))).toContain("is f64, and WGSL has no such numbers");
  });

  test("numerics strict, unless there are integers alone", () => {
    expect(refusalOf(doubled(40), mapped(2, 32), webgpu, "strict")).toContain('it cannot be "strict"');
    const sum = instantiate(opLibrary.sum({ M: 4, N: 8, dtype: "i32" }), {}, "sum");
    expect(refusalOf(sum, [], webgpu, "strict")).toBe("");
  });

  turn.each([
    ["groupBytes", 100, "bytes of memory, webgpu has 100"],
    ["threadsPerGroup", 32, "a group has 8×8×1 threads"],
    ["arraysPerLaunch", 2, "a launch names 3 arrays, webgpu has 2"],
    ["arrayBytes", 1000, "has 8192 bytes, an array of webgpu 1000"],
  ])("beyond the limit %s", (limit, value, reason) => {
    const small = { ...webgpu, limits: { ...webgpu.limits, [limit]: value } };
    expect(refusalOf(productOf("f32"), byThreads(1), small)).toContain(reason);
  });
});

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  const right = async (op: ComputeDef, trace: Trace): Promise<void> =>
    expect(await wrongOnGpu(gpu, referenceOf(op, createRng(3)), sourceOf(op, trace))).toBeNull();

  turn.each((["f32", "i8"] as const).flatMap((dtype) => [1, 2, 3].map((stages) => ({ dtype, stages }))))(
    "a product of $dtype through the memory of a group, $stages slots",
    ({ dtype, stages }) => right(productOf(dtype), byThreads(stages)),
  );

  test.each((["f32", "f16", "bf16", "i16", "i8", "u8"] as const).map((dtype) => ({ dtype })))(
    "runs and single elements of $dtype",
    async ({ dtype }) => {
      await right(doubled(64, dtype, dtype), mapped(2, 8, ...inRuns));
      await right(doubled(61, dtype, dtype), mapped(2, 32));
    },
  );

  test("a folded grid", () => right(doubled(70_001 * 2), mapped(70_001, 2)));
});
