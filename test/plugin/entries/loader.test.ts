// `unplugin-kernel/loader` in webpack without the plugin, which calls loaders as Turbopack does. (Turbopack itself comes with Next.js, of which
// an installation has 340 MB: the steps of docs/plugin.md were tried with it by hand.)

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Configuration, type Stats, webpack } from "webpack";
import { bestTargetName, detectMachine } from "../../../src/native/machine/machine.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { moduleInCode } from "../../../src/plugin/runtime/module-text.ts";
import { webpackOptions, writeApp } from "../../support/build-app.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(3);

const best = bestTargetName(detectMachine());
const noNative =
  best === "wasm" ? "no CPU for addons" : (await detectToolchains()).length === 0 ? "no C compiler" : null;

const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`;
const main = (query: string): string => `import gemm from "./gemm.op.ts?${query}";
  const ones = new Float32Array(256).fill(1);
  console.log(JSON.stringify([gemm.info.twin, gemm(ones, ones)[255]]));`;

const loader = resolve(import.meta.dirname, "../../../dist/loader.js");

/** The rule of docs/plugin.md, as webpack spells it. */
const ruleWith = (options: object) => ({
  test: /\.op\.[jt]s$/,
  resourceQuery: /[?&]tune=/,
  use: { loader, options: { cacheDir: "store", logLevel: "silent", mode: "predict", ...options } },
});

function bundle(root: string, options: object = {}, config: object = {}): Promise<Stats> {
  const whole = { ...webpackOptions(root), module: { rules: [ruleWith(options)] }, ...config } as Configuration;
  const compiler = webpack(whole)!;
  return new Promise((done, failed) => {
    compiler.run((error, stats) => compiler.close(() => (error ? failed(error) : done(stats!))));
  });
}

const errorsOf = (stats: Stats): string => stats.compilation.errors.map(({ message }) => message).join("\n");
const run = (root: string): unknown =>
  JSON.parse(execFileSync(process.execPath, [join(root, "out/main.mjs")], { encoding: "utf8" }));

describe("the loader", () => {
  turn("puts a WASM kernel into the code", async () => {
    const root = writeApp({ "src/main.js": main("tune=wasm"), "src/gemm.op.ts": operator });
    expect(errorsOf(await bundle(root))).toBe("");
    expect(readdirSync(join(root, "out"))).toEqual(["main.mjs"]);
    expect(run(root)).toEqual([expect.stringMatching(/^wasm/), 16]);
  });

  turn.skipIf(noNative)(`reads an addon from the store${noNative ? ` (${noNative})` : ""}`, async () => {
    const root = writeApp({ "src/main.js": main("tune=native"), "src/gemm.op.ts": operator });
    expect(errorsOf(await bundle(root))).toBe("");
    expect(run(root)).toEqual(["native", 16]);
  });

  turn("gives a page the WASM twin alone", async () => {
    const root = writeApp({ "src/main.js": main("tune=native"), "src/gemm.op.ts": operator });
    expect(errorsOf(await bundle(root, {}, { target: "web" }))).toBe("");
    expect(run(root)).toEqual([expect.stringMatching(/^wasm/), 16]);
  });

  it("depends on the operator and on the lock, also where there is none yet and the build fails", async () => {
    const root = writeApp({ "src/main.js": main("tune=wasm"), "src/gemm.op.ts": operator });
    const stats = await bundle(root, { mode: "frozen" });
    expect(errorsOf(stats)).toContain("frozen.miss: src/gemm.op.ts?tune=wasm is not in kernels.lock.json");
    const { fileDependencies, missingDependencies } = stats.compilation;
    expect([...fileDependencies]).toContain(join(root, "src/gemm.op.ts"));
    expect([...missingDependencies]).toContain(join(root, "kernels.lock.json"));
  });

  it("passes a user's mistake on", async () => {
    const root = writeApp({ "src/main.js": main("tune=wsam"), "src/gemm.op.ts": operator });
    expect(errorsOf(await bundle(root))).toContain('request.bad-value: tune is "wsam"');
  });

  it("leaves an operator file without a target as it is, even if the rule does not ask for one", async () => {
    const root = writeApp({
      "src/main.js": 'import op from "./plain.op.js";\nconsole.log(JSON.stringify(op));',
      "src/plain.op.js": "export default [1, 2];",
    });
    const { resourceQuery: _, ...rule } = ruleWith({});
    expect(errorsOf(await bundle(root, {}, { module: { rules: [rule] } }))).toBe("");
    expect(run(root)).toEqual([1, 2]);
  });
});

turn("names no path of the machine that builds, and has a kernel's text once, in the code", async () => {
  const root = writeApp({ "src/main.js": main("tune=wasm"), "src/gemm.op.ts": operator });
  expect(errorsOf(await bundle(root, {}, { devtool: "source-map" }))).toBe("");
  const [code, map] = ["main.mjs", "main.mjs.map"].map((name) => readFileSync(join(root, "out", name), "utf8"));
  expect(code).toMatch(moduleInCode);
  expect(map!.replaceAll("\\", "")).not.toMatch(moduleInCode);
  // webpack names modules by their way from the project, which here leads out of it to this package.
  const way = `${relative(root, process.cwd())}/dist/`;
  for (const text of [code!, map!])
    expect([root, process.cwd()].filter((path) => text.replaceAll(way, "").includes(path))).toEqual([]);
});
