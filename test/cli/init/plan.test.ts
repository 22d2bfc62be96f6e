// Facts that `init` finds in a project, and the changes that it plans; nothing is written here.

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
  planInit({ root, host, operators: [], version: "1.2.3", written: null });

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
    ["Nuxt has Vite", "nuxt", { "package.json": packageJson("nuxt", "vite"), "nuxt.config.ts": "" }],
    [
      "Next has tests by Vitest",
      "next",
      { "package.json": packageJson("next", "vite", "webpack"), "vite.config.ts": "" },
    ],
    ["Astro", "astro", { "package.json": packageJson("astro"), "astro.config.mjs": "" }],
    ["SvelteKit is configured as Vite is", "vite", { "package.json": packageJson("@sveltejs/kit", "vite") }],
    ["no bundler", "node", { "package.json": packageJson("typescript") }],
    [
      "Jest runs the tests of what Vite builds",
      "vite",
      { "package.json": packageJson("vite", "jest"), "jest.config.js": "" },
    ],
    ["Jest alone", "jest", { "package.json": packageJson("jest", "ts-jest") }],
    [
      "Electron has Vite with a configuration of its own",
      "electron-vite",
      { "package.json": packageJson("electron-vite", "vite"), "electron.vite.config.ts": "" },
    ],
    ["tsup needs no configuration", "tsup", { "package.json": packageJson("tsup", "esbuild") }],
    ["tsdown", "tsdown", { "package.json": packageJson("tsdown", "rolldown") }],
    [
      "VitePress may be there for a folder of documents",
      "vite",
      { "package.json": packageJson("vitepress", "vite"), "vite.config.ts": "" },
    ],
    [
      "SolidStart 2 is configured as Vite is",
      "vite",
      { "package.json": packageJson("@solidjs/start", "vite"), "vite.config.ts": "" },
    ],
    [
      "SolidStart 1 is not",
      "solid-start",
      { "package.json": packageJson("@solidjs/start", "vite"), "app.config.ts": "" },
    ],
    ["a package that needs no configuration", "vite", { "package.json": packageJson("vite", "@types/bun") }],
  ])("is told by what there is: %s", (_, host, files) => {
    expect(planned(files).host).toBe(host);
  });

  it("is asked for where there is more than one, or one that takes no plugins", () => {
    expect(() => planned({ "package.json": packageJson("@angular/build") })).toThrow(
      "init.no-bundler: @angular/build takes no plugins",
    );
    expect(() => planned({ "package.json": packageJson("react-scripts", "jest") })).toThrow("init.no-bundler");
    const two = { "package.json": "{}", "webpack.config.js": "", "rollup.config.js": "export default {};" };
    expect(() => planned(two)).toThrow("init.several-bundlers: there is more than one bundler: rollup, webpack");
    expect(planned(two, "rollup").texts["rollup.config.js"]).toContain("unplugin-kernel/rollup");
  });

  it("is that of a package, not of the workspace above it", () => {
    const scripts = { build: "npm run build --workspaces" };
    const workspace = { "package.json": JSON.stringify({ workspaces: ["apps/*"], scripts }) };
    expect(() => planned(workspace)).toThrow(/init\.workspace: .* holds the packages of a workspace/);
    expect(() => planned({ "package.json": "{}", "pnpm-workspace.yaml": "" })).toThrow("init.workspace");
    const program = { workspaces: ["packages/*"], scripts: { start: "node main.js" } };
    expect(planned({ "package.json": JSON.stringify(program) }).host).toBe("node");
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
  plugins: [kernel({ dts: "src/kernel-imports.d.ts" })],
});
`);
    const nuxt = { "package.json": packageJson("nuxt"), "tsconfig.json": "{}", "app/app.vue": "" };
    expect(planned(nuxt).texts).toMatchObject({
      "nuxt.config.ts": 'export default defineNuxtConfig({\n  modules: ["unplugin-kernel/nuxt"],\n});\n',
      "app/kernels/gemm.op.ts": expect.anything(),
    });
    const next = { "package.json": packageJson("next"), "app/page.jsx": "" };
    expect(planned(next).texts).toMatchObject({
      "next.config.mjs": 'import withKernels from "unplugin-kernel/next";\n\nexport default withKernels({});\n',
      "kernels/gemm.op.ts": expect.anything(),
    });
    const astro = { "package.json": packageJson("astro"), "src/pages/index.astro": "", "tsconfig.json": "{}" };
    expect(planned(astro).texts["astro.config.ts"]).toContain(
      'vite: { plugins: [kernel({ dts: "src/kernel-imports.d.ts" })] },',
    );
    const tsup = { "package.json": packageJson("tsup"), "tsconfig.json": "{}", "src/index.ts": "" };
    expect(planned(tsup).texts["tsup.config.ts"]).toBe(`import { defineConfig } from "tsup";
import kernel from "unplugin-kernel/esbuild";

export default defineConfig({
  esbuildPlugins: [kernel({ dts: "src/kernel-imports.d.ts" })],
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

  it("has the plugin in Vitest's own configuration, too, unless that takes Vite's", () => {
    const vite = { "package.json": packageJson("vite"), "vite.config.ts": "export default {};" };
    const { texts } = planned({ ...vite, "vitest.config.ts": "export default { test: {} };" });
    expect(texts["vitest.config.ts"]).toContain("plugins: [kernel()]");
    const merged = 'import base from "./vite.config";\nexport default { ...base };';
    expect(planned({ ...vite, "vitest.config.ts": merged }).texts).not.toHaveProperty(["vitest.config.ts"]);
  });

  it("has the plugin in tests by Vitest where nothing configures them yet, and Vite does not build it", () => {
    const json = { scripts: { start: "node src/main.js", test: "vitest" }, devDependencies: { vitest: "4" } };
    const files = { "package.json": JSON.stringify(json), "src/main.js": "" };
    expect(planned(files).texts["vitest.config.mjs"]).toBe(`import { defineConfig } from "vitest/config";
import kernel from "unplugin-kernel/vite";

export default defineConfig({
  plugins: [kernel()],
});
`);
    expect(planned({ ...files, "vite.config.ts": "export default {};" }).texts).not.toHaveProperty([
      "vitest.config.mjs",
    ]);
    expect(planned({ "package.json": packageJson("vite", "vitest") }).texts).not.toHaveProperty(["vitest.config.mjs"]);
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

  it("has imports whose types are of this package where TypeScript would refuse them, for want of a rootDir", () => {
    const importsWith = (options: object) => {
      const tsconfig = JSON.stringify({ compilerOptions: options });
      return JSON.parse(planned({ "package.json": "{}", "tsconfig.json": tsconfig }).texts["package.json"]!).imports;
    };
    expect(importsWith({ outDir: "dist" })).toEqual({
      "#op/*": { types: "unplugin-kernel/kernel", "unplugin-kernel": "./src/kernels/*" },
    });
    expect(importsWith({ outDir: "dist", rootDir: "src" })).toEqual({ "#op/*": "./src/kernels/*" });
    // ts-jest gives TypeScript an output folder.
    const { texts } = planned({ "package.json": packageJson("jest", "ts-jest"), "tsconfig.json": "{}" });
    expect(JSON.parse(texts["package.json"]!).imports["#op/*"]).toHaveProperty("types");
  });

  it("may have nothing in it", () => {
    expect(JSON.parse(planned({ "package.json": "{}", "vite.config.js": "" }).texts["package.json"]!)).toEqual({
      scripts: { tune: "unplugin-kernel tune" },
      imports: { "#op/*": "./src/kernels/*" },
      devDependencies: { "unplugin-kernel": "^1.2.3" },
    });
    expect(withEntries("{}\n", "scripts", { a: "b" })).toBe('{\n  "scripts": {\n    "a": "b"\n  }\n}\n');
  });

  it("has to be there, and an object", () => {
    expect(() => readPackageJson(writeApp({ "x.js": "" }))).toThrow("init.no-package: there is no package.json");
    const broken = (text: string) => () => readPackageJson(writeApp({ "package.json": text }));
    expect(broken("{,}")).toThrow("init.broken-package: ");
    expect(broken("[]")).toThrow(/init\.broken-package: .*package\.json: it is no object/);
    const escapes = `{"name": "${"\\\\".repeat(1 << 18)}"}`;
    expect(broken(escapes)).toThrow(/it has 524300 characters, and files of at most 262144 are edited/);
    const deep = (levels: number): string => `{"name": "a", "x": ${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(broken(deep(256))).toThrow(/it has more than 256 brackets inside of each other/);
    expect(broken(deep(255))).not.toThrow();
    expect(broken('{"scripts": []}')).toThrow("scripts is no object");
  });
});

describe("types", () => {
  const vite = { "package.json": packageJson("vite"), "tsconfig.json": "{}" };
  const placeIn = (files: Files): string | null => {
    const { root, declarations } = planned(files);
    return declarations && relative(root, declarations);
  };

  it("are written where starters' tsconfig.json looks, and by builds, too", () => {
    expect(placeIn({ ...vite, "src/main.ts": "" })).toBe("src/kernel-imports.d.ts");
    // The operator to begin with makes src/.
    expect(placeIn(vite)).toBe("src/kernel-imports.d.ts");
    const next = { "package.json": packageJson("next"), "tsconfig.json": "{}", "app/page.tsx": "" };
    expect(placeIn(next)).toBe("kernel-imports.d.ts");
  });

  it("are among the files of each tsconfig that reads their folder in part, as that of Vue's tests", () => {
    const { texts } = planned({
      ...vite,
      "src/main.ts": "",
      "tsconfig.app.json": '{ "include": ["env.d.ts", "src/**/*"] }',
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      "tsconfig.node.json": '{ "include": ["vite.config.*"] }',
      "tsconfig.vitest.json": `{
  // Tests
  "include": ["./src/**/__tests__/*", "env.d.ts"],
}`,
      "tsconfig.lines.json": '{\n  "include": [\n    "src/main.ts",\n  ]\n}',
      "tsconfig.folder.json": '{ "include": ["src"] }',
    });
    expect(Object.entries(texts).filter(([name]) => name.startsWith("tsconfig"))).toEqual([
      ["tsconfig.lines.json", '{\n  "include": [\n    "src/main.ts",\n    "src/kernel-imports.d.ts",\n  ]\n}'],
      [
        "tsconfig.vitest.json",
        `{
  // Tests
  "include": ["./src/**/__tests__/*", "env.d.ts", "src/kernel-imports.d.ts"],
}`,
      ],
    ]);
  });

  it("stay where they are", () => {
    const root = writeApp(vite);
    const written = `${root}/types/kernels.d.ts`;
    const plan = planInit({ root, host: null, operators: [], version: "1.2.3", written });
    expect(plan.declarations).toBe(written);
    expect(plan.changes[0]!.text).toContain('kernel({ dts: "types/kernels.d.ts" })');
  });

  it.each<[string, Files]>([
    ["has no TypeScript", { "package.json": packageJson("vite") }],
    ["has general types in its tsconfig", { ...vite, "tsconfig.app.json": '{"types": ["unplugin-kernel/client"]}' }],
  ])("are left as they are in a project that %s", (_, files) => {
    expect(placeIn(files)).toBe(null);
  });
});

describe("operators", () => {
  const root = writeApp({ "package.json": packageJson("vite"), "lib/ops/layer-norm.op.js": "" });
  const plan = planInit({
    root,
    host: null,
    operators: [`${root}/lib/ops/layer-norm.op.js`],
    version: "1.2.3",
    written: null,
  });

  it("of the project's own are what imports lead to", () => {
    const names = plan.changes.map(({ file }) => relative(root, file)).sort();
    expect(names).toEqual(["package.json", "vite.config.mjs"]);
    expect(plan.changes.at(-1)!.text).toContain('"#op/*": "./lib/ops/*"');
    expect(plan.exampleImport).toBe('import layerNorm from "#op/layer-norm.op.js?tune=wasm";');
  });
});

describe("Jest", () => {
  const withScripts = (more: object) => ({
    "package.json": JSON.stringify({ devDependencies: { jest: "30" }, ...more }),
  });

  it("has the plugin around its configuration, as a module or not", () => {
    const moduleText = "const config = { verbose: true };\n\nexport default config;\n";
    expect(planned({ ...withScripts({}), "jest.config.mjs": moduleText }).texts["jest.config.mjs"]).toBe(
      `import withKernels from "unplugin-kernel/jest";\n\n${moduleText.replace("default config", "default withKernels(config)")}`,
    );
    const commonJs = `const { createDefaultPreset } = require("ts-jest");\n\nmodule.exports = {\n  transform: {},\n};\n`;
    const { texts } = planned({ "package.json": packageJson("vite", "jest"), "jest.config.js": commonJs });
    expect(texts["jest.config.js"]).toBe(`const { createDefaultPreset } = require("ts-jest");
const withKernels = require("unplugin-kernel/jest").default;

module.exports = withKernels({
  transform: {},
});
`);
    expect(texts).toHaveProperty(["vite.config.mjs"]);
  });

  it("gets a configuration that every Node reads where it has none, and the hooks in scripts that are not its own", () => {
    const { texts, byHand } = planned({
      ...withScripts({
        scripts: { test: "node --experimental-vm-modules node_modules/.bin/jest", start: "node a.js" },
      }),
      "tsconfig.json": "{}",
    });
    expect(texts["jest.config.mjs"]).toBe(
      'import withKernels from "unplugin-kernel/jest";\n\nexport default withKernels({});\n',
    );
    expect(JSON.parse(texts["package.json"]!).scripts).toMatchObject({
      test: "node --experimental-vm-modules node_modules/.bin/jest",
      start: "node --import unplugin-kernel/register a.js",
    });
    expect(byHand).toEqual([]);
  });

  it("has our transformer around its own where its configuration is JSON, in package.json and in files that scripts name", () => {
    const nest = {
      scripts: { test: "jest", "test:e2e": "jest --config ./test/jest-e2e.json" },
      devDependencies: { jest: "30" },
      jest: { rootDir: "src", transform: { "^.+\\.(t|j)s$": "ts-jest", "\\.txt$": ["raw-jest", { esm: true }] } },
    };
    const files = {
      "package.json": JSON.stringify(nest, null, 2),
      "test/jest-e2e.json": `{\n  "rootDir": "."\n}\n`,
    };
    const { texts, byHand } = planned(files);
    expect(byHand.filter((line) => line.includes("Jest"))).toEqual([]);
    const transformer = "unplugin-kernel/jest-transformer";
    expect(JSON.parse(texts["package.json"]!).jest).toEqual({
      rootDir: "src",
      transform: {
        "^.+\\.(t|j)s$": [transformer, { inner: "ts-jest" }],
        "\\.txt$": [transformer, { inner: ["raw-jest", { esm: true }] }],
      },
    });
    expect(JSON.parse(texts["test/jest-e2e.json"]!)).toEqual({
      rootDir: ".",
      transform: { "\\.[jt]sx?$": [transformer, { inner: "babel-jest" }] },
    });
    expect(texts).not.toHaveProperty(["jest.config.mjs"]);
    expect(Object.keys(planned({ ...files, ...texts }).texts)).toEqual([]);
  });

  it("beside a bundler has the plugin in JSON, too", () => {
    const json = { devDependencies: { jest: "30", vite: "8" }, jest: {} };
    const { texts, byHand } = planned({ "package.json": JSON.stringify(json) });
    expect(byHand).toEqual([]);
    expect(JSON.parse(texts["package.json"]!).jest.transform["\\.[jt]sx?$"][1]).toEqual({ inner: "babel-jest" });
    expect(texts).toHaveProperty(["vite.config.mjs"]);
  });

  it.each([
    ["its transformers are those of a preset", { preset: "ts-jest" }],
    ["it has projects", { projects: ["a"] }],
    ["its transformer <rootDir>/a.js is a file", { transform: { a: "<rootDir>/a.js" } }],
    ["it is the name of another file", "config/jest.js"],
  ])("is its owner's to move where JSON has no place for the plugin: %s", (why, jest) => {
    const { texts, byHand } = planned(withScripts({ jest }));
    expect(byHand).toEqual([`package.json: ${why}: move Jest's configuration to jest.config.mjs`]);
    expect(texts).not.toHaveProperty(["jest.config.mjs"]);
  });
});

test("Vitest in a program without a bundler has the plugin", () => {
  const { host, texts } = planned({ "package.json": packageJson("vitest", "tsx"), "tsconfig.json": "{}" });
  expect(host).toBe("node");
  expect(texts["vitest.config.ts"]).toContain('import { defineConfig } from "vitest/config";');
  expect(texts["vitest.config.ts"]).toContain("plugins: [kernel()],");
});

describe("a program without a bundler", () => {
  const scriptsOf = (scripts: Record<string, string>, more: Files = {}, packages: readonly string[] = []) => {
    const json = { scripts, devDependencies: Object.fromEntries(packages.map((name) => [name, "1"])) };
    const { texts, byHand } = planned({ "package.json": JSON.stringify(json, null, 2), ...more });
    return { byHand, scripts: JSON.parse(texts["package.json"]!).scripts as Record<string, string> };
  };
  const hooks = "--import unplugin-kernel/register";

  it("has the hooks in the scripts that run it, and nowhere else", () => {
    const { scripts, byHand } = scriptsOf({
      build: "node build.js",
      start: 'echo "start" && node --title="a \\" b" src/main.js',
      "dev:api": "tsx watch src/main.ts",
      test: "node --test",
      serve: "bun run src/main.ts",
      server: "deno run -A src/main.ts",
      watch: "vite-node x && ./bin/node y",
      "start:dev": "nest start --watch",
    });
    expect(byHand).toEqual([]);
    expect(scripts).toEqual({
      build: "node build.js",
      start: `echo "start" && node ${hooks} --title="a \\" b" src/main.js`,
      "dev:api": `tsx watch ${hooks} src/main.ts`,
      test: `node ${hooks} --test`,
      serve: "bun run --preload unplugin-kernel/register src/main.ts",
      server: "deno run --preload npm:unplugin-kernel/register -A src/main.ts",
      watch: "vite-node x && ./bin/node y",
      "start:dev": `nest start --exec "node ${hooks}" --watch`,
      tune: "unplugin-kernel tune",
    });
  });

  it("gets a script that starts it, or is told how", () => {
    expect(scriptsOf({}, { "src/index.ts": "" }, ["tsx"]).scripts.start).toBe(`tsx ${hooks} src/index.ts`);
    expect(scriptsOf({ start: "custom" }, { "main.js": "" }).byHand).toEqual([
      "package.json: no script of it runs a program with node, tsx, bun, deno or nest; your program is started with",
    ]);
  });
});

describe.each([
  ["pnpm-lock.yaml", "pnpm install", "pnpm tune"],
  ["yarn.lock", "yarn install", "yarn tune"],
  ["bun.lock", "bun install", "bun run tune"],
  ["deno.lock", "deno install", "deno task tune"],
  ["package-lock.json", "npm install", "npm run tune"],
])("with %s", (lockfile, install, tune) => {
  it(`the package is installed by ${install}`, () => {
    expect(planned({ "package.json": packageJson("vite"), [lockfile]: "" })).toMatchObject({ install, tune });
  });
});

test("nothing is to be installed where the package is in the workspace's folder", () => {
  const root = writeApp({
    "node_modules/unplugin-kernel/package.json": "{}",
    "packages/app/package.json": packageJson("vite"),
    "package.json": "{}",
  });
  expect(planFor(`${root}/packages/app`).install).toBe(null);
});

test("the package manager is that of the workspace, or what package.json names", () => {
  const root = writeApp({ "pnpm-lock.yaml": "", "packages/app/package.json": packageJson("vite") });
  expect(planFor(`${root}/packages/app`).tune).toBe("pnpm tune");
  const named = { "package.json": JSON.stringify({ packageManager: "yarn@4.9.0" }), "package-lock.json": "" };
  expect(planned(named).tune).toBe("yarn tune");
});
