// `withKernels` of `unplugin-kernel/next`: what becomes of a configuration of Next's, and a build of webpack with what it gives.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { webpack } from "webpack";
import withKernels from "../../../src/plugin/entries/next.ts";
import { runMoved, runWebpack, type WebpackCompiler, webpackOptions, writeApp } from "../../support/build-app.ts";

interface Rule {
  readonly as: string;
  readonly condition: { readonly query: RegExp };
  readonly loaders: readonly { readonly loader: string; readonly options: object }[];
}

/** Part of Next's configuration that is looked at. */
interface Configuration {
  readonly reactStrictMode?: boolean;
  readonly turbopack?: { readonly root?: string; readonly rules?: Readonly<Record<string, Rule>> };
  readonly outputFileTracingIncludes?: Readonly<Record<string, readonly string[]>>;
  readonly webpack?: (config: { plugins?: unknown[]; name?: string }, context: object) => { plugins?: unknown[] };
}

const isPlugin = expect.objectContaining({ apply: expect.any(Function) });
const ownRule = { as: "*.svg", condition: { query: /svg/ }, loaders: [] };

describe("withKernels", () => {
  it("gives Turbopack a rule for each kind of operator file, with the options as data", () => {
    const { turbopack } = withKernels<Configuration>({}, { dts: "kernel-imports.d.ts" });
    const rules = turbopack!.rules!;
    expect(Object.keys(rules)).toEqual(["*.op.ts", "*.op.js", "*.op.mts", "*.op.mjs"]);
    for (const { as, condition, loaders } of Object.values(rules)) {
      expect(as).toBe("*.js");
      expect(loaders).toEqual([{ loader: "unplugin-kernel/loader", options: { dts: "kernel-imports.d.ts" } }]);
      expect(["?tune=wasm", "?M=8&tune=wasm"].every((query) => condition.query.test(query))).toBe(true);
      expect(["", "?url", "?fortune=1"].some((query) => condition.query.test(query))).toBe(false);
    }
  });

  it("keeps what the project has: options, rules, and files for the server", () => {
    const wired = withKernels<Configuration>({
      reactStrictMode: true,
      turbopack: { root: "/repository", rules: { "*.svg": ownRule, "*.op.js": ownRule } },
      outputFileTracingIncludes: { "/**": ["./data/*"], "/api": ["./more/*"] },
    });
    expect(wired.reactStrictMode).toBe(true);
    expect(wired.turbopack!.root).toBe("/repository");
    expect(wired.turbopack!.rules).toMatchObject({ "*.svg": ownRule, "*.op.js": ownRule, "*.op.ts": { as: "*.js" } });
    expect(wired.outputFileTracingIncludes).toEqual({
      "/**": ["./node_modules/.cache/unplugin-kernel/addons/*.node", "./data/*"],
      "/api": ["./more/*"],
    });
  });

  it("names the addons of a store elsewhere", () => {
    const { outputFileTracingIncludes } = withKernels<Configuration>({}, { cacheDir: "store" });
    expect(outputFileTracingIncludes).toEqual({ "/**": ["./store/addons/*.node"] });
  });

  it("puts the plugin in front of webpack's", () => {
    const { webpack: change } = withKernels<Configuration>({});
    expect(change!({ name: "client", plugins: ["other"] }, {})).toEqual({
      name: "client",
      plugins: [isPlugin, "other"],
    });
    expect(change!({}, {})).toEqual({ plugins: [isPlugin] });
  });

  it("lets the project's own function change what has the plugin", () => {
    const context = { isServer: true };
    const { webpack: change } = withKernels<Configuration>({
      webpack: (config, given) => ({ plugins: [...config.plugins!, given] }),
    });
    expect(change!({}, context)).toEqual({ plugins: [isPlugin, context] });
  });

  it("wires the configuration that a function gives, now or later, of what Next tells it", async () => {
    const make = (phase: string) => ({ reactStrictMode: phase === "build" });
    const later = async (phase: string) => make(phase);
    for (const given of [make, later]) {
      const wired = (await withKernels(given)("build")) as Configuration;
      expect(wired.reactStrictMode).toBe(true);
      expect(Object.keys(wired.turbopack!.rules!)).toContain("*.op.ts");
      expect(wired.webpack!({}, {}).plugins).toEqual([isPlugin]);
    }
  });

  it("is a plugin that webpack builds with", async () => {
    const root = writeApp({
      "src/main.js": `import gemm from "./gemm.op.ts?tune=wasm";
        const ones = new Float32Array(256).fill(1);
        console.log(JSON.stringify(gemm(ones, ones)[255]));`,
      "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`,
    });
    const options = { root, mode: "predict", cacheDir: "store", logLevel: "silent" } as const;
    const { webpack: change } = withKernels<Configuration>({}, options);
    await runWebpack(webpack(change!(webpackOptions(root) as object, {}) as never) as WebpackCompiler);
    expect(readdirSync(join(root, "out"))).toEqual(["main.mjs"]);
    expect(runMoved(root)).toBe(16);
  });
});
