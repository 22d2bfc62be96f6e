// Imports of kernels in all kinds of files, found without a bundle.

import { relative } from "node:path";
import { expect, test } from "vitest";
import { findImports, kernelsOf } from "../../../src/plugin/declarations/find-imports.ts";
import { gemm, writeProject } from "../../cli/project.ts";

const accepts = (path: string): boolean => path.endsWith(".op.ts");
const importsIn = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const root = writeProject({ "src/gemm.op.ts": gemm, ...files });
  const found = await findImports(root, accepts);
  return found.map(
    ({ importer, request: { path, query } }) => `${relative(root, importer)}: ${relative(root, path)}${query}`,
  );
};

test("static and dynamic imports of TypeScript and JSX, and of files with scripts in them", async () => {
  const found = await importsIn({
    "src/a.ts":
      'import type { x } from "./x.ts";\nimport a from "./gemm.op.ts?tune=wasm";\nexport const b: number = 1; a();\n',
    "src/b.tsx": 'export const b = async () => <p>{(await import("./gemm.op.ts?M=8&tune=avx2")).default}</p>;\n',
    "src/deep/c.mjs": 'export { default } from "../gemm.op.ts?threads=2&tune=wasm";\n',
    "src/d.vue": '<script setup>\nimport d from "./gemm.op.ts?tune=avx512";\n</script>\n<template>{{ d }}</template>\n',
  });
  expect(found).toEqual([
    "src/a.ts: src/gemm.op.ts?tune=wasm",
    "src/b.tsx: src/gemm.op.ts?M=8&tune=avx2",
    "src/d.vue: src/gemm.op.ts?tune=avx512",
    "src/deep/c.mjs: src/gemm.op.ts?threads=2&tune=wasm",
  ]);
});

test("not what is commented out, lies in folders that are made, or has no operator; a script that does not parse is left out", async () => {
  const found = await importsIn({
    "src/a.ts": '// import a from "./gemm.op.ts?tune=wasm";\nimport b from "./no.op.ts?tune=wasm"; b();\n',
    "src/b.ts": 'import b from "./gemm.op.ts?tune=wasm"; b(;\n',
    "dist/c.js": 'import c from "../src/gemm.op.ts?tune=wasm"; c();\n',
    "node_modules/d/index.js": 'import d from "../../src/gemm.op.ts?tune=wasm"; d();\n',
    "src/e.ts": 'import e from "./plain.ts?tune=wasm"; e();\n',
    "src/plain.ts": "export default 1;\n",
  });
  expect(found).toEqual([]);
});

test("before something uses it, and in a plain script with JSX; not of types alone", async () => {
  const found = await importsIn({
    "tsconfig.json": JSON.stringify({ compilerOptions: { verbatimModuleSyntax: false } }),
    "src/a.ts": 'import a from "./gemm.op.ts?tune=wasm";\n',
    "src/b.js": 'import b from "./gemm.op.ts?tune=avx2";\nexport const c = <p>{await b()}</p>;\n',
    "src/c.ts": 'import type c from "./gemm.op.ts?tune=avx512";\nexport const d = <T>(it: T): T => it;\n',
  });
  expect(found).toEqual(["src/a.ts: src/gemm.op.ts?tune=wasm", "src/b.js: src/gemm.op.ts?tune=avx2"]);
});

test("by the imports of package.json, whose patterns name the query", async () => {
  const found = await importsIn({
    "package.json": JSON.stringify({ type: "module", imports: { "#op/*?tune=wasm": "./src/*" } }),
    "src/deep/a.ts": 'import a from "#op/gemm.op.ts?tune=wasm"; a();\n',
  });
  expect(found).toEqual(["src/deep/a.ts: src/gemm.op.ts?tune=wasm"]);
});

test("by tsconfig's paths, from packages, and from the root as Vite has it", async () => {
  const found = await importsIn({
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "@ops/*": ["./src/*"] } } }),
    "node_modules/ops/package.json": JSON.stringify({ name: "ops", exports: { "./*": "./lib/*" } }),
    "node_modules/ops/lib/scan.op.ts": gemm,
    "src/deep/a.ts": 'import a from "@ops/gemm.op.ts?tune=wasm"; a();\n',
    "src/deep/b.ts": 'import b from "ops/scan.op.ts?tune=wasm"; b();\n',
    "src/deep/c.ts": 'import c from "/src/gemm.op.ts?tune=wasm"; c();\n',
    "src/deep/d.ts": 'import d from "@nothing/gemm.op.ts?tune=wasm"; import e from "/gemm.op.ts?tune=wasm"; d(e);\n',
  });
  expect(found).toEqual([
    "src/deep/a.ts: src/gemm.op.ts?tune=wasm",
    "src/deep/b.ts: node_modules/ops/lib/scan.op.ts?tune=wasm",
    "src/deep/c.ts: src/gemm.op.ts?tune=wasm",
  ]);
});

test("each kernel once, however it is spelt", async () => {
  const root = writeProject({
    "src/gemm.op.ts": gemm,
    "src/a.ts": 'import a from "./gemm.op.ts?tune=wasm&M=8"; a();\n',
    "src/b.ts": 'import b from "./gemm.op.ts?M=8&tune=wasm&threads=1"; b();\n',
  });
  const imports = await findImports(root, accepts);
  expect(imports).toHaveLength(2);
  expect(kernelsOf(imports).map(({ query }) => query)).toEqual(["?M=8&tune=wasm"]);
});

test("a mistake in an import is the user's to hear, with its place", async () => {
  const text = "// the kernel\nconst one = 1; export { default } from './gemm.op.ts?tune=wsam';\n";
  await expect(importsIn({ "src/a.ts": text })).rejects.toThrow(
    /^request\.bad-value: tune is "wsam" in ".*"\n {2}src\/a\.ts:2:40\n {2}hint: tune may be /,
  );
});

test("by the paths of a tsconfig that tsconfig.json refers to, by its file or its folder", async () => {
  const paths = (target: string): string => JSON.stringify({ compilerOptions: { paths: { "@/*": [target] } } });
  const references = [{ path: "./tsconfig.node.json" }, { path: "./gone.json" }, { path: "./made" }];
  const found = await importsIn({
    "tsconfig.json": `{\n  // Vue's\n  "files": [], "references": ${JSON.stringify(references)} }`,
    "tsconfig.node.json": "{}",
    "made/tsconfig.json": paths("../src/*"),
    "src/deep/a.vue": '<script setup>\nimport a from "@/gemm.op.ts?tune=wasm";\n</script>\n',
  });
  expect(found).toEqual(["src/deep/a.vue: src/gemm.op.ts?tune=wasm"]);
});
