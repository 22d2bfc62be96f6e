// Schedules of the rules for operators of the library whose operands are padded, turned or read at quotients.

import { describe, expect, test } from "vitest";
import {
  blocksIn,
  type DType,
  fromCompute,
  instantiate,
  type Op,
  opLibrary as ops,
  printTrace,
  replay,
  someExpr,
  targets,
} from "../../../src/compiler/index.ts";
import { candidateTemplate, candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(3);

/** The predicted schedule of an operator for AVX2, and its nest. */
function predicted(op: Op) {
  const def = instantiate(op, {}, "op");
  const space = generateSpace({ op: def, target: targets.avx2, numerics: "fast", threads: 1 });
  const candidate = predict(space)!;
  const trace = candidateTrace(space, candidate)!;
  const result = replay(fromCompute(candidateTemplate(space, candidate)!.op), trace);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  return { text: printTrace(trace), blocks: blocksIn(result.nest.body) };
}

/** Names of the blocks that choose: packs may, what multiplies must not. */
const choosing = ({ blocks }: ReturnType<typeof predicted>): readonly string[] =>
  blocks.filter(({ value }) => someExpr(value, (it) => it.kind === "select")).map(({ name }) => name);

// Windows of 2 × 2: those of 3 × 3 may become another algorithm.
const image = { H: 9, W: 10, C: 32, KH: 2, KW: 2, padding: 1 };

describe("padding", () => {
  const types: readonly DType[] = ["f32", "f64", "f16", "bf16", "i8"];
  turn.each(types)(
    "that filters share is copied, that of a channel alone is asked for: conv2d and depthwiseConv2d of %s",
    (dtype) => {
      expect(choosing(predicted(ops.conv2d({ ...image, F: 16, dtype })))).toEqual(["image.pack"]);
      const [block, ...others] = choosing(predicted(ops.depthwiseConv2d({ ...image, dtype })));
      expect(others).toEqual([]);
      expect(block).toMatch(/^out/);
    },
  );

  test("of a channel alone may be copied too", () => {
    const depthwise = instantiate(ops.depthwiseConv2d(image), {}, "op");
    const { templates } = generateSpace({ op: depthwise, target: targets.avx2, numerics: "fast", threads: 1 });
    expect(templates[0]!.structure).toContain("out.pack.image");
  });

  turn("a maximum has another padding: it stays where it is", () => {
    expect(choosing(predicted(ops.maxPool2d({ H: 9, W: 10, C: 32, padding: 1, size: 3, stride: 1 })))).toEqual(["out"]);
  });
});

turn("the keys of attention, which lie across, are packed into panels along the keys", () => {
  const { text } = predicted(ops.attention({ heads: 2, M: 16, N: 32, D: 8 }));
  expect(text).toMatch(/^cache-read K at scores\.sum\..* layout \[1\/\d+\] \[0\] \[2\] \[1%\d+\]$/m);
  expect(text).toMatch(/^vectorize scores\.sum\.j\.3$/m);
});

turn("the phases of a transposed convolution are put side by side in vectors of channels", () => {
  const { text } = predicted(ops.transposedConv2d({ H: 5, W: 6, C: 8, F: 32 }));
  expect(text).toMatch(/^vectorize out\.f\.2$/m);
});

test("rows of a register tile lie along axes that reuse an operand, two of them at most", () => {
  const rowsOf = (op: Op): readonly string[] => {
    const { templates } = generateSpace({
      op: instantiate(op, {}, "op"),
      target: targets.avx2,
      numerics: "fast",
      threads: 1,
    });
    const { variables } = templates[0]!.model;
    return variables.flatMap(({ name, domain }) => {
      const row = /^\w+\.(\w+)\.register$/.exec(name)?.[1];
      return row && "length" in domain && domain.length > 1 ? [row] : [];
    });
  };
  expect(rowsOf(ops.batchMatmul({ batch: 4, M: 16, N: 64, K: 8 }))).toEqual(["i", "j"]);
  expect(rowsOf(ops.groupConv2d({ H: 9, W: 9, C: 32, F: 64, groups: 2 }))).toEqual(["y", "x", "f"]);
  expect(rowsOf(ops.conv3d({ D: 6, H: 9, W: 9, C: 8, F: 64 }))).toEqual(["y", "x", "f"]);
});
