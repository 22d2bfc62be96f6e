import { expect, test } from "vitest";
import { instantiateTemplate, type TemplateInstruction } from "../../../src/compiler/index.ts";

const template: readonly TemplateInstruction[] = [
  {
    instruction: { kind: "split", loop: "C.i", factors: [0, { tunable: "rows" }], tail: "cut" },
    when: [{ tunable: "tail", oneOf: [0, 2] }],
  },
  {
    instruction: { kind: "split", loop: "C.i", factors: [0, { tunable: "rows" }], tail: "mask" },
    when: [{ tunable: "tail", oneOf: [1] }],
  },
  {
    instruction: {
      kind: "cache-read",
      buffer: "A",
      loop: "C.i.0",
      layout: [
        { dim: 0, part: "outer", tile: { tunable: "rows" } },
        { dim: 1, part: "whole", tile: 1 },
        { dim: 0, part: "inner", tile: { tunable: "rows" } },
      ],
    },
    when: [],
  },
  { instruction: { kind: "unroll", loop: "C.i.1" }, when: [] },
];

test.each([
  [0, "cut"],
  [1, "mask"],
  [2, "cut"],
])("the split of tail %i is %s", (tail, strategy) => {
  expect(instantiateTemplate(template, { rows: 6, tail })).toEqual([
    { kind: "split", loop: "C.i", factors: [0, 6], tail: strategy },
    {
      kind: "cache-read",
      buffer: "A",
      loop: "C.i.0",
      layout: [
        { dim: 0, part: "outer", tile: 6 },
        { dim: 1, part: "whole", tile: 1 },
        { dim: 0, part: "inner", tile: 6 },
      ],
    },
    { kind: "unroll", loop: "C.i.1" },
  ]);
});

test("how far ahead may be a tunable", () => {
  const distance = { tunable: "ahead", times: 2 };
  const instruction = { kind: "prefetch", buffer: "B", loop: "C.k", distance } as const;
  const when = [{ tunable: "ahead", oneOf: [1, 4] }];
  expect(instantiateTemplate([{ instruction, when }], { ahead: 4 })).toEqual([{ ...instruction, distance: 8 }]);
  expect(instantiateTemplate([{ instruction, when }], { ahead: 0 })).toEqual([]);
});

test("no value for a tunable", () => {
  expect(() => instantiateTemplate(template, { tail: 0 })).toThrow("the assignment has no value for rows");
});
