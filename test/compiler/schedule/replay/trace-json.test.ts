import { readFileSync } from "node:fs";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import {
  codes,
  fromCompute,
  type Instruction,
  parseTrace,
  printDiagnostic,
  printFunc,
  schedule,
  traceSchema,
  traceToJson,
} from "../../../../src/compiler/index.ts";
import { primitives } from "../../../../src/compiler/schedule/primitive/index.ts";
import { everyInstruction } from "../../../support/every-instruction.ts";
import { drawInstruction } from "../../../support/random-instruction.ts";
import { drawCase, isIllegal } from "../../../support/random-schedule.ts";
import { gemm, twoGemms } from "../nests.ts";

const parsed = (text: string) => {
  const result = parseTrace(text);
  if (result.kind === "malformed") throw new Error(printDiagnostic(result.diagnostic));
  return result.trace;
};

property.prop([fc.nat(10_000)], { numRuns: 40 })("a trace, written and read, replays to the same nest", (number) => {
  const { definition, trace, scheduled } = drawCase(3, number);
  if (isIllegal(scheduled)) throw new Error(printDiagnostic(scheduled));
  const again = parsed(traceToJson(trace));
  expect(again).toEqual(trace);
  expect(printFunc(schedule(fromCompute(definition), again))).toBe(printFunc(scheduled));
});

property.prop([fc.constantFrom(gemm(), twoGemms), fc.nat()])("any instruction comes back", (nest, seed) => {
  const trace = [drawInstruction(nest, seed)];
  expect(parsed(traceToJson(trace))).toEqual(trace);
});

test("fields that may be left out, and threads", () => {
  const trace = [
    { kind: "unroll", loop: "C.k" },
    { kind: "unroll", loop: "C.k", depth: 4 },
    { kind: "bind", loop: "C.i", axis: "threadIdx.y" },
  ] as const;
  expect(parsed(traceToJson(trace))).toEqual(trace);
});

test("every kind of instruction comes back", () => {
  expect(parsed(traceToJson(everyInstruction))).toEqual(everyInstruction);
});

test("a text of schema 1, a list without a number, is read as it was meant", () => {
  const old = readFileSync(new URL("../../../../fixtures/records/trace-schema-1.json", import.meta.url), "utf8");
  const trace = parsed(old);
  expect(trace).toEqual(everyInstruction);
  expect(JSON.parse(traceToJson(trace))).toEqual({ schema: traceSchema, trace: JSON.parse(old) });
});

test.each<[unknown, string]>([
  [
    { schema: 3, trace: [] },
    "trace.unknown-schema: a trace of schema 3, this version reads 1 to 2\n  hint: a later version of unplugin-kernel wrote it",
  ],
  [{ schema: 0, trace: [] }, "trace.unknown-schema: a trace of schema 0, this version reads 1 to 2"],
  [{ schema: 1.5, trace: [] }, "trace.unknown-schema: a trace of schema 1.5, this version reads 1 to 2"],
  [{ trace: [] }, "trace.malformed: a trace without a schema number"],
  [{ schema: "2", trace: [] }, "trace.malformed: a trace without a schema number"],
  [null, "trace.malformed: a trace without a schema number"],
  [{ schema: 2 }, "trace.malformed: trace is nothing, a list is wanted"],
  [{ schema: 2, trace: [], names: {} }, "trace.malformed: a trace has no field names"],
  [{ schema: 2, trace: [{ kind: "unroll" }] }, "trace.malformed: trace[0] has no loop"],
])("%j", (value, message) => {
  const result = parseTrace(JSON.stringify(value));
  expect(result.kind === "malformed" && printDiagnostic(result.diagnostic)).toBe(message);
  expect(result.kind === "malformed" && codes).toHaveProperty([message.slice(0, message.indexOf(":"))]);
});

test("one instruction a line", () => {
  expect(traceToJson([])).toBe('{"schema":2,"trace":[]}');
  expect(
    traceToJson([
      { kind: "split", loop: "C.i", factors: [0, 6], tail: "cut" },
      { kind: "unroll", loop: "C.i.1" },
    ]),
  ).toBe(`{"schema":2,"trace":[
  {"kind":"split","loop":"C.i","factors":[0,6],"tail":"cut"},
  {"kind":"unroll","loop":"C.i.1"}
]}`);
});

const split = { kind: "split", loop: "C.i", factors: [0, 6], tail: "cut" };
const layout = [{ dim: 0, part: "outer", tile: 4 }];
const pack = { kind: "cache-read", buffer: "A", loop: "C.i", layout };

test.each<[unknown, string]>([
  [[null], "trace[0] is null, an object is wanted"],
  [[{ loop: "C.i" }], "trace[0] has no kind"],
  [
    [{ ...split, kind: "fission" }],
    `trace[0].kind is "fission", one of ${Object.keys(primitives).join(", ")} is wanted`,
  ],
  [
    [{ ...split, kind: "constructor" }],
    `trace[0].kind is "constructor", one of ${Object.keys(primitives).join(", ")} is wanted`,
  ],
  [[split, { ...split, names: [] }], "trace[1] has the unknown field names"],
  [[{ kind: "split", loop: "C.i", tail: "cut" }], "trace[0] has no factors"],
  [[{ ...split, loop: 3 }], "trace[0].loop is 3, a name is wanted"],
  [[{ ...split, loop: "" }], 'trace[0].loop is "", a name is wanted'],
  [[{ ...split, factors: [1, 2.5] }], "trace[0].factors[1] is 2.5, an integer from 0 on is wanted"],
  [[{ ...split, factors: [-1] }], "trace[0].factors[0] is -1, an integer from 0 on is wanted"],
  [[{ ...split, factors: [1e300] }], "trace[0].factors[0] is 1e+300, an integer from 0 on is wanted"],
  [[{ ...split, factors: ["6"] }], 'trace[0].factors[0] is "6", an integer from 0 on is wanted'],
  [[{ ...split, factors: 6 }], "trace[0].factors is 6, a list is wanted"],
  [[{ ...split, tail: "pad" }], 'trace[0].tail is "pad", one of perfect, guard, cut, mask, shift is wanted'],
  [[{ kind: "unroll", loop: "C.i", depth: 0 }], "trace[0].depth is 0, an integer from 1 on is wanted"],
  [
    [{ kind: "prefetch", buffer: "B", loop: "C.k", distance: -1 }],
    "trace[0].distance is -1, an integer from 0 on is wanted",
  ],
  [[{ kind: "prefetch", buffer: "B", distance: 1 }], "trace[0] has no loop"],
  [
    [{ kind: "bind", loop: "C.i", axis: "warp" }],
    'trace[0].axis is "warp", one of blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z is wanted',
  ],
  [[{ ...pack, layout: [{ ...layout[0], tile: 0 }] }], "trace[0].layout[0].tile is 0, an integer from 1 on is wanted"],
  [
    [{ ...pack, layout: [{ dim: 0, part: "half", tile: 1 }] }],
    'trace[0].layout[0].part is "half", one of whole, outer, inner is wanted',
  ],
  [
    [{ kind: "set-scope", buffer: "P", scope: "stack" }],
    'trace[0].scope is "stack", one of input, output, workspace, group, register is wanted',
  ],
])("malformed: %j", (value, message) => {
  const result = parseTrace(JSON.stringify(value));
  expect(result.kind === "malformed" && printDiagnostic(result.diagnostic)).toBe(`trace.malformed: ${message}`);
});

test("no JSON", () => {
  const result = parseTrace("[{");
  expect(result.kind === "malformed" && result.diagnostic.code).toBe("trace.malformed");
  expect(codes).toHaveProperty(["trace.malformed"]);
});

test("what is parsed has the type of a trace", () => {
  const [first] = parsed('[{"kind":"unroll","loop":"C.k"}]');
  expect(first satisfies Instruction | undefined).toEqual({ kind: "unroll", loop: "C.k" });
});
