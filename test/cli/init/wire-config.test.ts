// Configuration files as people write them, and what becomes of each: the plugin in its place and everything else as it was, or a reason.

import { describe, expect, it, test } from "vitest";
import type { HostName } from "../../../src/cli/init/hosts.ts";
import { wireConfig } from "../../../src/cli/init/wire-config.ts";

function edited(host: HostName, text: string): string {
  const wiring = wireConfig(text, host);
  if (wiring.kind !== "edited") throw new Error(JSON.stringify(wiring));
  expect(wireConfig(wiring.text, host)).toEqual({ kind: "wired" });
  return wiring.text;
}

interface Case {
  readonly name: string;
  readonly host: HostName;
  readonly before: string;
  readonly after: string;
}

const cases: readonly Case[] = [
  {
    name: "a module of Nuxt, by its name",
    host: "nuxt",
    before: `export default defineNuxtConfig({
  compatibilityDate: '2025-07-15',
  modules: ['@nuxt/image'],
})
`,
    after: `export default defineNuxtConfig({
  compatibilityDate: '2025-07-15',
  modules: ['unplugin-kernel/nuxt', '@nuxt/image'],
})
`,
  },
  {
    name: "around Next's configuration, whatever it is made of",
    host: "next",
    before: `import type { NextConfig } from "next";

const nextConfig: NextConfig = {
  /* config options here */
};

export default withMDX({ ...nextConfig });
`,
    after: `import type { NextConfig } from "next";
import withKernels from "unplugin-kernel/next";

const nextConfig: NextConfig = {
  /* config options here */
};

export default withKernels(withMDX({ ...nextConfig }));
`,
  },
  {
    name: "around Next's configuration in CommonJS",
    host: "next",
    before: "/** @type {import('next').NextConfig} */\nconst nextConfig = {}\n\nmodule.exports = nextConfig\n",
    after: `const withKernels = require('unplugin-kernel/next').default

/** @type {import('next').NextConfig} */
const nextConfig = {}

module.exports = withKernels(nextConfig)
`,
  },
  {
    name: "among the plugins of the Vite in Astro",
    host: "astro",
    before: `// @ts-check
import { defineConfig } from 'astro/config';

// https://astro.build/config
export default defineConfig({});
`,
    after: `// @ts-check
import { defineConfig } from 'astro/config';
import kernel from 'unplugin-kernel/vite';

// https://astro.build/config
export default defineConfig({
  vite: { plugins: [kernel()] }
});
`,
  },
  {
    name: "among the plugins that such a Vite has",
    host: "astro",
    before: `import tailwind from "@tailwindcss/vite";
export default { output: "static", vite: { plugins: [tailwind()], server: {} } };
`,
    after: `import tailwind from "@tailwindcss/vite";
import kernel from "unplugin-kernel/vite";
export default { output: "static", vite: { plugins: [kernel(), tailwind()], server: {} } };
`,
  },
  {
    name: "in front of the options that such a Vite has",
    host: "solid-start",
    before: `import { defineConfig } from "@solidjs/start/config";
export default defineConfig({ vite: { server: {} } });
`,
    after: `import { defineConfig } from "@solidjs/start/config";
import kernel from "unplugin-kernel/vite";
export default defineConfig({ vite: { server: {}, plugins: [kernel()] } });
`,
  },
  {
    name: "among the plugins of each part of an Electron program that the file names",
    host: "electron-vite",
    before: `import { defineConfig } from 'electron-vite'
import vue from '@vitejs/plugin-vue'

export default defineConfig({
  main: {},
  renderer: {
    plugins: [vue()]
  }
})
`,
    after: `import { defineConfig } from 'electron-vite'
import vue from '@vitejs/plugin-vue'
import kernel from 'unplugin-kernel/vite'

export default defineConfig({
  main: {
    plugins: [kernel()]
  },
  renderer: {
    plugins: [kernel(), vue()]
  }
})
`,
  },
  {
    name: "among tsup's plugins of esbuild",
    host: "tsup",
    before: `import { defineConfig } from "tsup";
export default defineConfig({ entry: ["src/index.ts"], dts: true });
`,
    after: `import { defineConfig } from "tsup";
import kernel from "unplugin-kernel/esbuild";
export default defineConfig({ entry: ["src/index.ts"], dts: true, esbuildPlugins: [kernel()] });
`,
  },
  {
    name: "a list of plugins on one line, in the file's quotes and without semicolons",
    host: "vite",
    before: `import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'

// https://vite.dev/config/
export default defineConfig({
  plugins: [react()],
})
`,
    after: `import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import kernel from 'unplugin-kernel/vite'

// https://vite.dev/config/
export default defineConfig({
  plugins: [kernel(), react()],
})
`,
  },
  {
    name: "a list of plugins with one a line, and comments",
    host: "rollup",
    before: `import resolve from "@rollup/plugin-node-resolve"; // packages

export default {
\tinput: "src/main.js",
\tplugins: [
\t\t// first packages
\t\tresolve(),
\t],
};
`,
    after: `import resolve from "@rollup/plugin-node-resolve"; // packages
import kernel from "unplugin-kernel/rollup";

export default {
\tinput: "src/main.js",
\tplugins: [
\t\tkernel(),
\t\t// first packages
\t\tresolve(),
\t],
};
`,
  },
  {
    name: "CommonJS with a name, Windows' ends of lines",
    host: "webpack",
    before:
      "const path = require('path');\r\n\r\nconst config = {\r\n    entry: './src/index.js',\r\n    output: { path: path.resolve(__dirname, 'dist') },\r\n};\r\n\r\nmodule.exports = config;\r\n",
    after:
      "const path = require('path');\r\nconst kernel = require('unplugin-kernel/webpack').default;\r\n\r\nconst config = {\r\n    entry: './src/index.js',\r\n    output: { path: path.resolve(__dirname, 'dist') },\r\n    plugins: [kernel()],\r\n};\r\n\r\nmodule.exports = config;\r\n",
  },
  {
    name: "CommonJS without anything else",
    host: "rspack",
    before: `"use strict";\nmodule.exports = { entry: "./main.js" };\n`,
    after: `"use strict";\nconst kernel = require("unplugin-kernel/rspack").default;\nmodule.exports = { entry: "./main.js", plugins: [kernel()] };\n`,
  },
  {
    name: "a function that returns a name, and pushes plugins later",
    host: "webpack",
    before: `const isProduction = process.env.NODE_ENV == "production";

const config = {
  entry: "./src/index.js",
  plugins: [
    // Add your plugins here
  ],
};

module.exports = () => {
  if (isProduction) {
    config.mode = "production";
    config.plugins.push(new Extract());
  }
  return config;
};
`,
    after: `const kernel = require("unplugin-kernel/webpack").default;

const isProduction = process.env.NODE_ENV == "production";

const config = {
  entry: "./src/index.js",
  plugins: [
    kernel(),
    // Add your plugins here
  ],
};

module.exports = () => {
  if (isProduction) {
    config.mode = "production";
    config.plugins.push(new Extract());
  }
  return config;
};
`,
  },
  {
    name: "TypeScript: a function in defineConfig with two returns, types around objects",
    host: "vite",
    before: `import { defineConfig, type UserConfig } from "vite";

export default defineConfig(({ command }: { command: string }) => {
  if (command === "serve") return { plugins: [] } satisfies UserConfig;
  return { base: "/app/" } as UserConfig;
});
`,
    after: `import { defineConfig, type UserConfig } from "vite";
import kernel from "unplugin-kernel/vite";

export default defineConfig(({ command }: { command: string }) => {
  if (command === "serve") return { plugins: [kernel()] } satisfies UserConfig;
  return { base: "/app/", plugins: [kernel()] } as UserConfig;
});
`,
  },
  {
    name: "several configurations with one list of plugins",
    host: "rollup",
    before: `const plugins = [terser()].filter(Boolean);
export default [
  { input: "a.js", plugins },
  { input: "b.js", plugins },
];
`,
    after: `import kernel from "unplugin-kernel/rollup";

const plugins = [kernel(), terser()].filter(Boolean);
export default [
  { input: "a.js", plugins },
  { input: "b.js", plugins },
];
`,
  },
  {
    name: "a comment behind the last option stays where it is, a comment before the export too",
    host: "rolldown",
    before: `/** @type {import("rolldown").RolldownOptions} */
export default {
  input: "src/main.js", // the program
};
`,
    after: `import kernel from "unplugin-kernel/rolldown";

/** @type {import("rolldown").RolldownOptions} */
export default {
  plugins: [kernel()],
  input: "src/main.js", // the program
};
`,
  },
  {
    name: "options without anything in them",
    host: "rsbuild",
    before: `import { defineConfig } from "@rsbuild/core";\n\nexport default defineConfig({});\n`,
    after: `import { defineConfig } from "@rsbuild/core";\nimport kernel from "unplugin-kernel/rsbuild";\n\nexport default defineConfig({\n  plugins: [kernel()]\n});\n`,
  },
  {
    name: "another kernel in the file",
    host: "farm",
    before: `import { kernel } from "./kernel";\nexport default { plugins: [kernel] };\n`,
    after: `import { kernel } from "./kernel";\nimport kernelPlugin from "unplugin-kernel/farm";\nexport default { plugins: [kernelPlugin(), kernel] };\n`,
  },
  {
    name: "calls of esbuild in a script",
    host: "esbuild",
    before: `#!/usr/bin/env node
import * as esbuild from "esbuild";

const options = {
  entryPoints: ["src/main.ts"],
  bundle: true,
};
if (process.argv.includes("--watch")) await (await esbuild.context(options)).watch();
else await esbuild.build({ ...options, minify: true, plugins: [] });
`,
    after: `#!/usr/bin/env node
import * as esbuild from "esbuild";
import kernel from "unplugin-kernel/esbuild";

const options = {
  entryPoints: ["src/main.ts"],
  bundle: true,
  plugins: [kernel()],
};
if (process.argv.includes("--watch")) await (await esbuild.context(options)).watch();
else await esbuild.build({ ...options, minify: true, plugins: [kernel()] });
`,
  },
  {
    name: "a call of build that esbuild gave by require",
    host: "esbuild",
    before: `#!/usr/bin/env node
const { build } = require("esbuild");
build({ entryPoints: ["main.js"] });
`,
    after: `#!/usr/bin/env node
const { build } = require("esbuild");
const kernel = require("unplugin-kernel/esbuild").default;
build({ entryPoints: ["main.js"], plugins: [kernel()] });
`,
  },
  {
    name: "a script of Bun's",
    host: "bun",
    before: `const result = await Bun.build({\n  entrypoints: ["./index.ts"],\n  outdir: "./out",\n});\n`,
    after: `import kernel from "unplugin-kernel/bun";\n\nconst result = await Bun.build({\n  entrypoints: ["./index.ts"],\n  outdir: "./out",\n  plugins: [kernel()],\n});\n`,
  },
];

describe("edits", () => {
  it.each(cases)("$name", ({ host, before, after }) => {
    expect(edited(host, before)).toBe(after);
  });
});

test("a file that has the plugin stays as it is", () => {
  const text = `import ops from "unplugin-kernel/vite";\nexport default { plugins: [ops({ mode: "frozen" })] };\n`;
  expect(wireConfig(text, "vite")).toEqual({ kind: "wired" });
});

describe("left to its owner, with the lines to add", () => {
  const cases: readonly (readonly [why: string, host: HostName, text: string])[] = [
    ["it cannot be read", "vite", "export default {"],
    ["it exports nothing", "vite", "console.log(1);"],
    ["its options come from a call", "vite", "export default mergeConfig(base, { plugins: [] });"],
    ["what base is cannot be told", "rollup", 'import base from "./base.js";\nexport default base;'],
    ["options is assigned later", "rollup", "let options = {};\noptions = load();\nexport default options;"],
    ["its options are made of others", "vite", "export default { ...base };"],
    ["its plugins are no list", "vite", "export default { plugins: pluginsFor(mode) && [] };"],
    ["its plugins are assigned later", "webpack", "const c = {};\nc.plugins = [];\nmodule.exports = c;"],
    ["its function returns nothing", "vite", "export default () => { start(); };"],
    ["its options are no object", "vite", "export default 1;"],
    ["it does not call build or context of esbuild", "esbuild", 'import { buildSync } from "esbuild";\nbuildSync({});'],
  ];
  it.each(cases)("a file: %s", (why, host, text) => {
    const isCommonJs = text.includes("module.exports");
    expect(wireConfig(text, host)).toEqual({
      kind: "by-hand",
      why: expect.stringContaining(why),
      lines: [
        isCommonJs
          ? `const kernel = require("unplugin-kernel/${host}").default;`
          : `import kernel from "unplugin-kernel/${host}";`,
        "plugins: [kernel()],",
      ],
    });
  });
});
