// The file of decisions: what is printed is read again, and anything else is refused with its lines.

import { describe, expect, test } from "vitest";
import { parseExchange, printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";

const decision = (digit: string, rest: Partial<SharedDecision> = {}): SharedDecision => ({
  key: digit.repeat(64),
  candidate: { template: "C tiled", assignment: { "C.i.register": 4, "C.k.steps": 2 } },
  source: "f".repeat(64),
  measured: { medianNs: 1500.5, gflops: 5.46, machine: "wasm 16B", toolchain: "wasm", trials: 12 },
  ...rest,
});
const decisions = [decision("a"), decision("b")];
const text = printExchange(decisions);

const problemsOf = (content: string): readonly string[] => {
  const parsed = parseExchange(content);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ line, why }) => `${line}: ${why}`);
};
/** The second line with a field of the decision replaced. */
const withField = (field: object): string => {
  const [header, line, ...rest] = text.split("\n");
  return [header, JSON.stringify({ ...JSON.parse(line!), ...field }), ...rest].join("\n");
};

test("the sizes that a decision was tuned for are kept, and may be missing", () => {
  const tunedFor = { class: "c".repeat(64), l1Bytes: 32_768, l2Bytes: 524_288, l3Bytes: 0 };
  const mixed = [decision("a", { tunedFor }), decision("b")];
  expect(parseExchange(printExchange(mixed))).toEqual({ kind: "ok", decisions: mixed });
});

test("what is printed is read, in one order", () => {
  expect(parseExchange(text)).toEqual({ kind: "ok", decisions });
  expect(printExchange(decisions.toReversed())).toBe(text);
  expect(text.split("\n")[0]).toBe('{"decisions":2,"format":"unplugin-kernel decisions","schema":1}');
  expect(parseExchange(printExchange([]))).toEqual({ kind: "ok", decisions: [] });
});

describe("what is not exactly such a file is refused, line by line", () => {
  const [header, first, second] = text.split("\n") as [string, string, string];

  test.each([
    ["empty", "", ["1: it is no JSON"]],
    [
      "another file",
      '{"schema":1,"kernels":{}}\n',
      ["1: kernels must be absent: the known fields are format, schema, decisions"],
    ],
    ["a later version", text.replace('"schema":1', '"schema":2'), ["1: schema must be 1"]],
    [
      "a count that is none",
      text.replace('"decisions":2', '"decisions":1e999'),
      ["1: decisions must be an integer in 0..1000000"],
    ],
    ["cut between lines", `${header}\n${first}\n`, ["2: the file ends here, with 1 of 2 decisions"]],
    ["cut in a line", text.slice(0, -20), ["3: it is no JSON", "3: the file ends within the line"]],
    [
      "a line too many",
      `${header}\n${first}\n${second}\n{}\n`,
      ["4: key must be a sha256 of 64 hex digits", "4: the file ends here, with 3 of 2 decisions"],
    ],
    ["a decision twice", `${header}\n${first}\n${first}\n`, ["3: its key stands in the file twice"]],
    ["two wrong lines", `${header}\n[]\nnull\n`, ["2: the value must be an object", "3: the value must be an object"]],
    ["a line without end", `${header}\n${" ".repeat(70_000)}\n${second}\n`, ["2: it has more than 65536 letters"]],
  ])("%s", (_, content, problems) => {
    expect(problemsOf(content)).toEqual(problems);
  });

  const measured = decisions[0]!.measured;
  test.each([
    ["a path for a key", { key: "../../../etc/passwd" }, "key must be a sha256 of 64 hex digits"],
    ["a digest that is none", { source: "F".repeat(64) }, "source must be a sha256 of 64 hex digits"],
    [
      "a field of somebody else",
      { run: "rm -rf" },
      "run must be absent: the known fields are key, candidate, source, measured, tunedFor",
    ],
    [
      "a name with control characters",
      { candidate: { template: "C\u001b[2J", assignment: {} } },
      "candidate.template must be text of at most 2000 plain characters",
    ],
    [
      "a huge decision",
      { candidate: { template: "C", assignment: { a: 2 ** 31 } } },
      "candidate.assignment.a must be an integer in 0..2147483647",
    ],
    ["no decisions", { candidate: { template: "C", assignment: [] } }, "candidate.assignment must be an object"],
    ["a prediction", { measured: null }, "measured must be an object"],
    [
      "caches of a size that none has",
      { tunedFor: { class: "c".repeat(64), l1Bytes: 0.5, l2Bytes: 1, l3Bytes: 1 } },
      "tunedFor.l1Bytes must be an integer in 0..1099511627776",
    ],
    [
      "caches of no class",
      { tunedFor: { class: "avx2", l1Bytes: 1, l2Bytes: 1, l3Bytes: 1 } },
      "tunedFor.class must be a sha256 of 64 hex digits",
    ],
    [
      "a time below zero",
      { measured: { ...measured, medianNs: -1 } },
      "measured.medianNs must be a number in 0..86400000000000",
    ],
    [
      "a time that is text",
      { measured: { ...measured, gflops: "9" } },
      "measured.gflops must be a number in 0..1000000000",
    ],
  ])("%s", (_, field, problem) => {
    expect(problemsOf(withField(field))).toEqual([`2: ${problem}`]);
  });

  test("fields that JavaScript's objects have anyway", () => {
    const line = first.replace("{", '{"__proto__":{"key":"x"},');
    expect(problemsOf(`${header}\n${line}\n${second}\n`)).toEqual([
      "2: __proto__ must be absent: the known fields are key, candidate, source, measured, tunedFor",
    ]);
  });

  test("not each of a million: after twenty the rest is not read", () => {
    const problems = problemsOf(`${header}\n${"\n".repeat(1_000_000)}`);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe("22: what follows was not read: too many lines are wrong");
  });
});
