// Checks that every declaration has to pass: names, extents, shapes, the number of axes. Errors point to the user's
// line.

import { type Builder, currentBuilder, fail } from "./builder.ts";
import { inWords, isClass, isWhat } from "./describe.ts";

// Generated code keeps the user's names. Names with `__` are reserved in the languages that it is written in.
const identifier = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;

// i32 indices address that many elements.
const maxElements = 2 ** 31 - 1;

export const isIdentifier = (text: string | undefined): text is string => text !== undefined && identifier.test(text);

export function requireIdentifier(name: unknown, what: string): void {
  if (typeof name === "string" && isIdentifier(name)) return;
  fail("expr.bad-name", `${what} ${isWhat(name)}`, {
    hint: "letters, digits and _, neither a digit nor __ first",
  });
}

/** The name of a new tensor or compute. */
export function requireNewName(builder: Builder, name: string): void {
  requireIdentifier(name, "the name of a tensor");
  const before = [...builder.inputs, ...builder.stages].find((other) => other.name === name);
  if (!before) return;
  const note = before.loc ? `${name} is first declared at ${before.loc.file}:${before.loc.line}` : null;
  fail("expr.duplicate-name", `there are two tensors with the name ${name}`, { hint: "rename one of them", note });
}

const isExtent = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0;

export function requireExtent(extent: unknown, what: string): void {
  if (isExtent(extent)) return;
  fail("expr.bad-extent", `${what} ${isWhat(extent)}`, { hint: extentHint(extent) });
}

function extentHint(extent: unknown): string {
  const rule = "extents are positive integers";
  if (typeof extent === "string" && isExtent(Number(extent))) return `${rule}, and no text: ${Number(extent)}`;
  if (typeof extent === "object" && extent !== null && inWords in extent)
    return `${rule}, known before the kernel runs: a parameter, or a number worked out from parameters`;
  const unknown = [...(currentBuilder()?.unknownParameters ?? [])];
  if (Number.isNaN(extent) || extent === undefined) {
    if (unknown.length > 0) return `${rule}; the operator has no parameter ${unknown.join(", ")}`;
    return `${rule}; see what it is worked out from`;
  }
  return rule;
}

export function requireShape(name: string, shape: unknown): asserts shape is readonly number[] {
  if (!Array.isArray(shape)) {
    fail("expr.bad-extent", `the shape of ${name} ${isWhat(shape)}`, { hint: "a shape is an array of integers" });
  }
  for (const [dim, extent] of shape.entries()) requireExtent(extent, `dimension ${dim} of ${name}`);
  const elements = shape.reduce((product: number, extent: number) => product * extent, 1);
  if (elements <= maxElements) return;
  fail("expr.too-large", `${name} has ${elements} elements`, { hint: `a tensor has at most ${maxElements}` });
}

export const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

const words = ["no", "one", "two", "three", "four", "five", "six"];

export const countInWords = (n: number, one: string, many: string): string =>
  `${words[n] ?? n} ${n === 1 ? one : many}`;

/** Refuses a compute's function that names more axes than there are. It may leave out axes that it does not need. */
export function requireArity(name: string, shape: readonly number[], element: unknown): void {
  if (typeof element !== "function" || isClass(element)) {
    const hint = `compute("${name}", shape, (i, j) => …)`;
    fail("expr.not-an-expression", `the third argument of compute ${isWhat(element)}`, { hint });
  }
  if (element.length <= shape.length) return;
  const axes = count(element.length, "axis", "axes");
  const dimensions = count(shape.length, "dimension", "dimensions");
  fail("expr.shape-mismatch", `the function of ${name} takes ${axes}, ${name} has ${dimensions}`, {
    hint: `give the function one parameter for each dimension`,
  });
}

/** Refuses two axes of one name in a stage, spatial and reduce together. */
export function requireDistinct(names: readonly string[], stage: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  fail("expr.duplicate-name", `${stage} has two axes with the name ${twice}`, { hint: "rename one of them" });
}
