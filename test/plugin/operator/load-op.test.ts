// Operator files through the loader: what comes back, and every message of product.md §7 that concerns them.

import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { evaluate, instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import { loadOp } from "../../../src/plugin/operator/load-op.ts";
import { build, inFolder, printedError } from "../../support/op-file.ts";

const fixture = (name: string): string => resolve("fixtures/ops", `${name}.op.ts`);
const root = resolve(".");

describe("loadOp", () => {
  test("gives the operator, its files and a digest", async () => {
    const { op, files, sourceDigest } = await loadOp(fixture("gemm"), { root, store: null });
    const def = instantiate(op, { M: 2, N: 1, K: 3 }, "gemm");
    const C = evaluate(def, { A: Float32Array.of(1, 2, 3, 4, 5, 6), B: Float32Array.of(1, 10, 100) }).C;
    expect(C).toEqual(Float32Array.of(321, 654));
    expect(files).toEqual([fixture("gemm")]);
    expect(sourceDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a file of the library is a whole operator", async () => {
    const def = await build(
      `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 4, N: 5, K: 6 }, { bias: true, activation: "relu" });`,
    );
    expect(printComputeDef(def)).toBe(
      [
        "x(A: f32[4, 6], B: f32[6, 5], bias: f32[5]) -> C",
        "C.sum[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 4, j 5, k 6",
        "C[i, j] = max(C.sum[i, j] + bias[j], 0.0)  f32  i 4, j 5",
        "",
      ].join("\n"),
    );
  });

  test("watches what the file imports, and its digest changes with it", async () => {
    const op = `import { one } from "./one.ts";
import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({}, () => {
  const A = tensor("A", [4], "f32");
  return compute("B", [4], (i) => A(i).add(one));
});`;
    const digestWith = (one: string): Promise<string> =>
      inFolder({ "a.op.ts": op, "one.ts": one }, async (folder) => {
        const { files, sourceDigest } = await loadOp(join(folder, "a.op.ts"), { root: folder, store: null });
        expect([...files].sort()).toEqual([join(folder, "a.op.ts"), join(folder, "one.ts")]);
        return sourceDigest;
      });
    const [first, again, other] = await Promise.all(["1", "1", "2"].map((n) => digestWith(`export const one = ${n};`)));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});

describe("messages", () => {
  test("no such file", async () => {
    expect(
      await printedError(() => loadOp("/nowhere/x.op.ts", { root: "/nowhere", store: null })),
    ).toMatchInlineSnapshot(`
      "op.not-found: there is no operator file x.op.ts
        hint: check the import"
    `);
  });

  test("a syntax error", async () => {
    expect(await printedError(() => build("const a = 1;\nexport default (;"))).toMatchInlineSnapshot(`
      "op.syntax: Unexpected ";"
        src/x.op.ts:2:17
         2 | export default (;
           |                 ^"
    `);
  });

  test("an import that does not exist", async () => {
    expect(
      await printedError(() => build(`import { x } from "./missing.ts";\nexport default x;`)),
    ).toMatchInlineSnapshot(`
      "op.syntax: Could not resolve "./missing.ts"
        src/x.op.ts:1:19
         1 | import { x } from "./missing.ts";
           |                   ^"
    `);
  });

  test("it throws", async () => {
    const text = `const sizes: number[] = [];\n\nif (sizes.length === 0) {\n  throw new RangeError("no sizes");\n}\nexport default 1;`;
    expect(await printedError(() => build(text))).toMatchInlineSnapshot(`
      "op.threw: RangeError: no sizes
        src/x.op.ts:4:9
         4 |   throw new RangeError("no sizes");
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^"
    `);
  });

  test("it throws something that is no error", async () => {
    expect(await printedError(() => build(`throw "no";\nexport default 1;`))).toMatchInlineSnapshot(`
      "op.threw: throws no
        src/x.op.ts:1:1
         1 | throw "no";
           | ^^^^^
        hint: throw an Error: it knows its place"
    `);
  });

  test("its function throws", async () => {
    const text = `import { defineOp } from "unplugin-kernel/op";
export default defineOp({ N: 1 }, ({ N }) => {
  const sizes: any = undefined;
  return sizes.first(N);
});`;
    expect(await printedError(() => build(text))).toMatchInlineSnapshot(`
      "op.threw: TypeError: Cannot read properties of undefined (reading 'first')
        src/x.op.ts:4:16
         4 |   return sizes.first(N);
           |                ^^^^^^^^"
    `);
  });

  const unknownNames: Readonly<Record<string, string>> = {
    "a function of the language without its import": `export default defineOp({}, () => 1);`,
    "an operator of the library without its import": `export default gemm({ M: 4, N: 4, K: 4 });`,
    "a name with a wrong letter": `import { defineOp } from "unplugin-kernel/op";\nexport default defineOp({}, () => compte("C", [1], () => 1));`,
    "an import of a name that the module has not": `import { relu } from "unplugin-kernel/op";\nexport default relu(1);`,
    "an import from the other module": `import { gemm } from "unplugin-kernel/op";\nexport default gemm({ M: 4, N: 4, K: 4 });`,
    "an import with a wrong letter": `import { definOp } from "unplugin-kernel/op";\nexport default definOp({}, () => 1);`,
    "a method that expressions do not have": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 4 }, ({ N }) => {
  const A = tensor("A", [N], "f32");
  return compute("B", [N], (i) => A(i).plus(1));
});`,
    "a name that is nobody's": `export default somethingElse();`,
    "a value that is not there yet": `export default early();\nconst early = () => 1;`,
    "a recursion without end": `const again = (n) => again(n + 1) + 1;\nexport default again(0);`,
  };

  test.each(Object.entries(unknownNames))("%s", async (name, text) => {
    expect(await printedError(() => build(text))).toMatchSnapshot(name);
  });

  test("two files that import each other", async () => {
    const files = {
      "x.op.ts": `import { sizes } from "./sizes.ts";\nexport const most = 8;\nexport default sizes;`,
      "sizes.ts": `import { most } from "./x.op.ts";\nexport const sizes = [most.toFixed()];`,
    };
    const message = await inFolder(files, (root) =>
      printedError(() => loadOp(join(root, "x.op.ts"), { root, store: null })),
    );
    expect(message).toMatchSnapshot();
  });

  test("no default export, and an operator under a name", async () => {
    const text = `import { gemm } from "unplugin-kernel/ops";\nexport const layer = gemm({ M: 4, N: 4, K: 4 });`;
    expect(await printedError(() => build(text))).toMatchSnapshot();
  });

  test("no default export", async () => {
    expect(await printedError(() => build("export const a = 1;"))).toMatchInlineSnapshot(`
      "op.no-default-export: src/x.op.ts has no default export
        src/x.op.ts:1:1
        hint: export default defineOp({ … }, ({ … }) => …)"
    `);
  });

  test("the default export is no operator", async () => {
    expect(await printedError(() => build("const a = 1;\nexport default { a };"))).toMatchInlineSnapshot(`
      "op.not-an-op: the default export of src/x.op.ts is an object, not an operator
        src/x.op.ts:2:1
        hint: export default defineOp({ … }, ({ … }) => …)"
    `);
  });

  test("a mistake in a file that the operator imports is shown there", async () => {
    const files = {
      "x.op.ts": `import { product } from "./lib/product.ts";\nexport default product;`,
      "lib/product.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export const product = defineOp({ N: 4 }, ({ N }) => {
  const A = tensor("A", [N], "f33" as "f32");
  return compute("B", [N], (i) => A(i));
});`,
    };
    const message = await inFolder(files, (folder) =>
      printedError(async () => {
        const { op } = await loadOp(join(folder, "x.op.ts"), { root: folder, store: null });
        instantiate(op, {}, "x");
      }),
    );
    expect(message).toMatchInlineSnapshot(`
      "expr.unknown-dtype: f33 is not a type
        lib/product.ts:3:13
         3 |   const A = tensor("A", [N], "f33" as "f32");
           |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        hint: the types are f64, f32, f16, bf16, i32, i16, i8, u8, bool"
    `);
  });

  test("a mistake inside the library is shown where the library is called", async () => {
    const text = `import { conv1d } from "unplugin-kernel/ops";\nexport default conv1d({ W: 2, C: 4, F: 8 });`;
    expect(await printedError(() => build(text))).toMatchInlineSnapshot(`
      "expr.bad-extent: dimension 1 of out is 0
        src/x.op.ts:2:16
         2 | export default conv1d({ W: 2, C: 4, F: 8 });
           |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        hint: extents are positive integers"
    `);
  });
});
