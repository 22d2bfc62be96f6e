// The playground's compiler, without its page: every stage of every example, mistakes at their lines, and kernels that are right.

import { performance } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import {
  nativeStage,
  problemOf,
  readProgram,
  scheduleFor,
  wasmStages,
} from "../../docs/.vitepress/playground/compile.ts";
import { eraseTypes, SourceError } from "../../docs/.vitepress/playground/erase-types.ts";
import { examples } from "../../docs/.vitepress/playground/examples.ts";
import { type Program, tabs } from "../../docs/.vitepress/playground/protocol.ts";
import { runKernel } from "../../docs/.vitepress/playground/run-kernel.ts";
import { fromHash, toHash } from "../../docs/.vitepress/playground/share.ts";

const addressOf = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const program = (source: string): Program => ({ source, numerics: "fast", native: "avx2" });
const read = (source: string) => readProgram(program(source), addressOf);

/** Problem that the page shows for a program with a mistake. */
const problemIn = (source: string) => read(source).then(() => null, problemOf);

const right = examples.filter(({ title }) => title !== "A mistake");

describe.each(right)("$title", ({ source }) => {
  test("has every stage, and a kernel that gives what the reference does", async () => {
    const op = await read(source);
    const scheduled = scheduleFor(op, "wasm", "fast");
    const stages = [...wasmStages(scheduled), nativeStage(scheduleFor(op, "avx2", "fast"))];
    expect([...new Set(stages.map(({ tab }) => tab))]).toEqual(tabs);
    expect(stages.filter(({ text }) => text.trim() === "")).toEqual([]);
    expect(stages.filter(({ tab }) => tab === "Loops").length).toBeGreaterThan(10);
    expect(stages.at(-2)!.text).toMatch(/^\(module/);
    expect(stages.at(-1)!.text).toContain("void ");
    const result = runKernel(scheduled, () => performance.now());
    expect(result.wrong).toBeNull();
    expect(result.largestError).toBeLessThan(1e-5);
    expect(result.kernelNs).toBeGreaterThan(0);
    expect(result.loopsNs).toBeGreaterThan(0);
  });
});

test("the expression that is shown is the program's", async () => {
  const stages = wasmStages(scheduleFor(await read(examples[0]!.source), "wasm", "fast"));
  expect(stages[0]!.text).toContain("A: f32[128, 128]");
  expect(stages[0]!.text).toMatch(/C.*sum/s);
  expect(stages[1]!.text).toMatch(/\d+ tunables, \d+ constraints/);
  expect(stages[2]!.text).toContain("split");
});

describe("mistakes are told at their places", () => {
  const lineOf = (source: string, text: string): number => source.split("\n").findIndex((it) => it.includes(text)) + 1;

  test("of the language, behind types that were erased", async () => {
    const { source } = examples.find(({ title }) => title === "A mistake")!;
    const typed = source
      .replace("(i, j) =>", "(i: Expr, j: Expr): Expr =>")
      .replace("sum, tensor }", "sum, tensor, type Expr }");
    const [line] = typed.split("\n").flatMap((text, at) => (text.includes("B(k, j, 0)") ? [{ text, at: at + 1 }] : []));
    expect(await problemIn(typed)).toMatchObject({
      code: "expr.shape-mismatch",
      line: line!.at,
      column: line!.text.indexOf("B(k, j, 0)") + 1,
    });
  });

  test("of the syntax", async () => {
    const source = "const a = 1;\nconst b = ;\n";
    expect(await problemIn(source)).toMatchObject({ code: "op.syntax", line: 2, column: 11 });
  });

  test("thrown by the program", async () => {
    const source = 'type A = number;\nconst a: A = 1;\nthrow new Error("bad " + a);\nexport default a;\n';
    expect(await problemIn(source)).toMatchObject({
      code: "op.threw",
      message: "Error: bad 1",
      line: lineOf(source, "throw"),
      column: 7,
    });
  });

  test("of what it imports and exports", async () => {
    expect(await problemIn('import "left-pad";\nexport default 1;')).toMatchObject({ code: "op.not-found" });
    expect(await problemIn("export const a = 1;")).toMatchObject({ code: "op.no-default-export" });
    expect(await problemIn("export default 1;")).toMatchObject({ code: "op.not-an-op" });
  });
});

describe("types are erased in their places", () => {
  const erased = (source: string): string => {
    const text = eraseTypes(source);
    expect(text.split("\n").length).toBe(source.split("\n").length);
    return text;
  };
  const run = (source: string): unknown => {
    const exported: { default?: unknown } = {};
    new Function("$", "$import", erased(source))(exported, (name: string) => ({ name, default: name }));
    return exported.default;
  };

  test.each([
    ["annotations", "const f = (x: number, y?: number): number => x + (y ?? 1);\nexport default f(1);", 2],
    ["assertions", "const a = ((1 as unknown) as number)! satisfies number;\nexport default <number>a;", 1],
    ["generics", "function id<T>(x: T): T { return x; }\nexport default id<Array<number>>([1]).length;", 1],
    ["declarations", "interface A { b: 1 }\ntype B = A\n(0, 0);\ndeclare const z: number;\nexport default 3;", 3],
    ["definite variables", "let a!: number;\na = 2;\nexport default a;", 2],
    ["overloads", "function f(a: number): number;\nfunction f(a: any) { return a; }\nexport default f(4);", 4],
    [
      "imports",
      'import x, { type A, name as y } from "m";\nimport * as z from "n";\nimport type { C } from "o";\nexport default x + y + z.name;',
      "mmn",
    ],
    ["export lists", "type A = number;\nconst a: A = 5;\nexport type { A };\nexport { a as default };", 5],
    ["letters beyond the first plane", 'const a: string = "𝟙";\nexport default a;', "𝟙"],
  ])("%s", (_, source, value) => expect(run(source)).toBe(value));

  test("columns stay", () => {
    const source = "const f = (x: number) => x as number; f(1);";
    expect(erased(source).indexOf("f(1)")).toBe(source.indexOf("f(1)"));
    expect(erased("export default defineOp;").indexOf("defineOp")).toBe("export default ".length);
  });

  test.each(["enum A { B }", "namespace N { export const a = 1; }", "class A { constructor(private b: number) {} }"])(
    "%s is refused",
    (source) => expect(() => eraseTypes(source)).toThrow(SourceError),
  );
});

describe("the hash of the address", () => {
  test("holds a program", () => {
    const shared: Program = { source: "export default 'ä – 𝟙';\n", numerics: "strict", native: "avx512" };
    expect(toHash(shared)).toMatch(/^#[\w-]+$/);
    expect(fromHash(toHash(shared))).toEqual(shared);
  });

  test.each(["", "#", "#a-heading", `#${btoa('{"source":1}')}`])("%o is none", (hash) =>
    expect(fromHash(hash)).toBeNull(),
  );
});
