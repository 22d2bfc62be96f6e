// Jest's transformer, called as Jest calls it: the matrix of starters has Jest itself.

import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { Transformer, TransformOptions } from "../../src/plugin/jest/transformer.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { writeApp } from "../support/build-app.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));
const specifier = "./gemm.op.ts?tune=wasm";
const operator = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 4, N: 4, K: 4 });
`;

type Kernel = (A: Float32Array, B: Float32Array) => Float32Array;

/** A project whose Jest has the options, and a transformer within that writes in capitals that it was there. */
async function project(options: KernelPluginOptions, transform?: Record<string, unknown>) {
  const root = writeApp({
    "package.json": "{}",
    "gemm.op.ts": operator,
    "inner.cjs": "exports.process = (source) => ({ code: source + '// INNER' });",
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(own, join(root, "node_modules/unplugin-kernel"), "junction");
  const { default: withKernels } = await import(pathToFileURL(join(own, "dist/jest.js")).href);
  const { transform: made } = await withKernels({ rootDir: root, ...(transform && { transform }) }, options)();
  return { root, made: made as Record<string, [path: string, config: unknown]> };
}

async function transformerOf([path, config]: [string, unknown]): Promise<Transformer> {
  const { createTransformer } = await import(pathToFileURL(path).href);
  return createTransformer(JSON.parse(JSON.stringify(config)));
}

const optionsFor = (rootDir: string, supportsStaticESM: boolean): TransformOptions => ({
  config: { rootDir },
  configString: "",
  instrument: false,
  supportsStaticESM,
});

/** Transforms a script, and returns it with the key under which Jest caches it. */
async function transformed(root: string, made: Record<string, [string, unknown]>, source: string, isModule: boolean) {
  const transformer = await transformerOf(made["\\.js$"]!);
  const [path, options] = [join(root, "a.test.js"), optionsFor(root, isModule)];
  const key = transformer.getCacheKey!(source, path, options);
  const result = transformer.process!(source, path, options);
  return { key, code: typeof result === "string" ? result : result.code };
}

const inner = { "\\.js$": "<rootDir>/inner.cjs" };
const multiply = (kernel: Kernel): number => kernel(new Float32Array(16).fill(1), new Float32Array(16).fill(2))[0]!;

describe("withKernels of Jest", () => {
  it("gives modules and CommonJS the kernel, behind the transformer that there was", async () => {
    const { root, made } = await project({ mode: "predict" }, inner);
    const asModule = await transformed(root, made, `import gemm from "${specifier}";`, true);
    expect(asModule.code).toMatch(/^import gemm from ".*\.mjs";\/\/ INNER$/);
    const file = /"(.*)"/.exec(asModule.code)![1]!;
    expect(file.startsWith(root)).toBe(true);
    expect(multiply((await import(pathToFileURL(file).href)).default)).toBe(8);
    const asCommonJs = await transformed(root, made, `const gemm = require("${specifier}").default;`, false);
    const required = createRequire(join(root, "x.js"))(/"(.*)"/.exec(asCommonJs.code)![1]!);
    expect(multiply(required.default)).toBe(8);
  });

  it("has another key for another operator, and the same for the same one", async () => {
    const { root, made } = await project({ mode: "predict" }, inner);
    const source = `import gemm from "${specifier}";`;
    const first = await transformed(root, made, source, true);
    expect((await transformed(root, made, source, true)).key).toBe(first.key);
    writeFileSync(join(root, "gemm.op.ts"), operator.replace("K: 4", "K: 8"));
    const second = await transformed(root, made, source, true);
    expect(second.key).not.toBe(first.key);
    expect(second.code).not.toBe(first.code);
  });

  it("writes a module again that was removed, and none for a script without kernels", async () => {
    const { root, made } = await project({ mode: "predict", cacheDir: "cache" }, inner);
    const none = await transformed(root, made, `import gemm from "./gemm.js"; // ?tune=`, true);
    expect(none.code).toContain("./gemm.js");
    expect(existsSync(join(root, "cache"))).toBe(false);
    const source = `import gemm from "${specifier}";`;
    await transformed(root, made, source, true);
    rmSync(join(root, "cache"), { recursive: true });
    const { code } = await transformed(root, made, source, true);
    expect(existsSync(/"(.*)"/.exec(code)![1]!)).toBe(true);
  });

  it("writes a module in the place of a link, and leaves what the link leads to alone", async () => {
    const { root, made } = await project({ mode: "predict" }, inner);
    const source = `import gemm from "${specifier}";`;
    const file = /"(.*)"/.exec((await transformed(root, made, source, true)).code)![1]!;
    const text = readFileSync(file, "utf8");
    const foreign = join(root, "foreign.txt");
    for (const there of ["of somebody", text]) {
      rmSync(file);
      writeFileSync(foreign, there);
      symlinkSync(foreign, file);
      await transformed(root, made, `${source}// ${there.length}`, true);
      expect(lstatSync(file).isFile()).toBe(true);
      expect([readFileSync(file, "utf8") === text, readFileSync(foreign, "utf8") === there]).toEqual([true, true]);
    }
  });

  it("is a transformer that JSON names, with the one within by its name", async () => {
    const { root } = await project({});
    const path = createRequire(join(root, "x.js")).resolve("unplugin-kernel/jest-transformer");
    const made = { "\\.js$": [path, { inner: join(root, "inner.cjs"), options: { mode: "predict" } }] } as Record<
      string,
      [string, unknown]
    >;
    const { code } = await transformed(root, made, `const gemm = require("${specifier}").default;`, false);
    expect(code).toContain("// INNER");
    expect(multiply(createRequire(join(root, "x.js"))(/"(.*)"/.exec(code)![1]!).default)).toBe(8);
  });

  it("shows a mistake at the import", async () => {
    const { root, made } = await project({ mode: "predict" }, inner);
    const source = `// a test\n  import gemm from "${specifier}&Q=4";`;
    const failed = await transformed(root, made, source, true).catch((error: Error) => error);
    expect(failed).toMatchObject({ message: expect.stringContaining("gemm.op.ts has no parameter Q") });
    expect((failed as Error).stack).toMatch(/\n {4}at .*a\.test\.js:2:20$/);
  });

  it("says which options there are", async () => {
    const { root, made } = await project({ modes: "predict" } as KernelPluginOptions, inner);
    const failed = transformed(root, made, `import gemm from "${specifier}";`, true);
    await expect(failed).rejects.toThrow('options.unknown: unplugin-kernel has no option "modes"');
  });

  it("measures nothing where the lock has no decision: it is an error when frozen", async () => {
    const { root, made } = await project({ mode: "frozen" }, inner);
    const failed = transformed(root, made, `import gemm from "${specifier}";`, true);
    await expect(failed).rejects.toThrow("frozen.miss: gemm.op.ts?tune=wasm is not in kernels.lock.json");
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  });
});

describe("the configuration", () => {
  it("has Babel where there was nothing, and what no transformer takes as it is", async () => {
    const { made } = await project({});
    expect(
      Object.entries(made).map(([pattern, [, config]]) => [pattern, (config as { inner: unknown }).inner]),
    ).toEqual([
      ["\\.[jt]sx?$", ["babel-jest", {}]],
      ["\\.[cm]?[jt]sx?$", null],
    ]);
  });

  it("keeps the settings of transformers, and wraps those of presets and of projects", async () => {
    const root = writeApp({
      "package.json": "{}",
      "preset/jest-preset.json": JSON.stringify({ transform: { "\\.ts$": ["ts-jest", { a: 1 }], "\\.js$": "x" } }),
    });
    const { default: withKernels } = await import(pathToFileURL(join(own, "dist/jest.js")).href);
    const config = { rootDir: root, preset: "./preset", transform: { "\\.js$": "y" } };
    const wired = await withKernels(async () => ({ projects: [config, "<rootDir>/other"] }), { numerics: "strict" })();
    expect(wired.projects[1]).toBe("<rootDir>/other");
    const { preset, transform } = wired.projects[0] as { preset: string; transform: Record<string, [string, unknown]> };
    expect(preset).toBe("./preset");
    const configs = Object.values(transform).map(([, config]) => config);
    expect(Object.keys(transform)).toEqual(["\\.js$", "\\.ts$", "\\.[cm]?[jt]sx?$"]);
    expect(configs).toMatchObject([
      { inner: ["y", {}], options: { numerics: "strict" } },
      { inner: ["ts-jest", { a: 1 }] },
      { inner: null },
    ]);
  });
});
