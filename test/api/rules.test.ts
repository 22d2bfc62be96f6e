// A rule of one's own, as docs/rules.md shows it.

import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import softmax from "../../fixtures/ops/softmax.op.ts";
import { explain, predictSchedule, rules, template, tune } from "../../src/api/index.ts";

const { atMost, decide, instruct, instructWhen, is, tunable } = rules;

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

const options = { target: "wasm", parameters: { M: 30, N: 20, K: 30 }, rules: [rowBlocks] } as const;

test("it is asked before ours", () => {
  const { template, assignment } = predictSchedule(gemm, options);
  expect(template).toBe("rows of C in blocks");
  expect([2, 4, 8]).toContain(assignment.rows);
  expect(explain(gemm, options)).toContain(`split C.i [0, ${assignment.rows}] cut`);
});

/** Adds a choice to the templates of our own rules: a prefetch of the result's next tile. */
const ahead: rules.SpaceRule = {
  name: "ahead",
  alongside: true,
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

describe("a rule that makes what a search cannot tell or records cannot keep", () => {
  const making = (...drafts: readonly ((draft: rules.Draft) => rules.Draft)[]): rules.SpaceRule => ({
    name: "wrong",
    applies: (stage) => stage.name === "C",
    apply: (draft) => drafts.map((make) => make(draft)),
  });
  const rows = (draft: rules.Draft, values: readonly number[] = [2, 4]): rules.Draft => tunable(draft, "rows", values);
  const split = { kind: "split", loop: "C.i", factors: [0, { tunable: "rows" }], tail: "cut" } as const;
  const byHand = template("plain", (t) => t.unroll("C.j"));

  test.each([
    ["two drafts of one name", making(rows, rows), 'template.twice: there are two templates "plain"'],
    [
      "a name that records do not take",
      making((draft) => decide(draft, 'the "best"')),
      'template.bad-name: "the \\"best\\"" is no name',
    ],
    [
      "a decision that is there",
      making((draft) => rows(rows(draft))),
      'template.twice: "plain" has two decisions rows',
    ],
    [
      "a half",
      making((draft) => rows(draft, [0.5, 1])),
      "template.bad-values: rows has the values [0.5, 1], integers from 0 on are wanted",
    ],
    [
      "an instruction with a decision of nobody",
      making((draft) => instruct(draft, split)),
      'template.no-such-decision: split takes the decision rows, which "plain" does not have',
    ],
  ])("%s", (_, rule, message) => {
    expect(() => predictSchedule(gemm, { ...options, rules: [rule] })).toThrow(message);
  });

  test("one of one's own beside one of the rules of the same name", () => {
    const both = { ...options, rules: [making((draft) => draft)], templates: ["generated", byHand] } as const;
    expect(() => predictSchedule(gemm, both)).toThrow('template.twice: there are two templates "plain"');
  });
});

test("a template that holds nothing stands beside one that does", async () => {
  const rule: rules.SpaceRule = {
    name: "some",
    applies: (stage) => stage.name === "C",
    apply: (draft) => [tunable(decide(draft, "none"), "rows", []), decide(draft, "one")],
  };
  const small = { ...options, parameters: { M: 4, N: 4, K: 26 }, rules: [rule] };
  expect(await tune(gemm, { ...small, budget: { seconds: 600 } })).toMatchObject({
    schedule: { template: "one", assignment: {} },
    measured: 1,
  });
});

test("of a space that is empty, explain names the limits that clash, and only those", () => {
  const impossible: rules.SpaceRule = {
    ...rowBlocks,
    apply: (draft, stage, context) =>
      rowBlocks
        .apply(draft, stage, context)
        .map((it) => atMost(atMost(it, "rows", 6, "rows of i are few"), "rows", 1, "rows of i fit the registers")),
  };
  expect(explain(gemm, { ...options, rules: [impossible] })).toContain(
    [
      "predicted schedule",
      "no schedule satisfies all limits",
      "no schedule satisfies all of these:",
      "  - rows of i fit the registers",
    ].join("\n"),
  );
});
