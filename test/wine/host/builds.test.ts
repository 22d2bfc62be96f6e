// Builds by esbuild and Vite on Windows, with a lock that was tuned on Linux: they take it as it is, make the same WASM and the same addon, and what
// they make runs.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import kernels from "../../../src/plugin/entries/esbuild.ts";
import type { KernelPluginOptions } from "../../../src/plugin/options/types.ts";
import { moduleInCode } from "../../../src/plugin/runtime/module-text.ts";
import { hostSkipNote, hostSkipReason, type WindowsProject, windowsProject } from "./windows-project.ts";

/** Contents of files below a folder whose names end so, a character a byte. */
const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => readFileSync(join(folder, name), "latin1"));

/** Modules in the scripts of a folder, as texts. */
const modulesIn = (folder: string): readonly string[] =>
  [
    ...new Set(filesIn(folder, ".js").flatMap((text) => [...text.matchAll(moduleInCode)].map(([, own]) => own!))),
  ].sort();

/** A program that opens a kernel through a dev server. */
const devServer = `import { writeFileSync } from "node:fs";
import { createServer } from "vite";
writeFileSync("src/dev.js", 'import native from "../ops/gemm.op.ts?tune=avx2"; const ones = new Float32Array(4096).fill(1);' +
  "export default [native(ones, ones)[0], native.info.twin, native.info.twinReason];");
const server = await createServer({ server: { middlewareMode: true, watch: null }, logLevel: "silent" });
console.log(JSON.stringify((await server.ssrLoadModule("/src/dev.js")).default));
await server.close();`;

/** Builds the project on Linux, with a cache of its own. */
async function buildHere({ root }: WindowsProject, name: string, options: KernelPluginOptions): Promise<string> {
  const outdir = join(root, name);
  const cacheDir = join(root, "cache-linux");
  await build({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir,
    logLevel: "silent",
    plugins: [kernels({ root, cacheDir, ...options })],
  });
  return outdir;
}

describe.skipIf(hostSkipReason)(`builds on Windows, under Wine${hostSkipNote}`, () => {
  let project: WindowsProject;
  let lock = "";
  let linux = "";
  beforeAll(async () => {
    project = await windowsProject();
    await buildHere(project, "out-tuned", { mode: "tune", budget: { seconds: 60, trials: 12 } });
    lock = readFileSync(project.lockfile, "utf8");
    linux = await buildHere(project, "out-linux", { mode: "frozen", platforms: ["win32-x64"] });
  });
  afterAll(() => project?.close());

  const options = JSON.stringify({ mode: "frozen" });
  const hosts = [
    ["esbuild", ["esbuild.mjs"]],
    ["vite", ["node_modules/vite/bin/vite.js", "build"]],
  ] as const;

  describe.each(hosts)("by %s", (host, command) => {
    const output = `out-${host}`;
    const folder = (): string => join(project.root, output);

    test("take the lock of Linux, and leave every byte of it", async () => {
      const { status, stdout, stderr } = await project.node(command, { KERNEL_OPTIONS: options, OUTPUT: output });
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("2 kernels from kernels.lock.json")]);
      expect(readFileSync(project.lockfile, "utf8")).toBe(lock);
    });

    test("make the WASM of Linux, and its addon for Windows", () => {
      expect(modulesIn(folder())).toEqual(modulesIn(linux));
      expect(modulesIn(linux).length).toBeGreaterThan(0);
      const [addon, ...others] = filesIn(folder(), ".node");
      expect([filesIn(linux, ".node"), others].flat().map((bytes) => bytes === addon)).toEqual([true]);
    });

    test("make what answers natively, and by WASM where addons are forbidden", async () => {
      const main = `${output}/main.js`;
      const answers = await Promise.all([project.node([main]), project.node(["--no-addons", main])]);
      const [native, wasm] = answers.map(({ stdout, stderr }) => JSON.parse(stdout || stderr));
      expect(native).toEqual({ isRight: true, twin: "native", why: null });
      expect(wasm).toMatchObject({ isRight: true, twin: "wasm" });
      expect(wasm.why).toContain("addons is disabled");
    });
  });

  test("of Vite's dev server load the addon from the store", async () => {
    const { stdout, stderr } = await project.node(["--input-type=module", "-e", devServer], {
      KERNEL_OPTIONS: options,
    });
    expect(JSON.parse(stdout.split("\n").find((line) => line.startsWith("[")) ?? JSON.stringify(stderr))).toEqual([
      64,
      "native",
      null,
    ]);
  });

  test("write no file beside their output", () => {
    expect(readdirSync(project.root).sort()).toEqual(
      [
        "cache-linux",
        "esbuild.mjs",
        "kernels.lock.json",
        "node_modules",
        "ops",
        "out-esbuild",
        "out-linux",
        "out-tuned",
        "out-vite",
        "package.json",
        "src",
        "vite.config.js",
      ].sort(),
    );
  });
});
