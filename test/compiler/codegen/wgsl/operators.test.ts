// Every operator of the library in every type that WGSL has, by schedules drawn from their spaces: valid by Dawn's null back end, right on
// SwiftShader, and nothing written beside the outputs. So are texts in the form that pages load, of the first two templates of each; in one type
// of each operator where nobody waits for them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instantiate, shortWgsl } from "../../../../src/compiler/index.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { createValidator, type WgslValidator } from "../../../../src/native/webgpu/validate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { library } from "../../../support/library/library.ts";
import {
  type LibraryOperator,
  operandTypes,
  type TypeName,
  titleOf,
} from "../../../support/library/library-operator.ts";
import { inTurn, isLong } from "../../../support/long.ts";
import { noSoftwareGpu, openSoftwareGpu } from "../../../support/webgpu.ts";
import { drawnOnGpu } from "../../../support/webgpu-schedules.ts";

const turn = inTurn(10);

const cases = library.flatMap((operator, at) =>
  operator.types.map((type) => ({ title: `${titleOf(operator)}, ${type}`, operator, type, at })),
);

/** Another for each operator in turn. */
function oneTypeOf({ types }: LibraryOperator, at: number): TypeName {
  const known = types.filter((type) => type !== "f64");
  return known[at % known.length]!;
}

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  let validate: WgslValidator | null;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
    validate = await createValidator();
  });
  afterAll(() => gpu.device.destroy());

  turn.each(cases.filter(({ type }) => type !== "f64"))("$title", async ({ operator, type, at }) => {
    const op = instantiate(operator.small(createRng(at)).op(operandTypes(type)), {}, "op");
    const { right, refused, wrong } = await drawnOnGpu(gpu, op, { seed: 1, samples: 1, validate });
    expect(wrong).toEqual([]);
    expect(refused).toEqual([]);
    expect(right).toBeGreaterThan(0);
  });

  const short = cases.filter(
    ({ type, operator, at }) => type !== "f64" && (isLong || type === oneTypeOf(operator, at)),
  );
  turn.each(short)("$title in its short form", async ({ operator, type, at }) => {
    const op = instantiate(operator.small(createRng(at)).op(operandTypes(type)), {}, "op");
    const { right, wrong } = await drawnOnGpu(gpu, op, {
      seed: 2,
      samples: 1,
      templates: 2,
      validate,
      form: shortWgsl,
    });
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(0);
  });

  test.each(cases.filter(({ type }) => type === "f64").slice(0, 4))("$title is refused", async ({ operator, type }) => {
    const op = instantiate(operator.small(createRng(1)).op(operandTypes(type)), {}, "op");
    const { right, refused } = await drawnOnGpu(gpu, op, { seed: 1, samples: 1 });
    expect(right).toBe(0);
    expect(refused.join()).toContain("is f64, and WGSL has no such numbers");
  });
});
