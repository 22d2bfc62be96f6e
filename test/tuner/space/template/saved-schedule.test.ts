import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import gemmOp from "../../../../fixtures/ops/gemm.op.ts";
import { codes, instantiate, printDiagnostic, targets } from "../../../../src/compiler/index.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import { candidateTrace } from "../../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import type { TemplateBuilder } from "../../../../src/tuner/space/template/builder.ts";
import {
  findSchedule,
  type ParsedSchedule,
  parseSchedule,
  type SavedSchedule,
  savedSchedule,
  scheduleToJson,
} from "../../../../src/tuner/space/template/saved-schedule.ts";
import { handSchedule, template } from "../../../../src/tuner/space/template/template.ts";

const op = instantiate(gemmOp, { M: 12, N: 16, K: 10 }, "gemm");
const task: TuningTask = { op, target: targets.wasm, numerics: "fast", threads: 1 };

function body(t: TemplateBuilder): void {
  const rows = t.sampleCategorical("rows", [2, 4]);
  t.split("C.i", [0, rows], "cut");
  t.choose("order", ["rows first", "columns first"], (order) =>
    t.reorder(order === "rows first" ? ["C.i.0", "C.j"] : ["C.j", "C.i.0"]),
  );
  t.atMost(rows, 4, "few rows");
}

const space = generateSpace(task, [], [template("rows", body)]);
const candidate = { template: "rows", assignment: { rows: 4, order: 1 } };
const fixture = readFileSync(new URL("../../../../fixtures/records/schedule-schema-1.json", import.meta.url), "utf8");

const parsed = (text: string): SavedSchedule => {
  const result = parseSchedule(text);
  if (result.kind === "malformed") throw new Error(printDiagnostic(result.diagnostic));
  return result.saved;
};

test("what is saved is found again, by the names of decisions and ways", () => {
  const saved = savedSchedule(space, candidate)!;
  expect(scheduleToJson(saved)).toBe(`{"schema":1,
"template":"rows",
"algorithm":null,
"decisions":{"rows":4,"order":"columns first"},
"trace":{"schema":2,"trace":[
  {"kind":"split","loop":"C.i","factors":[0,4],"tail":"cut"},
  {"kind":"reorder","loops":["C.j","C.i.0"]}
]}}
`);
  expect(parsed(scheduleToJson(saved))).toEqual(saved);
  expect(findSchedule(space, saved)).toEqual({ kind: "found", candidate });
});

test("a text of an earlier version, its trace of schema 1", () => {
  expect(JSON.parse(fixture)).toMatchObject({ schema: 1, trace: [{ kind: "split" }, { kind: "reorder" }] });
  expect(findSchedule(space, parsed(fixture))).toEqual({ kind: "found", candidate });
});

test("other numbers of the ways do not matter", () => {
  const reversed = template("rows", (t) => {
    const rows = t.sampleCategorical("rows", [2, 4]);
    t.split("C.i", [0, rows], "cut");
    t.choose("order", ["columns first", "rows first"], (order) =>
      t.reorder(order === "rows first" ? ["C.i.0", "C.j"] : ["C.j", "C.i.0"]),
    );
  });
  const found = findSchedule(generateSpace(task, [], [reversed]), parsed(fixture));
  expect(found).toEqual({ kind: "found", candidate: { template: "rows", assignment: { rows: 4, order: 0 } } });
});

const changed = (name: string, write: (t: TemplateBuilder) => void): unknown =>
  findSchedule(generateSpace(task, [], [template(name, write)]), parsed(fixture));

test("a schedule that the space does not make any more, and its trace by hand", () => {
  const gone = (reason: string) => ({ kind: "gone", reason });
  expect(changed("columns", body)).toEqual(gone('there is no template "rows"'));
  expect(changed("rows", (t) => t.split("C.i", [0, 4], "cut"))).toEqual(gone('"rows" takes other decisions'));
  const fewer = (t: TemplateBuilder): void => {
    body(t);
    t.oneOf({ tunable: "rows" }, [2]);
  };
  expect(changed("rows", fewer)).toEqual(gone("the constraints forbid its decisions"));
  const more = (t: TemplateBuilder): void => {
    body(t);
    t.unroll("C.i.1");
  };
  expect(changed("rows", more)).toEqual(gone('"rows" makes another schedule of its decisions'));
  const { trace } = parsed(fixture);
  const byHand = generateSpace(task, [], [handSchedule("rows", trace, parsed(fixture))]);
  expect(candidateTrace(byHand, predict(byHand)!)).toEqual(trace);
});

const told = (result: ParsedSchedule): string => {
  if (result.kind === "ok") throw new Error("it is well-formed");
  expect(codes).toHaveProperty([result.diagnostic.code]);
  return printDiagnostic(result.diagnostic);
};

const whole = JSON.parse(fixture) as Readonly<Record<string, unknown>>;

test.each<[unknown, string]>([
  [[], "schedule.malformed: a schedule without a schema number"],
  [{ ...whole, schema: undefined }, "schedule.malformed: a schedule without a schema number"],
  [
    { ...whole, schema: 2 },
    "schedule.unknown-schema: a schedule of schema 2, this version reads 1\n  hint: a later version of unplugin-kernel wrote it",
  ],
  [{ ...whole, schema: 0 }, "schedule.unknown-schema: a schedule of schema 0, this version reads 1"],
  [
    { ...whole, seed: 1 },
    "schedule.malformed: seed must be absent: the known fields are schema, template, algorithm, decisions, trace",
  ],
  [{ ...whole, decisions: { rows: 1.5 } }, "schedule.malformed: decisions.rows must be an integer in 0..2147483647"],
  [{ ...whole, trace: undefined }, "trace.malformed: a trace without a schema number"],
  [{ ...whole, trace: [{ kind: "split" }] }, "trace.malformed: trace[0] has no loop"],
  [
    { ...whole, trace: { schema: 9, trace: [] } },
    "trace.unknown-schema: a trace of schema 9, this version reads 1 to 2\n  hint: a later version of unplugin-kernel wrote it",
  ],
])("%j", (value, message) => {
  expect(told(parseSchedule(JSON.stringify(value)))).toBe(message);
});

test("no JSON", () => {
  expect(told(parseSchedule("{"))).toMatch(/^schedule\.malformed: /);
});
