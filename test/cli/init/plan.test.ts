// What `init` finds in a project, and what it would write; nothing is written here.

import { relative } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { HostName } from "../../../src/cli/init/hosts.ts";
import { readPackageJson, withEntries } from "../../../src/cli/init/package-json.ts";
import { planInit } from "../../../src/cli/init/plan.ts";
import { writeApp } from "../../support/build-app.ts";

type Files = Readonly<Record<string, string>>;

const packageJson = (...packages: readonly string[]): string =>
  JSON.stringify({ devDependencies: Object.fromEntries(packages.map((name) => [name, "1"])) }, null, 2);

const planFor = (root: string, host: HostName | null = null) =>
  planInit({ root, host, operators: [], version: "1.2.3" });

/** Files by name → what they are to be. */
function planned(files: Files, host: HostName | null = null) {
  const root = writeApp(files);
  const { changes, byHand, ...rest } = planFor(root, host);
  const texts = Object.fromEntries(changes.map(({ file, text }) => [relative(root, file), text]));
  return { ...rest, root, texts, byHand: byHand.map(({ file, why }) => `${relative(root, file)}: ${why}`) };
}

describe("the bundler", () => {
  it.each<[string, HostName, Files]>([
    ["a configuration file", "rollup", { "package.json": "{}", "rollup.config.js": "" }],
    ["a package", "webpack", { "package.json": packageJson("webpack") }],
    ["Vite has parts of its own", "vite", { "package.json": packageJson("vite", "esbuild", "rollup") }],
    [
      "a configuration counts more than a package",
      "rspack",
      { "package.json": packageJson("rollup"), "rspack.config.ts": "" },
    ],
    ["a script that calls it", "bun", { "package.json": "{}", "scripts/build.ts": "Bun.build({})" }],
    ["a package that needs no configuration", "vite", { "package.json": packageJson("vite", "@types/bun") }],
  ])("is told by what there is: %s", (_, host, files) => {
    expect(planned(files).host).toBe(host);
  });

  it("is asked for where there is none or more than one", () => {
    expect(() => planned({ "package.json": "{}" })).toThrow("init.no-bundler: neither a configuration file nor");
    const two = { "package.json": "{}", "webpack.config.js": "", "rollup.config.js": "export default {};" };
    expect(() => planned(two)).toThrow("init.several-bundlers: there is more than one bundler: rollup, webpack");
    expect(planned(two, "rollup").texts["rollup.config.js"]).toContain("unplugin-kernel/rollup");
  });

  it("has its configuration where its scripts say", () => {
    const files = {
      "package.json": JSON.stringify({ scripts: { build: "webpack --mode production --config config/prod.js" } }),
      "config/prod.js": "module.exports = {};",
      "webpack.config.js": "module.exports = {};",
    };
    const { texts } = planned(files);
    expect(Object.keys(texts)).toContain("config/prod.js");
    expect(Object.keys(texts)).not.toContain("webpack.config.js");
  });

  it("gets a configuration where it does without one, in the project's language", () => {
    const files = { "package.json": packageJson("vite"), "tsconfig.json": "{}" };
    expect(planned(files).texts["vite.config.ts"]).toBe(`import { defineConfig } from "vite";
import kernel from "unplugin-kernel/vite";

export default defineConfig({
  plugins: [kernel()],
});
`);
    expect(planned({ "package.json": packageJson("webpack") }).texts["webpack.config.mjs"]).toBe(
      `import kernel from "unplugin-kernel/webpack";

export default {
  plugins: [kernel()],
};
`,
    );
  });

  it("is its owner's to configure where only the owner knows how", () => {
    expect(planned({ "package.json": packageJson("rollup") }).byHand).toEqual([
      "rollup.config.mjs: there is none, and only you know what is to be built",
    ]);
    expect(planned({ "package.json": packageJson("esbuild") }).byHand).toEqual([
      "build.mjs: no script calls esbuild: its plugins are given to build() or context()",
    ]);
  });
});

describe("package.json", () => {
  it("keeps its form, and gets what is missing", () => {
    const text = `{
    "name": "app",
    "scripts": { "build": "vite build" },
    "files": ["dist", "src"],
    "devDependencies": {
        "typescript": "~7.0.2",
        "vite": "^8.3.8"
    }
}`;
    expect(planned({ "package.json": text }).texts["package.json"]).toBe(`{
    "name": "app",
    "scripts": { "build": "vite build", "tune": "unplugin-kernel tune" },
    "imports": {
        "#op/*?tune=wasm": "./src/kernels/*",
        "#op/*?tune=native": "./src/kernels/*",
        "#op/*": "./src/kernels/*"
    },
    "files": ["dist", "src"],
    "devDependencies": {
        "typescript": "~7.0.2",
        "unplugin-kernel": "^1.2.3",
        "vite": "^8.3.8"
    }
}`);
  });

  it("keeps entries of its owner's", () => {
    const text = JSON.stringify({
      scripts: { tune: "piano" },
      imports: { "#op/*": "./ops/*" },
      dependencies: { "unplugin-kernel": "file:.." },
      devDependencies: { vite: "8" },
    });
    expect(planned({ "package.json": text }).texts).not.toHaveProperty(["package.json"]);
  });

  it("may have nothing in it", () => {
    expect(JSON.parse(planned({ "package.json": "{}", "vite.config.js": "" }).texts["package.json"]!)).toEqual({
      scripts: { tune: "unplugin-kernel tune" },
      imports: expect.objectContaining({ "#op/*?tune=wasm": "./src/kernels/*" }),
      devDependencies: { "unplugin-kernel": "^1.2.3" },
    });
    expect(withEntries("{}\n", "scripts", { a: "b" })).toBe('{\n  "scripts": {\n    "a": "b"\n  }\n}\n');
  });

  it("has to be there, and an object", () => {
    expect(() => readPackageJson(writeApp({ "x.js": "" }))).toThrow("init.no-package: there is no package.json");
    const broken = (text: string) => () => readPackageJson(writeApp({ "package.json": text }));
    expect(broken("{,}")).toThrow("init.broken-package: ");
    expect(broken("[]")).toThrow(/init\.broken-package: .*package\.json: it is no object/);
    expect(broken('{"scripts": []}')).toThrow("scripts is no object");
  });
});

describe("types", () => {
  const vite = { "package.json": packageJson("vite"), "tsconfig.json": "{}" };
  const reference = '/// <reference types="unplugin-kernel/client" />\n';

  it("are told in a file of their own, or beside those of Vite", () => {
    expect(planned({ ...vite, "src/main.ts": "" }).texts["src/kernel-env.d.ts"]).toBe(reference);
    const env = '/// <reference types="vite/client" />\n';
    expect(planned({ ...vite, "src/vite-env.d.ts": env }).texts["src/vite-env.d.ts"]).toBe(reference + env);
  });

  it.each<[string, Files]>([
    ["has no TypeScript", { "package.json": packageJson("vite") }],
    ["has them in its tsconfig", { ...vite, "tsconfig.app.json": '{"types": ["unplugin-kernel/client"]}' }],
    ["has generated declarations", { ...vite, "kernel-imports.d.ts": 'declare module "*/a.op.ts?tune=wasm" {\n}\n' }],
  ])("are left as they are in a project that %s", (_, files) => {
    expect(Object.keys(planned(files).texts).filter((name) => name.endsWith(".d.ts"))).toEqual([]);
  });
});

describe("operators", () => {
  const root = writeApp({ "package.json": packageJson("vite"), "lib/ops/layer-norm.op.js": "" });
  const plan = planInit({ root, host: null, operators: [`${root}/lib/ops/layer-norm.op.js`], version: "1.2.3" });

  it("of the project's own are what imports lead to", () => {
    const names = plan.changes.map(({ file }) => relative(root, file)).sort();
    expect(names).toEqual(["package.json", "vite.config.mjs"]);
    expect(plan.changes.at(-1)!.text).toContain('"#op/*?tune=wasm": "./lib/ops/*"');
    expect(plan.exampleImport).toBe('import layerNorm from "#op/layer-norm.op.js?tune=wasm";');
  });
});

test.each([
  ["pnpm-lock.yaml", "pnpm install"],
  ["yarn.lock", "yarn install"],
  ["bun.lock", "bun install"],
  ["package-lock.json", "npm install"],
])("with %s the package is installed by %s", (lockfile, command) => {
  expect(planned({ "package.json": packageJson("vite"), [lockfile]: "" }).install).toBe(command);
});
