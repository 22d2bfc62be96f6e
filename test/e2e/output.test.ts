// Cost of kernels for a page, and secrets that a build must keep: bytes of the output, the script of workers, paths of
// the building machine, texts of schedules.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build as esbuild, transformSync } from "esbuild";
import { describe, expect } from "vitest";
import { bestTargetName, detectMachine } from "../../src/native/machine/machine.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { moduleInCode } from "../../src/plugin/runtime/module-text.ts";
import { buildApp, writeApp } from "../support/build-app.ts";
import { buildOutput, filesOf, missing, outputOf, type Platform, pageHosts } from "../support/build-output.ts";
import { fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const key = "fedcba98".repeat(8);
const trace = "vectorize C.j\nunroll C.i";

function built(host: string, main: string, platform?: Platform, options?: KernelPluginOptions): Promise<string> {
  const root = writeApp({ "src/main.js": main, "src/blend.op.ts": "export default 1;" });
  return buildOutput(host, root, fakeKernel({ key, trace }), platform, options);
}

const call = "globalThis.results = blend(new Float32Array(8), new Float32Array(8));";
const importing = (use: string): string => `import blend from "./blend.op.ts?tune=wasm";\n${use}\n`;

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** Modules in node_modules of a project are named by their package. Here the package lies in our own folder. */
const packaged = /[\w./-]*\/dist\/(runtime|kernel-worker-text)\.js/g;

/** Files of an output that name a folder of this machine, as it is or encoded as a part of a name. */
function namingPaths(folder: string): readonly string[] {
  const root = join(tmpdir(), relative(tmpdir(), folder).split(sep)[0]!);
  const here = [root, repository];
  const encoded = here.map((path) => path.replaceAll(/[^A-Za-z0-9]/g, "_"));
  // Hosts name modules by their way from where they run, which is not the project here: up to the root, and down again.
  const ways = here.map((path) => new RegExp(`(?:\\.\\./)+${path.slice(1).replaceAll(".", "\\.")}`, "g"));
  return filesOf(folder).filter((name) => {
    const whole = readFileSync(join(folder, name), "latin1").replaceAll(packaged, "");
    const text = ways.reduce((left, way) => left.replaceAll(way, ""), whole);
    const plain = text.replaceAll(/%2F|[^A-Za-z0-9]/g, "_");
    return here.some((path) => text.includes(path)) || encoded.some((path) => plain.includes(`${path}_src`));
  });
}

const textsOf = (folder: string, kind: RegExp): readonly string[] =>
  filesOf(folder)
    .filter((name) => kind.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"));

for (const host of pageHosts) {
  const why = missing(host);
  describe.skipIf(why)(`${host}${why ? ` (${why})` : ""}`, () => outputs(host));
}

function outputs(host: string): void {
  turn.each<Platform>(["page", "server"])(
    "names no path of the machine that builds, in code and source maps of a %s",
    async (platform) => {
      const folder = await built(host, importing(call), platform);
      expect(textsOf(folder, /\.map$/).length).toBeGreaterThan(0);
      expect(namingPaths(folder)).toEqual([]);
    },
  );

  // Bun reads no source maps of plugins.
  if (host !== "bun")
    turn("has a kernel's text in the code alone, and not in the source map once more", async () => {
      const folder = await built(host, importing(call));
      const hasModule = (text: string): boolean => text.match(moduleInCode) !== null;
      expect(textsOf(folder, /\.js$/).filter(hasModule)).toHaveLength(1);
      const maps = textsOf(folder, /\.map$/);
      expect(
        maps.filter((text) => hasModule(text.replaceAll("\\", "")) || text.includes("emitted by unplugin-kernel")),
      ).toEqual([]);
    });

  turn("has the text of a schedule, and the key of the store, where option schedules asks for it", async () => {
    const foundIn = async (options: KernelPluginOptions) => {
      const text = textsOf(await built(host, importing(call), "page", options), /./).join("\n");
      return [/vectorize C\.j/.test(text), text.includes(key)];
    };
    expect(await foundIn({})).toEqual([false, false]);
    expect(await foundIn({ schedules: true })).toEqual([true, true]);
  });

  // Farm and Bun show no texts of modules.
  if (host !== "farm" && host !== "bun")
    turn("has the script of workers where a program may need it", async () => {
      const workers = async (main: string): Promise<number> =>
        filesOf(await built(host, importing(main))).filter((name) => /kernel-worker.*\.js$/.test(name)).length;
      expect(await workers(call)).toBe(0);
      expect(await workers(`${call} blend.async(new Float32Array(8), new Float32Array(8));`)).toBe(1);
      expect(await workers(`const { async: later } = blend; ${call} later();`)).toBe(1);
    });
}

const noNative =
  bestTargetName(detectMachine()) === "wasm"
    ? "no CPU for addons"
    : (await detectToolchains()).length === 0
      ? "no C compiler"
      : null;

turn.skipIf(noNative)(
  `an addon names no path of the machine that builds${noNative ? ` (${noNative})` : ""}`,
  async () => {
    const root = writeApp({
      "src/main.js": 'import gemm from "./gemm.op.ts?tune=native";\nglobalThis.results = gemm;',
      "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`,
    });
    await buildApp("vite", root, compileKernel, { mode: "predict", cacheDir: "store" });
    const addons = filesOf(outputOf(root)).filter((name) => name.endsWith(".node"));
    expect(addons).toHaveLength(1);
    const text = readFileSync(join(outputOf(root), addons[0]!), "latin1");
    expect([root, repository, tmpdir(), "gemm.c", ".c\0"].filter((part) => text.includes(part))).toEqual([]);
  },
);

/** Bytes of minified code of a page with kernels of these many shapes, without their WASM. */
async function pageBytes(count: number): Promise<number> {
  const imports = Array.from(
    { length: count },
    (_, at) => `import k${at} from "./blend.op.ts?tune=wasm&M=${at + 1}";\n`,
  );
  const use = `globalThis.results = [${Array.from({ length: count }, (_, at) => `k${at}`).join(", ")}];`;
  const root = writeApp({ "src/main.js": imports.join("") + use, "src/blend.op.ts": "export default 1;" });
  const compile = async (request: { readonly parameters: object }) =>
    fakeKernel({ parameters: { M: 2, N: 4, ...request.parameters }, key });
  await esbuild({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    outdir: "out",
    bundle: true,
    format: "esm",
    plugins: [createKernelPlugin(compile as never).esbuild({ logLevel: "silent", mode: "tune" })],
  });
  const { code } = transformSync(readFileSync(join(outputOf(root), "main.js"), "utf8"), {
    minify: true,
    format: "esm",
  });
  const withoutWasm = code.replaceAll(moduleInCode, 'text:"');
  expect(code.length - withoutWasm.length).toBeGreaterThan(100 * count);
  return withoutWasm.length;
}

turn("a page pays 14 kB for the first kernel, 1.5 kB for each further one, 60 kB for thirty", async () => {
  const [one, two, thirty] = [await pageBytes(1), await pageBytes(2), await pageBytes(30)];
  expect(one).toBeLessThanOrEqual(14_000);
  expect(two - one).toBeLessThanOrEqual(1_500);
  expect(thirty).toBeLessThanOrEqual(60_000);
  console.log(`bytes of a page's code: ${one} with one kernel, ${two} with two, ${thirty} with thirty`);
});
