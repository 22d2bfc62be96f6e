// Products of few rows whose right side is stored by output, [outputs, inputs], as the layers of networks have it: nobody lays it out anew for so
// few rows. Some works have it as it is, others quantized to bytes, or to two values in a byte, with a scale for each group of inputs.

import { authoring, type Op } from "../../../../src/compiler/index.ts";
import type { SuiteName, Work } from "../work.ts";

const { cast, compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

type Shape = readonly [M: number, N: number, K: number];

const group = 32;

const floats = ([M, N, K]: Shape): Op =>
  defineOp({}, () => {
    const [rows, weights] = [tensor("rows", [M, K], "f32"), tensor("weights", [N, K], "f32")];
    const k = reduceAxis("k", K);
    return compute("out", [M, N], (i, j) => sum(rows(i, k).mul(weights(j, k)), k));
  });

const bytes = ([M, N, K]: Shape): Op =>
  defineOp({}, () => {
    const [rows, weights] = [tensor("rows", [M, K], "f32"), tensor("weights", [N, K], "i8")];
    const scale = tensor("scale", [N, K / group], "f32");
    const k = reduceAxis("k", K);
    return compute("out", [M, N], (i, j) =>
      sum(rows(i, k).mul(cast(weights(j, k), "f32").mul(scale(j, k.floorDiv(group)))), k),
    );
  });

const halfBytes = ([M, N, K]: Shape): Op =>
  defineOp({}, () => {
    const [rows, weights] = [tensor("rows", [M, K], "f32"), tensor("weights", [N, K / 2], "u8")];
    const scale = tensor("scale", [N, K / group], "f32");
    const k = reduceAxis("k", K);
    return compute("out", [M, N], (i, j) => {
      const both = cast(weights(j, k.floorDiv(2)), "i32");
      const value = select(k.mod(2).eq(0), both.mod(16), both.floorDiv(16)).sub(8);
      return sum(rows(i, k).mul(cast(value, "f32").mul(scale(j, k.floorDiv(group)))), k);
    });
  });

const suite: SuiteName = "rows";

const works = (kind: string, of: (shape: Shape) => Op, call: string, shapes: readonly Shape[]): readonly Work[] =>
  shapes.map((shape) => ({
    suite,
    name: [shape.join("×"), ...(kind ? [kind] : [])].join(", "),
    op: of(shape),
    call: { name: call, extents: shape },
  }));

const all: readonly Work[] = [
  ...works(
    "",
    floats,
    "rows-f32",
    [1, 2, 4, 8, 16, 32, 64].map((M): Shape => [M, 1024, 1024]),
  ),
  ...works("", floats, "rows-f32", [
    [4, 4096, 1024],
    [16, 768, 3072],
    [128, 64, 768],
  ]),
  ...works("bytes", bytes, "rows-q8", [
    [1, 1024, 1024],
    [8, 1024, 1024],
  ]),
  ...works("half bytes", halfBytes, "rows-q4", [[1, 1024, 1024]]),
];

export const rowWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { rows: all };
