// Places of files in esbuild's output, which the plugin itself chooses: every shape of output finds its binaries.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, it } from "vitest";
import { outputFiles, recordingCompiler, runMoved, writeApp } from "../support/build-app.ts";
import { expected, fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";

const program = (path: string): string => `import blend from "${path}?tune=wasm&sync=0";
  console.log(JSON.stringify([...blend(Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1))]));`;
const app = () =>
  writeApp({
    "src/main.js": program("./blend.op.ts"),
    "src/deep/er/page.js": program("../../blend.op.ts"),
    "src/blend.op.ts": "export default 1;",
    "package.json": '{ "type": "commonjs" }',
  });

async function bundle(root: string, options: BuildOptions) {
  const plugin = createKernelPlugin(recordingCompiler(fakeKernel()).compile);
  return build({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
    plugins: [plugin.esbuild({ root, logLevel: "silent", mode: "tune" })],
    ...options,
  });
}

const answer = expected("wasm");

describe("esbuild", () => {
  it("with outfile", async () => {
    const root = app();
    await bundle(root, { outfile: "out/app/main.mjs", outExtension: {} });
    expect(outputFiles(root)).toEqual([expect.stringMatching(/^app\/blend-[0-9a-f]{12}\.wasm$/), "app/main.mjs"]);
    expect(runMoved(root, "app/main.mjs")).toEqual(answer);
  });

  it.each([false, true])("with entries in folders, splitting %s", async (splitting) => {
    const root = app();
    await bundle(root, { outdir: "out", splitting, entryPoints: ["src/main.js", "src/deep/er/page.js"] });
    expect(runMoved(root, "deep/er/page.mjs")).toEqual(answer);
    await bundle(root, { outdir: "out", splitting, entryPoints: ["src/main.js", "src/deep/er/page.js"] });
    expect(runMoved(root)).toEqual(answer);
  });

  it("as CommonJS", async () => {
    const root = app();
    const { warnings } = await bundle(root, { outdir: "out", format: "cjs", outExtension: { ".js": ".cjs" } });
    expect(warnings).toEqual([]);
    expect(runMoved(root, "main.cjs")).toEqual(answer);
  });

  it("without writing", async () => {
    const root = app();
    const { outputFiles: files } = await bundle(root, { outdir: "out", write: false, minify: true });
    expect(files!.map(({ path }) => path.slice(root.length)).sort()).toEqual([
      expect.stringMatching(/^\/out\/blend-[0-9a-f]{12}\.wasm$/),
      "/out/main.mjs",
    ]);
    for (const { path, contents } of files!) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contents);
    }
    expect(runMoved(root)).toEqual(answer);
  });

  it("as a classic script for browsers: the module is part of it", async () => {
    const root = app();
    await bundle(root, { outfile: "out/main.js", format: "iife", platform: "browser", outExtension: {} });
    expect(outputFiles(root)).toEqual(["main.js"]);
    expect(JSON.parse(execFileSync(process.execPath, [join(root, "out/main.js")], { encoding: "utf8" }))).toEqual(
      answer,
    );
  });

  it("minified", async () => {
    const root = app();
    await bundle(root, { outdir: "out", minify: true });
    expect(runMoved(root)).toEqual(answer);
  });

  it("resolves #imports of package.json", async () => {
    const root = writeApp({
      "src/main.js": program("#op/blend.op.ts"),
      "src/blend.op.ts": "export default 1;",
      "package.json": '{ "name": "app", "imports": { "#op/*": "./src/*" } }',
    });
    await bundle(root, { outdir: "out" });
    expect(runMoved(root)).toEqual(answer);
  });

  it("says that a file is not there", async () => {
    const root = writeApp({ "src/main.js": program("./gone.op.ts") });
    await expect(bundle(root, { outdir: "out" })).rejects.toThrow('Could not resolve "./gone.op.ts?tune=wasm&sync=0"');
  });
});
