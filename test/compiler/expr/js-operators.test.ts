// Operators of JavaScript on expressions and tensors, where the language has methods: the full text that the author sees. And what
// looks like such a mistake and is none.

import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { build, printedError } from "../../support/op-file.ts";

const file = (
  lines: string,
): string => `import { compute, defineOp, gt, reduceAxis, select, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 8 }, ({ N }) => {
  const a = tensor("a", [N], "f32");
  const b = tensor("b", [N], "f32");
  const n = tensor("n", [N], "i32");
  const k = reduceAxis("k", N);
${lines}
});
`;

/** Operator whose element is `text`, on line 7. */
const element = (text: string): string => file(`  return compute("c", [N], (i) => ${text});`);

const mistakes: readonly string[] = [
  "a(i) + b(i)",
  "a(i) * 2",
  "2 * a(i)",
  "a(i - 1)",
  "a(i) / b(i)",
  "n(i) / 2",
  "n(i) % 2",
  "a(i) % 2",
  "a(i) ** 2",
  "n(i) ** 2",
  "n(i) << 1",
  "-a(i)",
  "+a(i)",
  "i > 2 ? a(i) : a(0)",
  "N > 2 && i >= 2 ? a(i) : b(i)",
  "a(i) == b(0) + 1",
  "a(i) ? b(i) : a(0)",
  "i.gt(2) ? a(i) : b(i)",
  "gt(i, 2) ? a(i) : b(i)",
  "a(i) && b(i)",
  "i.gt(2) && i.lt(4)",
  "a(i) || 0",
  "!a(i)",
  "!i.gt(2)",
  "a(i) === 0 ? a(i) : b(i)",
  "a(i) !== b(i)",
  "i === 0 ? a(i) : b(i)",
  "{ if (a(i)) return b(i); return a(i); }",
  "{ const inside = i.gt(2); return inside ? a(i) : b(i); }",
  "{ while (i.lt(4)) {} return a(i); }",
  "{ switch (i) { case 0: return a(i); } return b(i); }",
  "{ let x = a(i); x += b(i); return x; }",
  "{ let x = a(i); x++; return x; }",
  `a(\`\${i}\`)`,
  "String(a(i))",
  "Number(a(i))",
  "a[i]",
  `a[\`\${i}\`]`,
  "Math.exp(a(i))",
  "Math.max(a(i), 0)",
  "Math.sin(a(i))",
  "{ let y = a(i); for (let j = 0; j < k; j++) y = y.add(b(j)); return y; }",
  "a + b",
  "a(k * 2)",
  "a(i).add(\n    b(i) * 3,\n  )",
];

describe("the author's operator is named, with what to write", () => {
  test.each(mistakes)("%s", async (text) => {
    const message = await printedError(() => build(element(text)));
    expect(message.split(":")[0]).toBe("expr.javascript-operator");
    expect(message).toMatchSnapshot();
  });
});

/** Elements that use expressions as JavaScript's values, and rightly so. */
const right: readonly string[] = [
  "{ let total; for (const x of [a(i), b(i)]) total = total ? total.add(x) : x; return total.add(n(i).cast('f32')); }",
  "{ const maybe = (x?: any) => (x ? x.add(1) : a(i)); return maybe(b(i)).add(maybe()).add(n(i).cast('f32')); }",
  "{ const optional = () => b(i); const bias = optional(); return (bias ? a(i).add(bias) : a(i)).add(n(i).cast('f32')); }",
  "{ const s = sum(a(k), k); return s === undefined || s === null ? a(i) : s.add(b(i)).add(n(i).cast('f32')); }",
  "{ const x = a(i) ?? b(i); return x.add(b(i)).add(n(i).cast('f32')); }",
  "{ const all = [a(i), b(i)]; return (all.length > 1 && N !== 4 ? all[0] : all[1]).add(b(i)).add(n(i).cast('f32')); }",
  "{ const scale = a ? a(i) : b(i); return scale.add(b(i)).add(n(i).cast('f32')); }",
  "{ const seen = new Set([i]); return (seen.has(i) ? a(i) : b(i)).add(b(i)).add(n(i).cast('f32')); }",
  "[a(i), b(i), n(i).cast('f32')].reduce((x, y) => x.add(y))",
  "[a(i), b(i), n(i).cast('f32')].reduce((x, y) => (x && y ? x.add(y) : x))",
];

describe("values that may be there or not are asked for as in any JavaScript", () => {
  test.each(right)("%s", async (text) => {
    const { outputs } = await build(element(text));
    expect(outputs).toEqual(["c"]);
  });
});

describe("an expression that is looked at says what it computes", () => {
  /** Text that the operator hands out while it is built. */
  const shown = async (text: string): Promise<unknown> => {
    const handed: unknown[] = [];
    (globalThis as { show?: (value: unknown) => void }).show = (value) =>
      handed.push(inspect(value), JSON.stringify({ value }));
    await build(element(`{ globalThis.show(${text}); return a(i).add(b(i)).add(n(i).cast("f32")); }`)).finally(() =>
      Reflect.deleteProperty(globalThis, "show"),
    );
    return handed;
  };

  test("an expression", async () => {
    expect(await shown("a(i).mul(2).add(b(i))")).toEqual([
      "Expr<f32> a[i] * 2.0 + b[i]",
      '{"value":"a[i] * 2.0 + b[i]"}',
    ]);
  });

  test("a reduce axis", async () => {
    expect(await shown("k")).toEqual(["ReduceAxis k, 0 to 7", '{"value":"k"}']);
  });

  test("a tensor", async () => {
    expect(await shown("{ a }")).toEqual(["{ a: Tensor a: f32[8] }", '{"value":{"a":"a: f32[8]"}}']);
  });

  test("what is used many times is written once", async () => {
    const [text] = (await shown("Array.from({ length: 40 }).reduce((x) => x.mul(x), a(i))")) as [string];
    expect(text.length).toBeLessThan(2000);
    expect(text).toMatch(/^Expr<f32> let %0 = a\[i\] \* a\[i\]; /);
  });
});
