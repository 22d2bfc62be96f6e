// A rule of one's own, as docs/rules.md shows it.

import { expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import softmax from "../../fixtures/ops/softmax.op.ts";
import { explain, predictSchedule, rules } from "../../src/api.ts";

const { decide, instruct, instructWhen, is, tunable } = rules;

/** Rows in blocks, nothing else: what a user might try first. */
const rowBlocks: rules.SpaceRule = {
  name: "row-blocks",
  applies: (stage) => stage.name === "C" && stage.reduce.length === 1,
  apply: (draft) => [
    instruct(tunable(decide(draft, "rows of C in blocks"), "rows", [2, 4, 8]), {
      kind: "split",
      loop: "C.i",
      factors: [0, { tunable: "rows" }],
      tail: "cut",
    }),
  ],
};

const options = { target: "wasm", parameters: { M: 30, N: 20, K: 10 }, rules: [rowBlocks] } as const;

test("it is asked before ours", () => {
  const { template, assignment } = predictSchedule(gemm, options);
  expect(template).toBe("rows of C in blocks");
  expect([2, 4, 8]).toContain(assignment.rows);
  expect(explain(gemm, options)).toContain(`split C.i [0, ${assignment.rows}] cut`);
});

/** What ours make, with hints for the tile of the result that comes next. */
const ahead: rules.SpaceRule = {
  name: "ahead",
  applies: (stage) => stage.name === "C" && stage.reduce.length === 1,
  apply: (draft, stage, { otherwise }) =>
    otherwise(draft, stage.name).map((tiled) =>
      instructWhen(tunable(tiled, "ahead", [1]), [is("ahead", 1)], {
        kind: "prefetch",
        buffer: "C",
        loop: "C.i.1",
        distance: { tunable: "ahead" },
      }),
    ),
};

test("it adds a decision to what ours make", () => {
  const native = { target: "avx2", parameters: { M: 96, N: 96, K: 64 } } as const;
  const hinted = { ...native, rules: [ahead] };
  const { template, assignment } = predictSchedule(gemm, hinted);
  expect({ template, names: Object.keys(assignment).sort() }).toEqual({
    template: predictSchedule(gemm, native).template,
    names: ["ahead", ...Object.keys(predictSchedule(gemm, native).assignment)].sort(),
  });
  expect(explain(gemm, hinted)).toContain("\nprefetch C at C.i.1 distance 1");
});

test("where it does not apply, ours do", () => {
  const softmaxOptions = { target: "wasm", rules: [rowBlocks] } as const;
  expect(explain(softmax, softmaxOptions)).toBe(explain(softmax, { target: "wasm" }));
});
