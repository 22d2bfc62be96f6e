// Every mistake that the language finds, with the full text that the user sees.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codes, instantiate } from "../../../src/compiler/index.ts";
import { loadOp } from "../../../src/plugin/operator/load-op.ts";
import { build, inFolder, printedError } from "../../support/op-file.ts";

const seen = new Set<string>();

async function message(run: () => Promise<unknown>): Promise<string> {
  const text = await printedError(run);
  seen.add(text.slice(0, text.indexOf(":")));
  return text;
}

const head = `import * as op from "unplugin-kernel/op";
const { cast, compute, defineOp, max, reduceAxis, select, sum, tensor } = op;
export default defineOp({ M: 4, N: 8, K: 16, dtype: "f32" }, ({ M, N, K, dtype }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
`;

/** Error of a build for an operator whose function goes on with `lines`, from line 7 of the file. */
const says = (lines: string, overrides = {}): Promise<string> =>
  message(() => build(`${head}${lines}\n});\n`, overrides));

const cases: Readonly<Record<string, string>> = {
  "too many indices": `  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j, 0)), k));`,
  "too few indices": `  return compute("C", [M, N], (i, j) => sum(A(i).mul(B(k, j)), k));`,
  "too few indices, by two": `  return compute("C", [M, N], (i, j) => A());`,
  "more axes than dimensions": `  return compute("C", [M], (i, j) => sum(A(i, k).mul(B(k, j)), k));`,
  "unknown type of a tensor": `  const D = tensor("D", [M], "float32");`,
  "unknown type in a cast": `  return compute("C", [M, K], (i, j) => A(i, j).cast("i64"));`,
  "extent of zero": `  const D = tensor("D", [M, 0], "f32");`,
  "extent that is a fraction": `  const l = reduceAxis("l", M / 3);`,
  "shape that is no array": `  const D = tensor("D", M, "f32");`,
  "too many operations in a row": `  return compute("C", [M, K], (i, j) => {
    let y = A(i, j);
    for (let step = 0; step < 2001; step++) y = y.mul(0.5).add(1);
    return y;
  });`,
  "a sum of too many operations in a row": `  return compute("C", [M], (i) => {
    let y = A(i, k);
    for (let step = 0; step < 2001; step++) y = y.mul(0.5).add(1);
    return sum(y, k);
  });`,
  "too many elements": `  const D = tensor("D", [65536, 65536], "i8");`,
  "name that is no identifier": `  const D = tensor("D-1", [M], "f32");`,
  "reduce axis without a name": `  const l = reduceAxis(K);`,
  "two tensors of one name": `  const D = tensor("A", [M], "f32");`,
  "two axes of one name": `  return compute("C", [M, N], (i, k2) => {
    const l = reduceAxis("i", K);
    return sum(A(i, l).mul(B(l, k2)), l);
  });`,
  "two types in a product": `  return compute("C", [M, K], (i, j) => A(i, j).mul(j));`,
  "two types in a select": `  return compute("C", [M, K], (i, j) => select(i.lt(j), A(i, j), j));`,
  "two integer types": `  const D = tensor("D", [M], "i8");\n  return compute("C", [M], (i) => D(i).add(i));`,
  "division of integers": `  return compute("C", [M], (i) => i.div(2));`,
  "exp of an integer": `  return compute("C", [M], (i) => op.exp(i));`,
  "floorDiv of floats": `  return compute("C", [M, K], (i, j) => A(i, j).floorDiv(2));`,
  "and of numbers": `  return compute("C", [M, K], (i, j) => select(i.and(j), A(i, j), 0));`,
  "sum of a bool": `  return compute("C", [M], (i) => sum(A(i, k).gt(0), k));`,
  "less-than of bools": `  return compute("C", [M], (i) => i.gt(0).lt(i.lt(1)));`,
  "select by a number": `  return compute("C", [M, K], (i, j) => select(i, A(i, j), 0));`,
  "only plain numbers": `  return compute("C", [M], (i) => select(i.lt(2), 1, 0));`,
  "a plain number as the element": `  return compute("C", [M], (i) => 0);`,
  "a plain number in a sum": `  return compute("C", [M], (i) => sum(1, k));`,
  "a fraction for an integer": `  return compute("C", [M], (i) => i.add(0.5));`,
  "an integer out of range": `  const D = tensor("D", [M], "i8");\n  return compute("C", [M], (i) => D(i).add(200));`,
  "forgotten return": `  return compute("C", [M], (i) => { A(i, 0); });`,
  "a tensor without indices": `  return compute("C", [M, K], (i, j) => A(i, j).add(B));`,
  "a string as an operand": `  return compute("C", [M, K], (i, j) => max(A(i, j), "0"));`,
  "a number in quotes as an operand": `  return compute("C", [M, K], (i, j) => A(i, j).mul("0.5"));`,
  "a promise as the element": `  return compute("C", [M], async (i) => A(i, 0));`,
  "an object as an operand": `  return compute("C", [M, K], (i, j) => A(i, j).mul({ x: 1 }));`,
  "nothing as an operand": `  return compute("C", [M, K], (i, j) => A(i, j).mul());`,
  "no type for a tensor": `  const D = tensor("D", [M]);`,
  "the array of a type for a tensor": `  const D = tensor("D", [M], Float32Array);`,
  "an extent in quotes": `  const D = tensor("D", ["8"], "f32");`,
  "an extent that is no number": `  const D = tensor("D", [M * undefined], "f32");`,
  "an extent that is an expression": `  return compute("C", [M], (i) => sum(A(i, reduceAxis("l", i)), k));`,
  "an index that is a fraction": `  return compute("C", [M], (i) => A(i, K / 3));`,
  "an index that is not a number": `  return compute("C", [M], (i) => A(i, 0 / 0));`,
  "an element that is not a number": `  return compute("C", [M], (i) => 0 / 0);`,
  "a class for a function": `  return compute("C", [M], class {});`,
  "no reduce axis": `  return compute("C", [M], (i) => sum(A(i, k)));`,
  "no function": `  return compute("C", [M, K]);`,
  "index that is a float": `  return compute("C", [M, K], (i, j) => A(i, A(i, j)));`,
  "index that is a bool": `  return compute("C", [M, K], (i, j) => A(i, i.lt(j)));`,
  "index that is undefined": `  return compute("C", [M], (i) => A(i, undefined));`,
  "index too small": `  return compute("C", [M, K], (i, j) => A(i.sub(1), j));`,
  "index too large": `  return compute("C", [M, K], (i, j) => A(i, j.add(i)));`,
  "index out on both sides": `  return compute("C", [M, K], (i, j) => A(i, j.mul(2).sub(5)));`,
  "guard that is too weak": `  return compute("C", [M, K], (i, j) => select(j.ge(0), A(i, j.sub(1)), 0));`,
  "guard on the wrong side": `  return compute("C", [M, K], (i, j) => select(j.ge(1), 0, A(i, j.sub(1))));`,
  "axes in the wrong order": `  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(j, k)), k));`,
  "divisor that may be zero": `  return compute("C", [M], (i) => i.mod(i));`,
  "reduce axis outside its reducer": `  return compute("C", [M, N], (i, j) => A(i, k).mul(B(k, j)));`,
  "reduce axis outside, used after the sum": `  return compute("C", [M], (i) => sum(A(i, k), k).add(A(i, k)));`,
  "axis of another compute": `  let other;
  const D = compute("D", [M], (i) => { other = i; return A(i, 0); });
  return compute("C", [N], (j) => B(0, j).add(A(other, 0)));`,
  "reducer over a plain axis": `  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), j));`,
  "reducer over nothing": `  return compute("C", [M], (i) => sum(A(i, 0), []));`,
  "argmax over two axes": `  const l = reduceAxis("l", M);\n  return compute("C", [], () => op.argmax(A(l, k), [l, k]));`,
  "sum outside a compute": `  const total = sum(A(0, k), k);`,
  "input that is never read": `  return compute("C", [M], (i) => A(i, 0));`,
  "compute that is never read": `  compute("D", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
  return compute("C", [M], (i) => A(i, 0));`,
  "nothing returned": `  compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));`,
  "an input returned": `  return A;`,
  "an array returned": `  return [compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k))];`,
  "an object of one returned": `  return { C: compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k)) };`,
  "results under other names": `  const C = compute("C", [M], (i) => A(i, 0));
  const D = compute("D", [N], (j) => B(0, j));
  return { first: C, D };`,
  "a result that is no tensor": `  return { C: compute("C", [M], (i) => A(i, 0)), M };`,
};

describe("the language says", () => {
  test.each(Object.entries(cases))("%s", async (name, lines) => {
    expect(await says(lines)).toMatchSnapshot(name);
  });

  test("an unknown parameter", async () => {
    expect(await says("", { L: 3 })).toMatchSnapshot();
  });

  test("a name that is no parameter, as an extent", async () => {
    const text = `import { defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 4 }, ({ M, K }) => {
  const A = tensor("A", [M, K], "f32");
});`;
    expect(await message(() => build(text))).toMatchSnapshot();
  });

  const definitions: Readonly<Record<string, string>> = {
    "a size in quotes": `defineOp({ M: "8" }, ({ M }) => tensor("A", [M], "f32"))`,
    "a size that is a bigint": `defineOp({ M: 8n }, ({ M }) => tensor("A", [M], "f32"))`,
    "a parameter that is true": `defineOp({ M: true }, ({ M }) => tensor("A", [M], "f32"))`,
    "a parameter without a value": `defineOp({ M: undefined }, ({ M }) => tensor("A", [M], "f32"))`,
    "a parameter that is some text": `defineOp({ mode: "fast" }, () => tensor("A", [1], "f32"))`,
    "no parameters": `defineOp(() => tensor("A", [1], "f32"))`,
    "no function of an operator": `defineOp({ M: 8 })`,
    "an async function of an operator": `defineOp({ M: 8 }, async ({ M }) => tensor("A", [M], "f32"))`,
    "constants of no operator": `withConstants("A")`,
    "a constant that is no name": `withConstants(defineOp({ M: 8 }, () => tensor("A", [1], "f32")), ["A"])`,
    "an operator that is called": `defineOp({ M: 8 }, ({ M }) => tensor("A", [M], "f32"))(1)`,
  };

  test.each(Object.entries(definitions))("%s", async (name, text) => {
    const head = `import { defineOp, tensor, withConstants } from "unplugin-kernel/op";`;
    expect(await message(() => build(`${head}\nexport default ${text};`))).toMatchSnapshot(name);
  });

  test("a string for a number", async () => {
    expect(await says("", { M: "f32" })).toMatchSnapshot();
  });

  test("a number for a type", async () => {
    expect(await says("", { dtype: 32 })).toMatchSnapshot();
  });

  test("an unknown type as a parameter", async () => {
    expect(await says("", { dtype: "f33" })).toMatchSnapshot();
  });

  test("a parameter that is no number", async () => {
    expect(await says("", { M: Number.NaN })).toMatchSnapshot();
  });

  test("a constant that is no input", async () => {
    const text = `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
export default withConstants(gemm({ M: 4, N: 4, K: 4 }), "A", "weights");`;
    expect(await message(() => build(text))).toMatchSnapshot();
  });

  test("a tensor outside of an operator", async () => {
    const text = `import { tensor } from "unplugin-kernel/op";\nexport default tensor("A", [1], "f32");`;
    expect(await message(() => build(text))).toMatchSnapshot();
  });

  test("a tensor of another operator", async () => {
    const text = `import { compute, defineOp, tensor } from "unplugin-kernel/op";
let A;
export default defineOp({ M: 4 }, ({ M }) => {
  A ??= tensor("A", [M], "f32");
  return compute("C", [M], (i) => A(i));
});`;
    const twice = inFolder({ "x.op.ts": text }, async (root) => {
      const { op } = await loadOp(join(root, "x.op.ts"), { root, store: null });
      instantiate(op, {}, "x");
      return message(async () => instantiate(op, {}, "x"));
    });
    expect(await twice).toMatchSnapshot();
  });
});

test("every code of the language is tested", () => {
  // Operators of JavaScript have a file of their own: js-operators.test.ts.
  const mine = Object.keys(codes).filter((code) => code.startsWith("expr.") && code !== "expr.javascript-operator");
  expect(mine.filter((code) => !seen.has(code))).toEqual([]);
});
