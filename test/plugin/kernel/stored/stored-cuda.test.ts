// Launches of kernels for CUDA in the store: whatever is generated is read back as it was written.

import { expect, test } from "vitest";
import { shapesIn } from "../../../../src/plugin/kernel/stored/stored-cuda.ts";
import { textBlob } from "../../../../src/tuner/store/blobs.ts";
import { drawn, kernelOf, productOfGroups, productsOfGroups, sourcesOf } from "../../../gpu/sweep/kernels-on-cpu.ts";

type Written = Pick<ReturnType<typeof kernelOf>["source"], "launches" | "scratch">;

const stored = ({ launches, scratch }: Written) => {
  const run = { launches, scratch: scratch.map(({ bytes }) => bytes) };
  return { architecture: "sm_90a", run, prepare: null };
};

const readBack = (kernel: Written) => shapesIn(textBlob(JSON.stringify(stored(kernel))));

test.each(Object.keys(productsOfGroups) as (keyof typeof productsOfGroups)[])("a product %s", (way) => {
  const { op, trace } = productOfGroups(way);
  const { source } = kernelOf(op, trace);
  expect(readBack(source)).toEqual(stored(source));
});

test.each(["softmax, long", "gemm of whole tiles"])("%s", (title) => {
  for (const source of sourcesOf(drawn(title))) expect(readBack(source)).toEqual(stored(source));
});

test("what is no launch is not read", () => {
  const { op, trace } = productOfGroups("in clusters");
  const { launches, scratch } = kernelOf(op, trace).source;
  const withFirst = (changed: object): Written =>
    ({ launches: launches.map((launch) => ({ ...launch, ...changed })), scratch }) as Written;
  for (const changed of [{ cluster: 1 }, { cluster: 9 }, { cluster: "2" }, { other: 1 }, { grid: [1, 1] }])
    expect(readBack(withFirst(changed))).toBeNull();
});
