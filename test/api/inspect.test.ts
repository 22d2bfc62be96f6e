// A schedule looked at, taken home and found again.

import { expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import {
  dump,
  findSchedule,
  handSchedule,
  inspect,
  mutate,
  parseSchedule,
  predictSchedule,
  saveSchedule,
  template,
} from "../../src/api/index.ts";

const rows = template("rows", (t) => {
  t.split("C.i", t.samplePerfectTile("C.i", { parts: 3, maxInnermost: 2 }));
  t.choose("inner", ["rows", "columns"], (inner) => {
    if (inner === "columns") t.reorder(["C.j", "C.i.2"]);
  });
  t.unroll("C.i.2");
});

const options = { target: "avx2", parameters: { M: 4, N: 2, K: 3 }, templates: [rows] } as const;
const schedule = { template: "rows", assignment: { "C.i.tile.0": 2, "C.i.tile.1": 1, "C.i.tile.2": 2, inner: 0 } };

test("expression, decisions, trace, TypeScript, loop nest and code", () => {
  const { text, code, passes, ...inspection } = inspect(gemm, schedule, options);
  expect(text.slice(0, text.indexOf("── code"))).toMatchInlineSnapshot(`
    "── expression ──────────────────────────────────────────────────────────────────
    kernel(A: f32[4, 3], B: f32[3, 2]) -> C
    C[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 4, j 2, k 3

    ── template ────────────────────────────────────────────────────────────────────
    rows

    ── decisions ───────────────────────────────────────────────────────────────────
    C.i.tile.0 = 2
    C.i.tile.1 = 1
    C.i.tile.2 = 2
    inner = rows

    ── trace ───────────────────────────────────────────────────────────────────────
    split C.i [2, 1, 2] perfect
    unroll C.i.2

    ── trace as TypeScript ─────────────────────────────────────────────────────────
    import { template } from "unplugin-kernel/api";

    export default template("rows", (t) => {
      t.split("C.i", [2, 1, 2]);
      t.unroll("C.i.2");
    });

    ── loop nest ───────────────────────────────────────────────────────────────────
    kernel_f32_4x2x3_avx2
      input     A: f32[4, 3]
      input     B: f32[3, 2]
      output    C: f32[4, 2]

    for C.i.0 in 0..2
      for C.i.1 in 0..1
        for C.i.2 in 0..2 unrolled
          for C.j in 0..2
            for C.k in 0..3
              block C (i = C.i.0 * 2 + (C.i.1 * 2 + C.i.2) in 0..4, j = C.j in 0..2, reduce k = C.k in 0..3)
                C[i, j] = 0.0 first
                C[i, j] += A[i, k] * B[k, j]

    "
  `);
  expect(text.endsWith(code)).toBe(true);
  const stages = dump(gemm, schedule, options);
  expect(code).toBe(stages.at(-1)!.text);
  expect(passes).toEqual(stages.filter(({ name }) => name.startsWith("06-")));
  expect(inspection.decisions).toEqual({ "C.i.tile.0": 2, "C.i.tile.1": 1, "C.i.tile.2": 2, inner: "rows" });
});

test("the trace without what does nothing", () => {
  expect(
    inspect(gemm, schedule, { ...options, simplify: true }).typescript,
  ).toBe(`import { template } from "unplugin-kernel/api";

export default template("rows", (t) => {
  t.split("C.i", [2, 2]);
  t.unroll("C.i.1");
});
`);
});

test("what is saved is found, and its trace is a schedule by hand", () => {
  const parsed = parseSchedule(saveSchedule(gemm, schedule, options));
  if (parsed.kind === "malformed") throw new Error(parsed.diagnostic.message);
  expect(findSchedule(gemm, parsed.saved, options)).toEqual({ kind: "found", candidate: schedule });
  const byHand = { ...options, templates: [handSchedule("rows by hand", parsed.saved.trace)] };
  const alone = predictSchedule(gemm, byHand);
  expect(inspect(gemm, alone, byHand).code).toBe(inspect(gemm, schedule, options).code);
});

test("one decision changes, and those that have to", () => {
  const other = mutate(gemm, schedule, { ...options, decision: "inner" });
  expect(other).toEqual({ ...schedule, assignment: { ...schedule.assignment, inner: 1 } });
  const { assignment } = mutate(gemm, schedule, { ...options, decision: "C.i.tile.2" })!;
  expect(assignment["C.i.tile.2"]).toBe(1);
  expect(assignment["C.i.tile.0"]! * assignment["C.i.tile.1"]!).toBe(4);
  expect(assignment.inner).toBe(0);
  expect(mutate(gemm, schedule, { ...options, decision: "columns" })).toBeNull();
  expect(mutate(gemm, { ...schedule, template: "columns" }, options)).toBeNull();
  expect(mutate(gemm, schedule, { ...options, seed: 3 })).not.toEqual(schedule);
});

test("a schedule of other templates", () => {
  expect(() => inspect(gemm, { ...schedule, template: "columns" }, options)).toThrowErrorMatchingInlineSnapshot(`
    [DiagnosticError: schedule.unknown: the space has no schedule with these decisions of "columns"
    its templates are
      rows
      hint: rules and templates have to be those that it was found with]
  `);
});
