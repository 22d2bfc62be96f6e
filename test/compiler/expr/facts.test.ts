// Costs and reuse of known operators, worked out by hand.

import { describe, expect, test } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import { factsOf } from "../../../src/compiler/expr/facts.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";

describe("factsOf", () => {
  test("gemm: two operations a point, each operand reused along the axis that it lacks", () => {
    const facts = factsOf(instantiate(gemm, { M: 61, N: 83, K: 97 }, "gemm"));
    expect(facts.flops).toBe(2 * 61 * 83 * 97);
    expect(facts.bytesRead).toBe(4 * (61 * 97 + 97 * 83));
    expect(facts.bytesWritten).toBe(4 * 61 * 83);
    expect(facts.flopsPerByte).toBeCloseTo(982222 / 76124, 10);
    const [A, B] = facts.stages[0]!.operands;
    expect(A).toMatchObject({ tensor: "A", dependsOn: ["i", "k"], contiguousAlong: "k" });
    expect(A!.reusedAlong).toEqual([{ name: "j", extent: 83 }]);
    expect(B).toMatchObject({ tensor: "B", dependsOn: ["j", "k"], contiguousAlong: "j" });
    expect(B!.reusedAlong).toEqual([{ name: "i", extent: 61 }]);
  });

  test("conv2d: guards and index arithmetic are no operations", () => {
    const facts = factsOf(instantiate(conv2d, { H: 5, W: 6, C: 7, F: 8 }, "conv2d"));
    expect(facts.flops).toBe(2 * 5 * 6 * 8 * 9 * 7);
    const [image, filter] = facts.stages[0]!.operands;
    expect(image).toMatchObject({ dependsOn: ["y", "x", "ry", "rx", "rc"], contiguousAlong: "rc" });
    expect(image!.reusedAlong).toEqual([{ name: "f", extent: 8 }]);
    expect(filter!.reusedAlong.map((axis) => axis.name)).toEqual(["y", "x"]);
  });

  test("softmax: each stage for itself", () => {
    const { stages } = factsOf(instantiate(softmax, { M: 3, N: 10 }, "softmax"));
    expect(stages.map(({ name, flops, iterations }) => [name, iterations, flops])).toEqual([
      ["Y.max", 30, 30],
      ["Y.sum", 30, 90],
      ["Y", 30, 90],
    ]);
  });
});
