// Every configuration that docs/bundlers.md shows, taken from the page and built: what comes out runs, with a kernel in it.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { HostName as InitHost } from "../../src/cli/init/hosts.ts";
import { wireConfig } from "../../src/cli/init/wire-config.ts";
import { serveFolder } from "../support/browser.ts";
import { type HostName, missingHost } from "../support/build-app.ts";
import type { EngineName } from "../support/engine/engine.ts";
import { engines } from "../support/engine/engines.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(8);

const repository = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(repository, "docs/bundlers.md"), "utf8");
/** By what their first line calls them: "vite.config.ts: a library". */
const shown = new Map(
  [...page.matchAll(/```[jt]s\n\/\/ (.+)\n([\s\S]+?)```/g)].map(([, name, text]) => [name!, text!]),
);

// The test adds these options to the page's configurations: kernels are predicted, and kept in a folder of the test.
const cacheDir = mkdtempSync(join(tmpdir(), "store-"));
const options = `mode: "predict", logLevel: "silent", cacheDir: ${JSON.stringify(cacheDir)}`;
vi.stubEnv("CI", undefined);
afterAll(() => vi.unstubAllEnvs());

const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`;
const use = `import gemm from "./gemm.op.ts?tune=wasm";
const ones = new Float32Array(256).fill(1);
export const said = gemm(ones, ones)[0] + " " + gemm.info.op;\n`;
const right = "16 gemm";
const library: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "kernel-library", version: "1.0.0", type: "module", exports: "./index.js" }),
  "index.js": use,
  "gemm.op.ts": operator,
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A project with one configuration of the page, the plugin and the bundlers. */
function projectWith(name: string): string {
  const root = mkdtempSync(join(tmpdir(), "docs-"));
  const main = 'import { said } from "./use.js";\nconsole.log(said);\n';
  const file = name.split(":")[0]!;
  write(root, {
    "package.json": JSON.stringify({ name: "app", private: true, type: "module" }),
    [file]: shown.get(name)!.replaceAll("kernel()", `kernel({ ${options} })`),
    "index.html": '<!doctype html><title>app</title><script type="module" src="/src/main.js"></script>',
    // Pages of tests keep what they say where each engine's driver finds it.
    "src/main.js": `${main}globalThis.said = said;\n`,
    "src/main.ts": main,
    "src/index.ts": 'export { said } from "./use.js";\n',
    "src/use.js": use,
    "src/gemm.op.ts": operator,
  });
  const installed = join(root, "node_modules");
  write(join(installed, "kernel-library"), library);
  symlinkSync(repository, join(installed, "unplugin-kernel"), "junction");
  for (const it of ["vite", "rolldown", "esbuild"])
    symlinkSync(join(repository, "node_modules", it), join(installed, it), "junction");
  for (const [scope, it, from] of scoped) {
    mkdirSync(join(installed, scope), { recursive: true });
    symlinkSync(join(repository, from, scope, it), join(installed, scope, it), "junction");
  }
  return root;
}
const scoped = [
  ["@rsbuild", "core", "node_modules"],
  ["@farmfe", "core", "test/tools/node_modules"],
] as const;

const run = (root: string, program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: "pipe" });
/** A program that a package of the repository brings. */
const bin = (root: string, name: string, ...args: readonly string[]): string =>
  run(root, process.execPath, join(repository, "node_modules", name), ...args);
const script = (root: string, text: string): string => run(root, process.execPath, "--input-type=module", "-e", text);
const inNode = (root: string, file: string): string => run(root, process.execPath, join("dist", file)).trim();
const fromRepository = (name: string): string =>
  JSON.stringify(pathToFileURL(join(repository, "node_modules", name)).href);

/** With the bundler's own programming interface, as its command line does. */
const compile = (root: string, module: string, name: string, file: string): string =>
  script(
    root,
    `import { ${name} as bundle } from ${fromRepository(module)};
     import options from "./${file}";
     bundle({ context: process.cwd(), ...options }, (error, stats) => {
       if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
     });`,
  );

/** What a page says in each engine that is here. */
async function inPages(folder: string): Promise<Readonly<Partial<Record<EngineName, string>>>> {
  const server = await serveFolder(folder);
  try {
    const said: Partial<Record<EngineName, string>> = {};
    for (const { name, launch } of here) {
      const engine = await launch();
      try {
        const page = await engine.newPage();
        await page.goto(server.url);
        said[name] = await page.waitFor<string>("globalThis.said");
      } finally {
        await engine.close();
      }
    }
    return said;
  } finally {
    await server.close();
  }
}
const here = engines.filter(({ missing }) => missing === null);

/** Program that prints the dependency as Vite's dev server serves it. */
const served = `import { createServer } from "vite";
  const server = await createServer({ logLevel: "error", server: { port: 0, host: "localhost" } });
  await server.listen();
  const get = async (path) => (await fetch(new URL(path, server.resolvedUrls.local[0]))).text();
  const [, at] = (await get("/src/main.js")).match(/from "([^"]*kernel-library[^"]*)"/);
  const [, kernel] = (await get(at)).match(/from "([^"]*gemm.op.ts[^"]*)"/);
  console.log((await get(kernel)).includes("createKernel"));
  await server.close();`;

interface Case {
  readonly host: HostName;
  /** Builds, and runs in Node; what the program said. Null: it runs in a page alone. */
  readonly say: ((root: string) => string | Promise<string>) | null;
  /** Builds for a page; the folder with it. Null: no page has it. */
  readonly page?: (root: string) => string;
}

const cases: Readonly<Record<string, Case>> = {
  "vite.config.ts": {
    host: "vite",
    say(root) {
      bin(root, "vite/bin/vite.js", "build", "--ssr", "src/main.js", "--outDir", "server", "--logLevel", "error");
      return run(root, process.execPath, "server/main.js").trim();
    },
    page(root) {
      bin(root, "vite/bin/vite.js", "build", "--logLevel", "error");
      return join(root, "dist");
    },
  },
  "vite.config.ts: workers": {
    host: "vite",
    say: null,
    page(root) {
      const start = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';
      write(root, {
        "src/main.js": `${start}.onmessage = ({ data }) => { globalThis.said = data; };\n`,
        "src/worker.js": 'import { said } from "./use.js";\npostMessage(said);\n',
      });
      bin(root, "vite/bin/vite.js", "build", "--logLevel", "error");
      const worker = readdirSync(join(root, "dist/assets")).find((name) => name.startsWith("worker"))!;
      expect(readFileSync(join(root, "dist/assets", worker), "utf8")).toContain("WebAssembly");
      return join(root, "dist");
    },
  },
  "vite.config.ts: a library": {
    host: "vite",
    say(root) {
      bin(root, "vite/bin/vite.js", "build", "--logLevel", "error");
      return script(root, 'import { said } from "./dist/index.js"; console.log(said);').trim();
    },
  },
  "vite.config.ts: a dependency that imports operators": {
    host: "vite",
    say(root) {
      write(root, { "src/main.js": 'import { said } from "kernel-library";\nconsole.log(said);\n' });
      expect(script(root, served).trim()).toBe("true");
      bin(root, "vite/bin/vite.js", "build", "--ssr", "src/main.js", "--logLevel", "error");
      return inNode(root, "main.js");
    },
  },
  "rollup.config.js": {
    host: "rollup",
    say(root) {
      bin(root, "rollup/dist/bin/rollup", "-c", "--silent");
      return inNode(root, "main.js");
    },
  },
  "rolldown.config.js": {
    host: "rolldown",
    say(root) {
      bin(root, "rolldown/bin/cli.mjs", "-c");
      return inNode(root, "main.js");
    },
  },
  "build.mjs": {
    host: "esbuild",
    say(root) {
      run(root, process.execPath, "build.mjs");
      return inNode(root, "main.js");
    },
  },
  "webpack.config.js": {
    host: "webpack",
    say(root) {
      compile(root, "webpack/lib/index.js", "default", "webpack.config.js");
      return inNode(root, "main.cjs");
    },
  },
  "webpack.config.cjs": {
    host: "webpack",
    say(root) {
      compile(root, "webpack/lib/index.js", "default", "webpack.config.cjs");
      return inNode(root, "main.cjs");
    },
  },
  "rspack.config.mjs": {
    host: "rspack",
    say(root) {
      compile(root, "@rspack/core/dist/index.js", "rspack", "rspack.config.mjs");
      return inNode(root, "main.cjs");
    },
  },
  "rsbuild.config.ts": {
    host: "rsbuild",
    say(root) {
      bin(root, "@rsbuild/core/bin/rsbuild.js", "build");
      return inNode(root, "main.mjs");
    },
  },
  "farm.config.ts": {
    host: "farm",
    say(root) {
      script(root, 'import { build } from "@farmfe/core"; await build({ configPath: process.cwd() });');
      return inNode(root, "main.mjs");
    },
  },
  "build.ts": {
    host: "bun",
    say(root) {
      run(root, join(repository, "test/tools/node_modules/.bin/bun"), "build.ts");
      return inNode(root, "main.js");
    },
  },
};

interface Written {
  readonly host: InitHost;
  readonly dts: string | null;
  /** The starter's configuration, without its comments on what may be in it. */
  readonly before: string;
}

/** Frameworks are not installed here: the page shows what `init` makes of a starter, and `npm run test:starters` builds with it. */
const written: Readonly<Record<string, Written>> = {
  "nuxt.config.ts": {
    host: "nuxt",
    dts: null,
    before: `export default defineNuxtConfig({
  compatibilityDate: "2025-07-15",
  devtools: { enabled: true },
});
`,
  },
  "next.config.ts": {
    host: "next",
    dts: "kernel-imports.d.ts",
    before: `import type { NextConfig } from "next";

const nextConfig: NextConfig = {
  /* config options here */
};

export default nextConfig;
`,
  },
  "vite.config.ts: SvelteKit": {
    host: "vite",
    dts: "src/kernel-imports.d.ts",
    before: `import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [sveltekit()],
});
`,
  },
  "astro.config.mjs": {
    host: "astro",
    dts: "src/kernel-imports.d.ts",
    before: `// @ts-check
import { defineConfig } from "astro/config";

// https://astro.build/config
export default defineConfig({});
`,
  },
  "jest.config.mjs": { host: "jest", dts: null, before: 'export default { preset: "ts-jest" };\n' },
};

describe("docs/bundlers.md", () => {
  it("shows the configurations that are tested here", () => {
    expect([...shown.keys()]).toEqual([...Object.keys(cases), ...Object.keys(written)]);
    for (const name of Object.keys(cases)) expect(shown.get(name)).toContain("kernel()");
  });

  it.each(Object.entries(written))("shows what init writes: %s", (name, { host, dts, before }) => {
    const wiring = wireConfig(before, host, dts);
    if (wiring.kind !== "edited") throw new Error(JSON.stringify(wiring));
    expect(shown.get(name)).toBe(wiring.text);
  });

  for (const [name, { host, say, page }] of Object.entries(cases)) {
    const missing = missingHost(host);
    turn.skipIf(missing)(`${host}: ${name}${missing ? ` (${missing})` : ""}`, async () => {
      const root = projectWith(name);
      if (say) expect(await say(root)).toBe(right);
      if (page) expect(await inPages(page(root))).toEqual(Object.fromEntries(here.map(({ name }) => [name, right])));
    });
    for (const engine of page ? engines : [])
      if (engine.missing) it.skip(`${host}: ${name}, in a page of ${engine.name} (${engine.missing})`, () => undefined);
  }
});
