// The declarations, as text and as TypeScript reads them.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it, test } from "vitest";
import { jointType } from "../../../src/plugin/declarations/kernel-types.ts";
import type { Signature } from "../../../src/plugin/declarations/signature.ts";
import { declarationsText } from "../../../src/plugin/declarations/text.ts";
import { requestTargets } from "../../../src/plugin/request/request.ts";
import { suitesInTurn } from "../../support/long.ts";
import { compilers, declarationsOf, importing, typeErrors } from "./type-check.ts";

const repository = resolve(import.meta.dirname, "../../..");

const operator = `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 8 }, ({ N }) => {
  const A = tensor("A", [N], "i32");
  return compute("C", [N], (i) => A(i).add(1));
});`;
const uses = (specifier: string): string => `import kernel from "${specifier}";
export const C: Int32Array = kernel(new Int32Array(8));
export const info: string | null = kernel.info.schedule;
`;

/** The entry of one import: its comments and its type. */
function entryOf(text: string, end: string): { readonly comments: readonly string[]; readonly type: string } {
  const body = text.split(`declare module ${JSON.stringify(end)} {\n`)[1]!.split("\n}")[0]!;
  const type = /const kernel: (.*);/.exec(body)![1]!.replaceAll('import("unplugin-kernel/op").', "");
  return { comments: [...body.matchAll(/\/\*\* (.*) \*\//g)].map(([, line]) => line!), type };
}

const product = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export const product = defineOp({ M: 4, dtype: "f32" }, ({ M, dtype }) => {
  const A = tensor("A", [M, 8], dtype);
  const B = tensor("B", [8, 2], dtype);
  const k = reduceAxis("k", 8);
  return compute("C", [M, 2], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;
const operators = {
  "inc.op.ts": operator,
  "product.ts": product,
  "product.op.ts": 'export { product as default } from "./product.ts";',
  "layer.op.ts": `import { withConstants } from "unplugin-kernel/op";
import { product } from "./product.ts";
export default withConstants(product, "B");`,
  "moments.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({}, () => {
  const A = tensor("A", [6], "f64");
  return { low: compute("low", [6], (i) => A(i).floor()), high: compute("high", [6], (i) => A(i).ceil().cast("i32")) };
});`,
};

describe("declarations", () => {
  const importers = { "main.ts": importing("./product.op.ts?M=3&dtype=f64&tune=avx2", "./layer.op.ts?tune=wasm") };

  it("say inputs, order, typed arrays and results with the parameters of the import", async () => {
    const text = await declarationsOf({
      ...operators,
      ...importers,
      "other.ts": importing("./moments.op.ts?tune=native"),
    });
    expect(entryOf(text, "*/product.op.ts?M=3&dtype=f64&tune=avx2")).toEqual({
      comments: ["A: f64[3, 8], B: f64[8, 2] → C: f64[3, 2]"],
      type: "Kernel<Float64Array<ArrayBuffer>, [A: Float64Array, B: Float64Array], [C: Float64Array], { A: Float64Array; B: Float64Array; C: Float64Array }>",
    });
    const packed =
      "PackedKernel<Float32Array<ArrayBuffer>, [A: Float32Array], [C: Float32Array], { A: Float32Array; C: Float32Array }>";
    const layer = entryOf(text, "*/layer.op.ts?tune=wasm");
    expect(layer.comments).toEqual(["A: f32[4, 8], B: f32[8, 2] → C: f32[4, 2]; constant: B"]);
    expect(layer.type).toMatch(/^Kernel<Float32Array<ArrayBuffer>, \[A: Float32Array, B: Float32Array\], /);
    expect(layer.type.endsWith(` & Packable<{ B: Float32Array }, ${packed}>`)).toBe(true);
    expect(entryOf(text, "*/moments.op.ts?tune=native").type).toMatch(
      /^Kernel<\{ low: Float64Array<ArrayBuffer>; high: Int32Array<ArrayBuffer> \}, \[A: Float64Array\], \[low: Float64Array, high: Int32Array\], /,
    );
  });

  it("are the same whatever the order, and leave the type to the file where an operator has a mistake", () => {
    const imports = [
      { specifier: "../ops/inc.op.ts?tune=wasm", file: "/app/src/ops/inc.op.ts", signature: null },
      { specifier: "./inc.op.ts?tune=wasm", file: "/app/old/inc.op.ts", signature: null },
      { specifier: "#op/inc.op.ts?M=3&tune=avx2", file: "/app/src/ops/inc.op.ts", signature: null },
    ];
    const text = declarationsText(imports, "/app/src/kernels.d.ts");
    expect(text).toContain(`
declare module "#op/inc.op.ts?M=3&tune=avx2" {
  const kernel: typeof import("./ops/inc.op.ts").default;
  export default kernel;
}

declare module "*/inc.op.ts?tune=wasm" {
  const kernel: typeof import("../old/inc.op.ts").default | typeof import("./ops/inc.op.ts").default;
  export default kernel;
}
`);
    expect(declarationsText(imports.toReversed(), "/app/src/kernels.d.ts")).toBe(text);
  });

  it("say nothing of mistakes: those of an operator, nor those of a query", async () => {
    const text = await declarationsOf({
      ...operators,
      "broken.op.ts": "export default nothing;",
      "main.ts": importing("./broken.op.ts?tune=wasm", "./inc.op.ts?M=1&tune=wasm"),
    });
    expect(entryOf(text, "*/broken.op.ts?tune=wasm").type).toBe('typeof import("./broken.op.ts").default');
    expect(entryOf(text, "*/inc.op.ts?M=1&tune=wasm").type).toBe('typeof import("./inc.op.ts").default');
  });

  it("have what may be imported next: each operator for the targets that documentation begins with", async () => {
    const files = {
      "package.json": JSON.stringify({
        imports: {
          "#op/*": { types: "unplugin-kernel/kernel", "unplugin-kernel": "./src/kernels/*" },
          "#lib": "./lib.js",
          "#other/*": null,
        },
      }),
      "src/kernels/inc.op.ts": operator,
      "src/kernels/product.op.ts": product.replace("export const product =", "export default"),
      "src/broken.op.ts": "export default nothing;",
    };
    const text = await declarationsOf(files);
    const names = [...text.matchAll(/declare module "(.*)"/g)].map(([, name]) => name!);
    const own = (name: string, ...more: readonly string[]) =>
      [`#op/${name}.op.ts`, `*/${name}.op.ts`].flatMap((it) => [`${it}?tune=wasm`, `${it}?tune=native`]).concat(more);
    // Not any query of the product: it may ask for another type of elements.
    expect(names.filter((name) => !name.startsWith("*tune=")).sort()).toEqual(
      [...own("inc", "#op/inc.op.ts?*"), ...own("product")].sort(),
    );
    const inc = "Kernel<Int32Array<ArrayBuffer>, [A: Int32Array], [C: Int32Array], { A: Int32Array; C: Int32Array }>";
    expect(entryOf(text, "#op/inc.op.ts?*")).toEqual({ comments: ["A: i32[8] → C: i32[8]"], type: inc });
    // An import that there is says it better.
    const main = importing("./kernels/inc.op.ts?tune=wasm", "#op/inc.op.ts?N=3&tune=wasm");
    const imported = await declarationsOf({ ...files, "src/other/inc.op.ts": operator, "src/main.ts": main });
    expect(entryOf(imported, "#op/inc.op.ts?N=3&tune=wasm").comments).toEqual(["A: i32[3] → C: i32[3]"]);
    expect(entryOf(imported, "*/inc.op.ts?tune=wasm").comments).toEqual(["A: i32[8] → C: i32[8]"]);
  });

  it("join kernels that TypeScript cannot tell apart", async () => {
    const twice = async (other: string) =>
      entryOf(
        await declarationsOf({
          "a/inc.op.ts": operator,
          "a/main.ts": importing("./inc.op.ts?tune=wasm"),
          "b/inc.op.ts": other,
          "b/main.ts": importing("./inc.op.ts?tune=wasm"),
        }),
        "*/inc.op.ts?tune=wasm",
      );
    const { type, comments } = await twice(operator.replace("N: 8", "N: 9"));
    expect(type).toBe(
      "Kernel<Int32Array<ArrayBuffer>, [A: Int32Array], [C: Int32Array], { A: Int32Array; C: Int32Array }>",
    );
    expect(comments).toEqual(["A: i32[8] → C: i32[8]", "A: i32[9] → C: i32[9]"]);
    expect((await twice(operator.replace("i32", "f64"))).type).toBe(
      "Kernel<Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>",
    );
    expect((await twice(operator.replaceAll('"A"', '"X"'))).type).toBe("Kernel<Int32Array<ArrayBuffer>>");
  });
});

describe("the type of kernels that TypeScript cannot tell apart", () => {
  const tensorOf = (name: string, dtype: "f32" | "f64") => ({ name, dtype, shape: [8] });
  const signature = (dtype: "f32" | "f64", ...constants: readonly string[]): Signature => ({
    inputs: [tensorOf("A", dtype), tensorOf("B", dtype)],
    outputs: [tensorOf("C", dtype)],
    constants,
    hasFixedTypes: true,
  });

  it("has pack where each of them has constants", () => {
    const joint = jointType([signature("f32", "B"), signature("f64", "A")]);
    expect(joint).toContain(".Kernel<Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>> & ");
    expect(joint).toContain(".Packable<");
  });

  it.each([
    ["the first", [signature("f32"), signature("f64", "B")]],
    ["the second", [signature("f32", "B"), signature("f64")]],
  ])("has none where %s has no constants", (_, signatures) => {
    expect(jointType(signatures)).not.toContain("Pack");
  });
});

/** Lines of a program that are right, and lines that are wrong with a part of what TypeScript says. */
const rightUses = `import product from "./product.op.ts?tune=wasm";
import layer from "./layer.op.ts?tune=wasm";
import moments from "./moments.op.ts?tune=wasm";
const A = new Float32Array(32), B = new Float32Array(16), C = new Float32Array(8);
export const C1: Float32Array = product(A, B);
export const C2: Float32Array = product(A, B, C);
export const C3: Promise<Float32Array> = product.async(A, B, C);
export const { A: A1, B: B1, C: C4 }: Record<"A" | "B" | "C", Float32Array> = product.buffers();
const packed = layer.pack({ B });
export const C5: Float32Array = packed(A);
export const C6: Float32Array = packed(A, packed.buffers().C);
export const C7: Float32Array = layer(A, B, C);
export const { low, high }: { low: Float64Array; high: Int32Array } = moments(new Float64Array(6));
export const inOrder: readonly [Float32Array, Float32Array, Float32Array?] = [] as unknown as Parameters<typeof product>;
export const ready: Promise<void> = product.ready();
`;
const wrongUses = [
  ["product(A, new Float64Array(16));", "TS2345: Argument of type 'Float64Array<ArrayBuffer>' is not assignable"],
  ["product(A);", "TS2554: Expected 2-3 arguments, but got 1"],
  ["product(A, B, C, C);", "TS2554: Expected 2-3 arguments, but got 4"],
  ["product.async(A, B, new Int32Array(8));", "TS2345: Argument of type 'Int32Array<ArrayBuffer>'"],
  ["product.buffers().D;", "TS2339: Property 'D' does not exist"],
  ["layer.pack({ A });", "TS2353: Object literal may only specify known properties, and 'A' does not exist"],
  ["layer.pack({ B: new Int32Array(16) });", "TS2322: Type 'Int32Array<ArrayBuffer>' is not assignable"],
  ["layer.pack({});", "TS2"],
  ["packed(A, B, C);", "TS2554: Expected 1-2 arguments, but got 3"],
  ["packed.buffers().B;", "TS2339: Property 'B' does not exist"],
  ["moments(new Float64Array(6)).mean;", "TS2339: Property 'mean' does not exist"],
  ["product.pack({ B });", "TS2339: Property 'pack' does not exist"],
] as const;

const suite = suitesInTurn(3);

for (const { title, missing, compiler } of compilers)
  suite.skipIf(missing !== "")(title, () => {
    let errors: readonly string[] = [];
    const first = rightUses.split("\n").length;
    beforeAll(async () => {
      const kernels = ["inc", "product", "layer", "moments"].map((name) => `./${name}.op.ts?tune=wasm`);
      const wrong = (specifier: string): string => uses(specifier).replace("C: Int32Array", "C: Float64Array");
      const files = {
        ...operators,
        "kernels.d.ts": await declarationsOf({
          ...operators,
          "main.ts": importing(...kernels, "/inc.op.ts?tune=wasm"),
        }),
        "declared.ts": uses("./inc.op.ts?tune=wasm"),
        "rooted.ts": uses("/inc.op.ts?tune=wasm"),
        "declared-wrong.ts": wrong("./inc.op.ts?tune=wasm"),
        "general.ts": uses("./other.op.ts?N=3&tune=avx2"),
        "pattern.ts": uses("#op/inc.op.ts?tune=wasm"),
        "pattern-wrong.ts": wrong("#op/inc.op.ts?tune=wasm"),
        "uses.ts": `${rightUses}${wrongUses.map(([line]) => line).join("\n")}\n`,
      };
      errors = typeErrors(files, compiler);
    });

    it("takes imports that were written after the declarations, whatever a starter's tsconfig says of extensions", async () => {
      const packageJson = { type: "module", imports: { "#op/*": "./kernels/*" } };
      const files = {
        "package.json": JSON.stringify(packageJson),
        "kernels/inc.op.ts": operator,
        "kernels/product.op.ts": product.replace("export const product =", "export default"),
      };
      const written = await declarationsOf(files);
      const { options } = compiler;
      for (const settings of [{ rewriteRelativeImportExtensions: true }, { allowImportingTsExtensions: false }]) {
        const found = typeErrors(
          {
            ...files,
            "kernels.d.ts": written,
            "relative.ts": uses("./kernels/inc.op.ts?tune=native"),
            "named.ts": uses("#op/inc.op.ts?tune=wasm"),
            "query.ts": uses("#op/inc.op.ts?tune=avx2&N=5"),
            "wrong.ts": uses("#op/product.op.ts?tune=wasm"),
          },
          { ...compiler, options: { ...options, ...settings } },
        );
        expect(found).toEqual([expect.stringContaining("wrong.ts:2: TS2"), expect.stringContaining("wrong.ts:2: TS2")]);
      }
    });

    it("is told precise types by the declarations, types of results by a pattern of package.json, and has a fallback for the rest", () => {
      const mismatch = "TS2322: Type 'Int32Array<ArrayBuffer>' is not assignable to type 'Float64Array";
      expect(errors.filter((error) => !error.startsWith("uses"))).toEqual([
        expect.stringContaining(`declared-wrong.ts:2: ${mismatch}`),
        expect.stringContaining(`pattern-wrong.ts:2: ${mismatch}`),
      ]);
    });

    it("takes right uses of a kernel, and finds wrong ones", () => {
      expect(errors.filter((error) => error.startsWith("uses"))).toEqual(
        wrongUses.map(([, error], at) => expect.stringContaining(`uses.ts:${first + at}: ${error}`)),
      );
    });

    it("has a general form for each target with the package", () => {
      const files = {
        "client.d.ts": readFileSync(join(repository, "client.d.ts"), "utf8"),
        "main.ts": uses("./inc.op.ts?N=3&tune=native"),
        "unknown.ts": uses("./inc.op.ts?N=3&tune=avx9000"),
      };
      expect(typeErrors(files, compiler)).toEqual([
        expect.stringContaining("unknown.ts:1: TS2307: Cannot find module './inc.op.ts?N=3&tune=avx9000'"),
      ]);
    });
  });

test("the general form names every target", () => {
  const client = readFileSync(join(repository, "client.d.ts"), "utf8");
  const named = [...client.matchAll(/^declare module "\*tune=(.*)" \{$/gm)].map(([, target]) => target);
  expect(named).toEqual(requestTargets);
});
