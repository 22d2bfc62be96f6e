// One file of records for plugin and program interface: what one has measured, the other does not measure again.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import { DiagnosticError, type Postprocessor, rules, type TuneOptions, template, tune } from "../../src/api/index.ts";
import { type KernelOptions, spaceOf, taskKeyOf, taskOf } from "../../src/api/task.ts";
import { codegenVersion } from "../../src/compiler/index.ts";
import type { TuningRecord } from "../../src/tuner/data/record.ts";
import { openDatabase } from "../../src/tuner/record/database.ts";
import { linesOf } from "../../src/tuner/record/merge.ts";
import { writeApp } from "../support/build-app.ts";
import { type CompileCase, compileIn } from "../support/compile-app.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const operator = readFileSync("fixtures/ops/gemm.op.ts", "utf8");
const withConstants = operator
  .replace("import { compute, ", "import { compute, withConstants, ")
  .replace("export default defineOp(", "export default withConstants(defineOp(")
  .replace(/\}\);\n$/, '}), "B");\n');

const parameters = { M: 8, N: 16, K: 8 };
const budget = { seconds: 600, trials: 4 };
const recordsIn = (root: string): string => join(root, "store/records.jsonl");
const all = { task: null, targetClass: null };
const recordsOf = (root: string) => openDatabase(recordsIn(root)).records(all);

const byApi = (root: string, more: Partial<TuneOptions> = {}) =>
  tune(gemm, { target: "wasm", parameters, budget, records: recordsIn(root), ...more });

const byPlugin = (root: string, more: CompileCase["request"] = {}) =>
  compileIn(root, { request: { parameters, budget, ...more } });

describe("what was measured of a task", () => {
  turn.each([
    ["as it is", operator, {}, {}],
    ["under strict numerics", operator, { numerics: "strict" }, { numerics: "strict" }],
    ["with a constant", withConstants, { constants: ["B"] }, {}],
  ] as const)("by program, %s, is known to the plugin, and the other way about", async (_, text, options, request) => {
    const root = writeApp({ "src/gemm.op.ts": text });
    const tuned = await byApi(root, options);
    expect(tuned.measured).toBe(4);
    const { kernel } = await byPlugin(root, request);
    expect(kernel).toMatchObject({ origin: "tuned", measurements: 0 });
    expect(recordsOf(root)).toHaveLength(4);
    const more = { seconds: 600, trials: 6 };
    expect((await byApi(root, { ...options, budget: more })).measured).toBe(2);
  });

  turn("by the plugin is known to a program", async () => {
    const root = writeApp({ "src/gemm.op.ts": operator });
    expect((await byPlugin(root)).kernel).toMatchObject({ origin: "tuned", measurements: 4 });
    expect(await byApi(root)).toMatchObject({ measured: 0 });
  });
});

describe("records of another code generator", () => {
  const rewrite = (root: string, change: (record: TuningRecord) => TuningRecord): void =>
    writeFileSync(recordsIn(root), linesOf(recordsOf(root).map(change)));

  turn.each([
    ["of another version", (record: TuningRecord): TuningRecord => ({ ...record, codegen: "0" })],
    ["that do not say", (record: TuningRecord): TuningRecord => ({ ...record, codegen: null })],
  ])("%s are no measurements of this one", async (_, change) => {
    const root = writeApp({ "src/gemm.op.ts": operator });
    const first = await byApi(root);
    expect(recordsOf(root).map(({ codegen }) => codegen)).toEqual(Array(4).fill(codegenVersion));
    rewrite(root, change);
    const again = await byApi(root);
    expect(again.measured).toBe(4);
    // They say where to begin.
    const [oldest] = recordsOf(root).slice(4);
    expect(oldest!.candidate).toEqual(fastestOf(recordsOf(root).slice(0, 4)));
    expect(first.measured).toBe(4);
    rmSync(join(root, "kernels.lock.json"), { force: true });
    rewrite(root, change);
    expect((await byPlugin(root)).kernel).toMatchObject({ origin: "tuned", measurements: 4 });
  });
});

const fastestOf = (records: readonly TuningRecord[]) => {
  const timeOf = ({ measurement }: TuningRecord) => (measurement.kind === "ok" ? measurement.timing.minNs : Infinity);
  return records.toSorted((a, b) => timeOf(a) - timeOf(b))[0]!.candidate;
};

describe("a key", () => {
  const { decide, instruct, tunable } = rules;
  const rowBlocks = (tail: "cut" | "guard"): rules.SpaceRule => ({
    name: "row-blocks",
    applies: (stage) => stage.name === "C",
    apply: (draft) => [
      instruct(tunable(decide(draft, "rows"), "rows", [2, 4]), {
        kind: "split",
        loop: "C.i",
        factors: [0, { tunable: "rows" }],
        tail,
      }),
    ],
  });
  const byHand = (factor: number) => template("by hand", (t) => t.split("C.i", [0, factor], "cut"));
  const keyOf = (more: Partial<KernelOptions> = {}): string => {
    const options: KernelOptions = { target: "wasm", parameters, ...more };
    const task = taskOf(gemm, options);
    return taskKeyOf(task, spaceOf(task, options), options);
  };

  test("is another where the decisions mean something else, and for what is computed otherwise", () => {
    const keys = [
      keyOf(),
      keyOf({ rules: [rowBlocks("cut")] }),
      keyOf({ rules: [rowBlocks("guard")] }),
      keyOf({ templates: [byHand(2)] }),
      keyOf({ templates: [byHand(4)] }),
      keyOf({ numerics: "strict" }),
      keyOf({ threads: 2 }),
      keyOf({ constants: ["B"] }),
      keyOf({ parameters: { ...parameters, M: 9 } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect([keyOf({ rules: [] }), keyOf({ target: "avx2" })]).toEqual([keys[0], keys[0]]);
  });
});

describe("what a postprocessor refuses", () => {
  const none: Postprocessor = { name: "none", apply: () => ({ kind: "refused", reason: "made to" }) };

  turn("is not recorded for tunings without it, and what was recorded without it does not win", async () => {
    const root = writeApp({ "src/gemm.op.ts": operator });
    await expect(byApi(root, { postprocessors: [none] })).rejects.toThrow(DiagnosticError);
    expect((await byApi(root)).measured).toBe(4);
    expect(recordsOf(root)).toHaveLength(4);
    await expect(byApi(root, { postprocessors: [none] })).rejects.toThrow("tune.nothing-ran");
  });
});
