import { expect, test } from "vitest";
import { primitiveOf } from "../../../../src/compiler/schedule/primitive/index.ts";
import { everyInstruction } from "../../../support/every-instruction.ts";

/** Names of fields whose value looks like a loop of the examples, or like a list of them. */
const loopLike = (instruction: object): readonly string[] =>
  Object.entries(instruction).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.some((it) => typeof it === "string" && /^[CD]\.[ijk]\b/.test(it)) ? [name] : [];
  });

test.each(everyInstruction)("$kind: its fields are those of the example, in the order of a call", (instruction) => {
  const { fields } = primitiveOf(instruction.kind);
  const { kind: _, ...values } = instruction;
  const own = fields.filter(({ name, isOptional }) => !isOptional || name in values);
  expect(Object.keys(values)).toEqual(own.map(({ name }) => name));
});

test.each(everyInstruction)("$kind: fields with loops say so", (instruction) => {
  const named = primitiveOf(instruction.kind).fields.filter(({ names }) => names !== null);
  // The example of hoist-storage names the place outside of all loops.
  const expected = instruction.kind === "hoist-storage" ? ["loop"] : loopLike(instruction);
  expect(named.map(({ name }) => name)).toEqual(expected);
});

test.each(everyInstruction)("$kind: only last fields may be left out, and what that means is a value", ({ kind }) => {
  const { fields } = primitiveOf(kind);
  expect(fields.slice(0, -1).filter(({ isNeeded }) => !isNeeded)).toEqual([]);
  const problems = fields.map(({ preset, check, name }) => (preset === undefined ? null : check(preset, name)));
  expect(problems.filter((it) => it !== null)).toEqual([]);
});

test("marks, and the one order", () => {
  const ofRole = (role: string) =>
    everyInstruction.map(({ kind }) => kind).filter((it) => primitiveOf(it).role === role);
  expect(ofRole("mark")).toEqual(["unroll", "vectorize", "bind", "annotate", "prefetch", "parallel"]);
  expect(ofRole("order")).toEqual(["reorder"]);
});
