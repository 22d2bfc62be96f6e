// `unplugin-kernel/nuxt` in a Nuxt that only takes down what a module does to it, and in Nitro's part of a build: a server bundle of Vite's
// that is bundled once more, by a Rollup in which `import.meta` is not what it was.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Plugin, rollup } from "rollup";
import { build as vite } from "vite";
import { describe, expect, it } from "vitest";
import { bestTargetName, detectMachine } from "../../../src/native/machine/machine.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import kernelModule, { type Nuxt } from "../../../src/plugin/entries/nuxt.ts";
import { outputFiles, writeApp } from "../../support/build-app.ts";

type Options = Parameters<typeof kernelModule>[0];

/** @param options of Nuxt: what the module changes in them, and the callbacks that it hands to hooks, by name */
function moduleIn(rootDir: string, given: Options = {}, viteOptions: Nuxt["options"]["vite"] = {}) {
  const hooks = new Map<string, (given: never) => void>();
  const nuxt: Nuxt = { options: { rootDir, vite: viteOptions }, hook: (name, callback) => hooks.set(name, callback) };
  kernelModule(given, nuxt);
  const call = <T>(name: string, value: T): T => {
    hooks.get(name)?.(value as never);
    return value;
  };
  return { nuxt, hooks: [...hooks.keys()].sort(), call };
}

const namesOf = (plugins: unknown): readonly unknown[] =>
  [plugins].flat().map((plugin) => (plugin as { name?: string }).name ?? "class");

describe("the module", () => {
  it("puts the plugin in front of Vite's", () => {
    const { nuxt } = moduleIn("/app", {}, { plugins: [{ name: "other" }] });
    expect(namesOf((nuxt.options.vite as { plugins: unknown }).plugins)).toEqual(["unplugin-kernel", "other"]);
  });

  it("leaves a Nuxt without Vite without it", () => {
    expect(moduleIn("/app", {}, false).nuxt.options.vite).toBe(false);
  });

  it("puts the plugin in front of webpack's and Rspack's, in each configuration", () => {
    const { call } = moduleIn("/app");
    for (const name of ["webpack:config", "rspack:config"]) {
      const [client, server] = call(name, [{ plugins: ["other"] }, {}] as { plugins?: unknown[] }[]);
      expect(client!.plugins).toEqual([expect.objectContaining({ apply: expect.any(Function) }), "other"]);
      expect(server!.plugins).toHaveLength(1);
    }
  });

  it("puts the plugin in front of Nitro's, and keeps the rest of its configuration", () => {
    const { call } = moduleIn("/app");
    const nitro = call("nitro:config", { rollupConfig: { plugins: { name: "other" }, external: ["x"] } });
    expect(namesOf(nitro.rollupConfig.plugins)).toEqual(["unplugin-kernel", "other"]);
    expect(nitro.rollupConfig.external).toEqual(["x"]);
    expect(namesOf(call("nitro:config", {} as typeof nitro).rollupConfig.plugins)).toEqual(["unplugin-kernel"]);
  });

  it("names the declarations in the types of the app and of the server, at the place that dts says", () => {
    const pathsOf = (given: Options, hook: string) =>
      moduleIn("/app", given).call(hook, { references: [] as { path: string }[] }).references;
    for (const hook of ["prepare:types", "nitro:prepare:types"]) {
      expect(pathsOf({}, hook)).toEqual([{ path: "/app/kernel-imports.d.ts" }]);
      expect(pathsOf({ dts: "types/kernels.d.ts" }, hook)).toEqual([{ path: "/app/types/kernels.d.ts" }]);
      expect(pathsOf({ dts: false }, hook)).toEqual([]);
    }
  });
});

const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`;
const call = (query: string): string => `import gemm from "./gemm.op.ts?${query}";
  const ones = new Float32Array(256).fill(1);
  export const said = [gemm(ones, ones)[255], gemm.info.twin, gemm.info.twinReason];\n`;

/** Changes of Nitro's own in code and chunks: its variable for `import.meta` knows the address of no chunk. */
const changesMeta: Plugin = {
  name: "replace",
  transform: (code) => code.replaceAll("import.meta.", "globalThis._importMeta_."),
  renderChunk: (code) =>
    `globalThis._importMeta_ = { url: "file:///_entry.js" };\n${code.replaceAll("import.meta.", "globalThis._importMeta_.")}`,
};

/** Builds a page for the server by Vite and a server with it by Nitro's Rollup, moves the server, and runs it. */
async function served(query: string) {
  const root = writeApp({
    "app/page.js": call(query),
    "app/gemm.op.ts": operator,
    "server/route.js": call(query),
    "server/gemm.op.ts": operator,
    "server/entry.js": `
      const page = await import("../built/page.mjs"), route = await import("./route.js");
      console.log(JSON.stringify({ page: page.said, route: route.said }));`,
  });
  const { nuxt, call: hook } = moduleIn(root, { mode: "predict", logLevel: "silent", cacheDir: "store", dts: false });
  await vite({
    root,
    configFile: false,
    logLevel: "silent",
    ...(nuxt.options.vite as object),
    build: { ssr: "app/page.js", outDir: "built", rollupOptions: { output: { entryFileNames: "[name].mjs" } } },
  });
  const { rollupConfig } = hook("nitro:config", {} as { rollupConfig: { plugins: Plugin[] } });
  const bundle = await rollup({
    input: join(root, "server/entry.js"),
    plugins: [...rollupConfig.plugins, changesMeta],
  });
  const names = { entryFileNames: "index.mjs", chunkFileNames: "chunks/build/[name].mjs" };
  await bundle.write({ dir: join(root, "out"), format: "es", ...names });
  const elsewhere = join(mkdtempSync(join(tmpdir(), "served-")), "out");
  cpSync(join(root, "out"), elsewhere, { recursive: true });
  // Nothing is left where it was built.
  const files = outputFiles(root).filter((name) => !name.endsWith(".mjs"));
  for (const folder of ["built", "out"]) rmSync(join(root, folder), { recursive: true });
  return {
    files,
    said: JSON.parse(execFileSync(process.execPath, [join(elsewhere, "index.mjs")], { encoding: "utf8" })),
  };
}

const noNative =
  bestTargetName(detectMachine()) === "wasm"
    ? "no CPU for addons"
    : (await detectToolchains()).length === 0
      ? "no C compiler"
      : null;

describe("a server that Nitro bundles", () => {
  const wasm = [16, expect.stringMatching(/^wasm/), expect.toSatisfy((why) => why === null || /relaxed/.test(why))];

  it("has the WASM of pages and routes in its code", async () => {
    expect(await served("tune=wasm")).toEqual({ files: [], said: { page: wasm, route: wasm } });
  });

  it("has the files that &sync=0 asks for, once for pages and routes, wherever it is moved", async () => {
    const { files, said } = await served("tune=wasm&sync=0");
    expect(said).toEqual({ page: wasm, route: wasm });
    expect(files.length).toBeGreaterThan(0);
    expect(files.every((name) => /^kernels\/gemm-[0-9a-f]{12}\.wasm$/.test(name))).toBe(true);
  });

  it.skipIf(noNative)(`has addons${noNative ? ` (${noNative})` : ""}`, async () => {
    const { files, said } = await served("tune=native");
    expect(said).toEqual({ page: [16, "native", null], route: [16, "native", null] });
    expect(files).toEqual([expect.stringMatching(/^kernels\/gemm-[0-9a-f]{12}\.node$/)]);
  });
});
