// Templates of one's own, as docs/templates.md shows them.

import { expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import {
  type AuthoredTemplate,
  DiagnosticError,
  explain,
  handSchedule,
  predictSchedule,
  template,
  tune,
} from "../../src/api/index.ts";
import { codes } from "../../src/compiler/index.ts";

const tiled = template("tiled gemm", (t) => {
  const [, i1] = t.samplePerfectTile("C.i", { parts: 2, maxInnermost: 8 });
  const [, j1] = t.samplePerfectTile("C.j", { parts: 2, maxInnermost: 4 });
  t.split("C.i", [0, i1]);
  t.split("C.j", [0, j1, t.lanes("f32")], "cut");
  t.reorder(["C.i.0", "C.j.0", "C.k", "C.i.1", "C.j.1", "C.j.2"]);
  t.cacheWrite("C", "C.j.0");
  t.vectorize("C.j.2");
  t.unroll("C.j.1");
  t.unroll("C.i.1");
  t.atMost(t.product(i1, j1), 12, "the sums fit the registers");
});

const options = { target: "wasm", parameters: { M: 24, N: 32, K: 30 } } as const;

test("a template stands in the place of the generated ones, or beside them", () => {
  const { template: name, assignment } = predictSchedule(gemm, { ...options, templates: [tiled] });
  expect(name).toBe("tiled gemm");
  expect(assignment["C.i.tile.1"]! * assignment["C.j.tile.1"]!).toBeLessThanOrEqual(12);
  const own = /^ {2}(.*): \d+ tunables/gm;
  const names = (templates: Parameters<typeof explain>[1]["templates"]): readonly string[] =>
    [...explain(gemm, { ...options, ...(templates && { templates }) }).matchAll(own)].map((match) => match[1]!);
  expect(names([tiled])).toEqual(["tiled gemm"]);
  expect(names(["generated", tiled])).toEqual([...names(undefined), "tiled gemm"]);
});

test("a tuning of a template measures real kernels", async () => {
  const tuned = await tune(gemm, { ...options, templates: [tiled], budget: { trials: 6, seconds: 600 } });
  expect(tuned).toMatchObject({ schedule: { template: "tiled gemm" }, measured: 6, failed: 0 });
});

test("a schedule by hand is a space of one candidate", async () => {
  const byHand = handSchedule("rows", [
    { kind: "split", loop: "C.i", factors: [0, 4], tail: "cut" },
    { kind: "unroll", loop: "C.i.1" },
  ]);
  const tuned = await tune(gemm, { ...options, templates: [byHand], budget: { seconds: 600 } });
  expect(tuned).toMatchObject({ schedule: { template: "rows", assignment: {} }, measured: 1, failed: 0 });
});

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof DiagnosticError) expect(codes).toHaveProperty([error.diagnostic.code]);
    if (error instanceof DiagnosticError) return error.message.replace(`${process.cwd()}/`, "");
    throw error;
  }
  throw new Error("nothing was refused");
};

// Above what is expected of them: the lines count.
const wrong = template("wrong", (t) => t.samplePerfectTile("C.x", { parts: 2 }));
const illegal = template("illegal", (t) => {
  t.split("C.i", [5, 5]);
});
const empty = template("empty", (t) => {
  const [, i1] = t.samplePerfectTile("C.i", { parts: 2 });
  t.split("C.i", [0, i1]);
  t.atMost(10, i1, "rows are worth their while");
  t.atMost(t.product(i1, 4), 40, "the sums fit the registers");
});
const same = template("tiled gemm", () => undefined);
const foreign = { tunable: "rows" };
const borrowing = template("borrowing", (t) => t.split("C.i", [0, foreign]));
const twice = template("twice", (t) => {
  t.sampleCategorical("rows", [1, 2]);
  t.sampleCategorical("rows", [3]);
});
const badValues = template("bad values", (t) => t.sampleCategorical("rows", [1, 2.5]));
const badTile = template("bad tile", (t) => t.samplePerfectTile("C.i", { parts: 0 }));
const badName = (): AuthoredTemplate => template('a "quoted" name', () => undefined);
const badWay = template("bad way", (t) => void t.choose("way", ["one", "one"]));
const badWayName = template("bad way name", (t) => void t.choose("way", ["", "one"]));
const noAlgorithm = template("no algorithm", () => undefined, { algorithm: "winograd F(2,3)" });

const told = (...templates: readonly AuthoredTemplate[]): string =>
  refusal(() => explain(gemm, { ...options, templates }));

test("mistakes are told at the author's line", () => {
  expect(told(wrong)).toMatchInlineSnapshot(`
    "template.unknown-extent: the extent of C.x is not known
      test/api/templates.test.ts:68:42
      hint: known are C.i, C.j, C.k"
  `);
  expect(told(illegal)).toMatchInlineSnapshot(`
    "split.not-divisible: factors 5 × 5 make 25, the loop has 24
      test/api/templates.test.ts:70:5
     ▶ for C.i in 0..24
         for C.j in 0..32
           for C.k in 0..30
             block C (i = C.i in 0..24, j = C.j in 0..32, reduce k = C.k in 0..30)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: use tail: "mask" or "cut", or factors that multiply to 24"
  `);
  expect(told(empty)).toMatchInlineSnapshot(`
    "space.empty: no schedule of "empty" satisfies all limits
      test/api/templates.test.ts:72:15
    no schedule satisfies all of these:
      - rows are worth their while
      - the sums fit the registers"
  `);
  expect(told(tiled, same)).toMatchInlineSnapshot(`
    "template.twice: there are two templates "tiled gemm"
      test/api/templates.test.ts:78:14"
  `);
  expect(told(borrowing)).toMatchInlineSnapshot(`
    "template.no-such-decision: split takes the decision rows, which this template does not have
      test/api/templates.test.ts:80:50"
  `);
  expect(told(twice)).toMatchInlineSnapshot(`
    "template.twice: there are two decisions rows
      test/api/templates.test.ts:83:5
      hint: give one of them another name"
  `);
  expect(told(badValues)).toMatchInlineSnapshot(`
    "template.bad-values: rows has the values [1, 2.5], different integers from 0 on are wanted
      test/api/templates.test.ts:85:51"
  `);
  expect(told(badTile)).toMatchInlineSnapshot(`
    "template.bad-tile: parts is 0, an integer from 1 on is wanted
      test/api/templates.test.ts:86:47"
  `);
  expect(refusal(badName)).toMatchInlineSnapshot(`
    "template.bad-name: "a \\"quoted\\" name" is no name: 1 to 2000 printable ASCII characters, without quotes and backslashes
      test/api/templates.test.ts:87:41"
  `);
  expect(told(badWay)).toMatchInlineSnapshot(`
    "template.bad-values: way has the ways [one, one], different ones are wanted
      test/api/templates.test.ts:88:50"
  `);
  expect(told(badWayName)).toMatchInlineSnapshot(`
    "template.bad-name: "" is no name: 1 to 400 printable ASCII characters, without quotes and backslashes
      test/api/templates.test.ts:89:59"
  `);
  expect(told(noAlgorithm)).toMatchInlineSnapshot(`
    "template.no-such-algorithm: kernel is not computed by winograd F(2,3)
      test/api/templates.test.ts:90:21
      hint: leave the algorithm out: there is one"
  `);
});
