// Servers as hosting services copy them: Vercel's tracer reads the output's code, the files that it finds are copied elsewhere, and
// nothing else is there when the program runs.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { describe, expect } from "vitest";
import { webpack } from "webpack";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { recordingCompiler, runWebpack, type WebpackCompiler, webpackOptions, writeApp } from "../support/build-app.ts";
import { expected, fakeKernel, nativeKernel, noAddon, wasmSource } from "../support/fake-kernel.ts";
import { createKernelPlugin, type KernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(8);

const nft = fileURLToPath(new URL("../tools/node_modules/@vercel/nft/out/index.js", import.meta.url));
const noNft = existsSync(nft) ? null : "not here: npm ci --prefix test/tools";

type Format = "esm" | "cjs";
const extension = { esm: "mjs", cjs: "cjs" } as const;
type Build = (root: string, plugin: KernelPlugin, format: Format) => Promise<unknown>;
const options = { logLevel: "silent", mode: "tune" } as const;
const rollupOutput = (format: Format) => ({ format, entryFileNames: `[name].${extension[format]}` });

/** Each bundles `src/main.js` into a server's `out/`. */
const builds: Readonly<Record<string, Build>> = {
  vite: (root, plugin, format) =>
    vite({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin.vite(options)],
      build: { ssr: "src/main.js", outDir: "out", rollupOptions: { output: rollupOutput(format) } },
    }),
  async rollup(root, plugin, format) {
    const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [plugin.rollup(options)] });
    await bundle.write({ dir: join(root, "out"), ...rollupOutput(format) });
  },
  esbuild: (root, plugin, format) =>
    esbuild({
      entryPoints: [join(root, "src/main.js")],
      bundle: true,
      platform: "node",
      format,
      outdir: join(root, "out"),
      outExtension: { ".js": `.${extension[format]}` },
      plugins: [plugin.esbuild(options)],
    }),
  webpack(root, plugin, format) {
    const esm = webpackOptions(root);
    const cjs = { ...esm, output: { path: esm.output.path, filename: "[name].cjs" }, experiments: {} };
    const compiler = webpack({ ...(format === "esm" ? esm : cjs), plugins: [plugin.webpack(options)] });
    return runWebpack(compiler as WebpackCompiler);
  },
};

/** The address of a file is a variable of webpack's runtime, which the tracer does not know: files are not found there. */
const findsFiles = (host: string): boolean => host !== "webpack";

const main = (query: string): string => `import blend from "./blend.op.ts?${query}";
  const C = blend(Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1));
  console.log(JSON.stringify({ twin: blend.info.twin, reason: blend.info.twinReason, C: [...C] }));`;

interface Said {
  readonly twin: string;
  readonly reason: string | null;
  readonly C: readonly number[];
}

/** Builds, traces, copies what was traced, and runs the copy. */
async function runTraced(host: string, format: Format, query: string, kernel: CompiledKernel) {
  const root = writeApp({ "src/main.js": main(query), "src/blend.op.ts": "export default 1;" });
  await builds[host]!(root, createKernelPlugin(recordingCompiler(kernel).compile), format);
  const { nodeFileTrace } = await import(nft);
  const entry = `out/main.${extension[format]}`;
  const { fileList } = (await nodeFileTrace([join(root, entry)], { base: root })) as { fileList: Set<string> };
  const elsewhere = mkdtempSync(join(tmpdir(), "traced-"));
  for (const file of fileList) cpSync(join(root, file), join(elsewhere, file));
  const run = (): Said =>
    JSON.parse(execFileSync(process.execPath, [join(elsewhere, entry)], { encoding: "utf8", stdio: "pipe" }));
  return { files: [...fileList], run };
}

/** A WASM kernel with so many bytes more, in a section that engines skip. */
function largeKernel(moreBytes: number): CompiledKernel {
  const wasm = wasmSource();
  const name = [4, ...Buffer.from("more")];
  const size = name.length + moreBytes;
  const leb = [(size & 127) | 128, ((size >> 7) & 127) | 128, size >> 14];
  const bytes = Uint8Array.from([...wasm.bytes, 0, ...leb, ...name, ...new Uint8Array(moreBytes)]);
  return fakeKernel({ wasm: { ...wasm, bytes } });
}

const cases = Object.keys(builds).flatMap((host) => (["esm", "cjs"] as const).map((format) => [host, format] as const));

describe.skipIf(noNft)(`a server that is traced and copied${noNft ? ` (${noNft})` : ""}`, () => {
  turn.each(cases)("has small WASM in its code: %s, %s", async (host, format) => {
    const { files, run } = await runTraced(host, format, "tune=wasm", fakeKernel());
    expect(files).toHaveLength(1);
    expect(run()).toEqual({ twin: "wasm", reason: null, C: expected("wasm") });
  });

  // Rollup does not know that it builds a server, so WASM beyond 64 KB is a file, which is found.
  turn.each(cases)("answers from WASM of 100 kB: %s, %s", async (host, format) => {
    const { files, run } = await runTraced(host, format, "tune=wasm", largeKernel(100_000));
    expect(files).toHaveLength(host === "rollup" ? 2 : 1);
    expect(run()).toEqual({ twin: "wasm", reason: null, C: expected("wasm") });
  });

  turn.each(cases.filter(([host]) => findsFiles(host)))(
    "takes along the file that &sync=0 asks for: %s, %s",
    async (host, format) => {
      const { files, run } = await runTraced(host, format, "tune=wasm&sync=0", fakeKernel());
      expect(files.filter((file) => file.endsWith(".wasm"))).toHaveLength(1);
      expect(run()).toEqual({ twin: "wasm", reason: null, C: expected("wasm") });
    },
  );

  turn.skipIf(noAddon).each(cases)(
    `takes an addon along, or answers from its WASM twin and says why${noAddon ? ` (${noAddon})` : ""}: %s, %s`,
    async (host, format) => {
      const kernel = fakeKernel({ target: "avx2", native: nativeKernel() });
      const { files, run } = await runTraced(host, format, "tune=avx2", kernel);
      const twin = findsFiles(host) ? "native" : "wasm";
      expect(files.filter((file) => file.endsWith(".node"))).toHaveLength(findsFiles(host) ? 1 : 0);
      const reason = twin === "native" ? null : expect.stringContaining("the addon cannot be loaded");
      expect(run()).toEqual({ twin, reason, C: expected(twin) });
    },
  );
});
