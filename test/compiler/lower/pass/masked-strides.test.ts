// Lanes in strides of which the last ones lie behind the end of a buffer: runs of memory are loaded as far as the active lanes go, and no element
// behind these.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  authoring,
  fromCompute,
  generateWasm,
  instantiate,
  type LoopFunc,
  printStmt,
  replay,
  type TargetName,
  targets,
} from "../../../../src/compiler/index.ts";
import { fewer, rngOf } from "../../../support/long.ts";
import { referenceOf, wrongNest, wrongWasm } from "../../../support/reference.ts";

const { compute, defineOp, tensor } = authoring;
const names: readonly TargetName[] = ["avx2", "avx512", "wasm"];

interface Strides {
  readonly N: number;
  readonly stride: number;
  readonly lanes: number;
}

/** The largest of some neighbours, as far apart as the stride: the last result reads the last element. */
const inStrides = ({ N, stride }: Strides) =>
  defineOp({}, () => {
    const X = tensor("X", [N * stride], "f32");
    return compute("Y", [N], (i) => X(i.mul(stride)).max(X(i.mul(stride).add(stride - 1))));
  });

function flatOf(name: TargetName, { lanes, ...strides }: Strides): LoopFunc {
  const nest = fromCompute(instantiate(inStrides({ lanes, ...strides }), {}, "op"));
  const result = replay(nest, [
    { kind: "split", loop: "Y.i", factors: [0, lanes], tail: "mask" },
    { kind: "vectorize", loop: "Y.i.1" },
    { kind: "unroll", loop: "Y.i.0" },
  ]);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  return lower(result.nest, { target: targets[name], numerics: "fast" });
}

test("results are right, and no load leaves its buffer", () => {
  const rng = rngOf("masked strides");
  const wrong = Array.from({ length: fewer(60) }).flatMap((_, number) => {
    const name = names[number % names.length]!;
    const most = targets[name].backend === "wasm" ? 4 : 16;
    const strides = { N: 1 + rng.below(50), stride: 2 + rng.below(3), lanes: Math.min(most, 2 ** (1 + rng.below(4))) };
    const flat = flatOf(name, strides);
    const reference = referenceOf(instantiate(inStrides(strides), {}, "op"), rng);
    const problem =
      name === "wasm" ? wrongWasm(reference, generateWasm(flat, { relaxed: false })) : wrongNest(reference, flat);
    return problem ? [`${name} ${JSON.stringify(strides)}\n${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});

test("a last vector is picked from runs, too", () => {
  const text = printStmt(flatOf("avx512", { N: 28, stride: 2, lanes: 16 }).body);
  expect(text).toContain("pick(");
  expect(text).not.toContain("lanes(");
});
