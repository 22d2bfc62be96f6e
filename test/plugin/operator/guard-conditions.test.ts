// Checks around conditions: where they are put into the code of a bundle, and that positions of errors are those of the file.

import { describe, expect, test } from "vitest";
import { guardConditions, guardName, inserted } from "../../../src/plugin/operator/guard-conditions.ts";
import { build, printedError } from "../../support/op-file.ts";

/** The code with its checks, `$` for their name. */
async function guarded(code: string): Promise<string> {
  return inserted(code, await guardConditions(code)).replaceAll(guardName, "$");
}

const cases: Readonly<Record<string, readonly [code: string, guarded: string]>> = {
  "a call": ["f(x) ? 1 : 0;", '$(f(x), "?:", f) ? 1 : 0;'],
  "a method of expressions": ["if (x.gt(1)) y();", 'if ($(x.gt(1), "if", true)) y();'],
  "a method of something else": ["if (list.includes(1)) y();", 'if ($(list.includes(1), "if", list.includes)) y();'],
  "a call of what the bundle imports": ["(0, op.gt)(x, 1) && y;", '$((0, op.gt)(x, 1), "&&", (0, op.gt)) && y;'],
  "an axis of a compute": [
    'compute("C", [N], (i) => i === 0 ? 1 : i);',
    'compute("C", [N], (i) => $(i, "===", true) === 0 ? 1 : i);',
  ],
  "a constant with the value of a call": [
    "{ const inside = x.ge(0); inside || y; }",
    '{ const inside = x.ge(0); $(inside, "||", true) || y; }',
  ],
  "both sides of && in a condition": ["while (f(x) && g(x)) {}", 'while ($(f(x), "&&", f) && $(g(x), "while", g)) {}'],
  "both results of a choice in a condition": [
    "if (n ? f(x) : g(x)) {}",
    'if (n ? $(f(x), "if", f) : $(g(x), "if", g)) {}',
  ],
  "not, in a condition": ["if (!f(x)) {}", 'if (!$(f(x), "!", f)) {}'],
  "the head of a for": ["for (let n = 0; f(n); n++) {}", 'for (let n = 0; $(f(n), "for", f); n++) {}'],
  "a switch": ["switch (f(x)) {}", 'switch ($(f(x), "switch", f)) {}'],
};

describe("a check is put around", () => {
  test.each(Object.entries(cases))("%s", async (_, [code, wanted]) => {
    expect(await guarded(code)).toBe(wanted);
  });
});

const left: Readonly<Record<string, string>> = {
  "a parameter of a helper": "const act = (x, bias) => bias ? x.add(bias) : x;",
  "an axis of a compute that another function shadows": 'compute("C", [N], (i) => [1].map((i) => i ? 1 : 0));',
  "a variable that changes": "let total = f(x); total = total ? g(total) : x;",
  "a constant that is one of two": "{ const x = n ? f(1) : null; if (x) {} }",
  "a constant whose function goes by another name where it is asked for":
    "{ const x = f(1); { const f = 2; if (x) {} } }",
  "a name in a pattern": "{ const { x } = f(1); if (x) {} }",
  "a variable of a loop": "for (const x of f(1)) if (x) {}",
  "an optional call": "if (f?.(x)) {} if (x?.gt(1)) {}",
  "a comparison with nothing": "f(x) === undefined || f(x) === null || f(x) !== void 0;",
  "??": "f(x) ?? 0;",
  "code that is not understood": "if (f(x)) { new syntax here }",
  "code without conditions": 'compute("C", [N], (i) => A(i).add(1));',
};

describe("no check is put around", () => {
  test.each(Object.entries(left))("%s", async (name, code) => {
    // In a comparison with nothing, || has two sides that are comparisons.
    expect(await guarded(code), name).toBe(code);
  });
});

test("an error behind checks of the same line has its own place", async () => {
  const text = `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 4 }, ({ N }) => {
  const A = tensor("A", [N], "f32");
  return compute("B", [N], (i) => ([N].includes(4) && !isNaN(N) ? A(i) : A(0)).add(A(i) * 2));
});`;
  expect(await printedError(() => build(text))).toMatchInlineSnapshot(`
    "expr.javascript-operator: JavaScript's * is used on an expression of type f32
      src/x.op.ts:4:89
       4 |   return compute("B", [N], (i) => ([N].includes(4) && !isNaN(N) ? A(i) : A(0)).add(A(i) * 2));
         |                                                                                         ^
      hint: write x.mul(y), or mul(x, y)"
  `);
});

test("the names of axes are those of the file", async () => {
  const { stages } = await build(`import { compute, defineOp, tensor } from "unplugin-kernel/op";
const flag = () => true;
export default defineOp({ N: 4 }, ({ N }) => {
  const A = tensor("A", [N, N], "f32");
  return compute("B", [N, N], (row, column = flag() ? row : row) => A(row, column));
});`);
  expect(stages.map(({ axes }) => axes.map(({ name }) => name))).toEqual([["row", "i1"]]);
});
