// Which copies a loop begins ahead: those into memory that holds nothing else than what an iteration copies.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { interpret, schedule, type Trace, webgpu } from "../../../../src/compiler/index.ts";
import { gemm, inputsOf, whole } from "../../schedule/nests.ts";

const nest = gemm(5, 7, 6);
const pack: Trace = [{ kind: "cache-read", buffer: "A", loop: "C.k", layout: [whole(1), whole(0)] }];
const inGroups: Trace = [
  { kind: "set-scope", buffer: "A.pack", scope: "group" },
  { kind: "bind", loop: "C.i", axis: "blockIdx.z" },
  { kind: "annotate", loop: "C.k", key: "stages", value: 3 },
];

test.each<readonly [string, Trace, number]>([
  ["a copy of one element, in three slots", [...pack, ...inGroups], 3],
  [
    "a double buffer, whose first tile is there before the loop: as it is",
    [...pack, { kind: "double-buffer", buffer: "A.pack" }, ...inGroups],
    2,
  ],
])("%s", (_, trace, elements) => {
  const flat = lower(schedule(nest, trace), { target: webgpu, numerics: "fast" });
  expect(flat.buffers.find(({ name }) => name === "A.pack")?.shape).toEqual([elements]);
  expect(interpret(flat, inputsOf(nest))).toEqual(interpret(nest, inputsOf(nest)));
});
