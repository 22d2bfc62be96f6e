// Watchers: an edit of the operator, of what it imports, or of what imports it, is in the output. Each bundler decides which modules it
// loads again; those whose sources have not changed are taken from lock and store.

import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RspackOptions, rspack } from "@rspack/core";
import { context } from "esbuild";
import { watch as rolldownWatch } from "rolldown";
import { watch as rollupWatch } from "rollup";
import { build as viteBuild } from "vite";
import { afterEach, expect, it } from "vitest";
import { webpack } from "webpack";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import {
  type HostName,
  recordingCompiler,
  rsbuildCompiler,
  runMoved,
  settled,
  type WebpackCompiler,
  webpackOptions,
  writeApp,
} from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin, type KernelPlugin } from "../support/kernel-plugin.ts";
import { suitesInTurn } from "../support/long.ts";

type Close = () => Promise<unknown>;

/** Builds `src/main.js` into `out/main.mjs` now and after each edit; `built` is called at the end of each. */
type Watch = (root: string, plugin: KernelPlugin, built: () => void) => Promise<Close>;

const optionsAt = (root: string) => ({ root, logLevel: "silent", mode: "tune" }) as const;

/** Events of the watchers that Rollup, Rolldown and Vite return. */
interface RollupEvents {
  on(event: "event", handler: (event: { readonly code: string; readonly result?: unknown }) => void): unknown;
  close(): Promise<unknown>;
}

function watched(watcher: RollupEvents, built: () => void): Close {
  watcher.on("event", ({ code, result }) => {
    if (result && (code === "BUNDLE_END" || code === "ERROR")) void (result as { close(): unknown }).close();
    if (code === "END") built();
  });
  return () => watcher.close();
}

function watchedByWebpack(compiler: WebpackCompiler, built: () => void): Close {
  const watching = compiler.watch({ aggregateTimeout: 20 }, built);
  return () => new Promise<void>((closed) => watching.close(() => compiler.close(() => closed())));
}

/** Hosts but Farm, which loses the query of an import, and Bun, which does not watch for plugins (docs/bundlers.md). */
type WatchingHost = Exclude<HostName, "farm" | "bun">;

const watchers: Readonly<Record<WatchingHost, Watch>> = {
  async vite(root, plugin, built) {
    const watcher = await viteBuild({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin.vite(optionsAt(root))],
      build: {
        ssr: join(root, "src/main.js"),
        outDir: "out",
        watch: {},
        rollupOptions: { output: { entryFileNames: "[name].mjs" } },
      },
    });
    if (!("on" in watcher)) throw new Error("not a watcher");
    return watched(watcher as RollupEvents, built);
  },
  async rollup(root, plugin, built) {
    const watcher = rollupWatch({
      input: join(root, "src/main.js"),
      output: { dir: join(root, "out"), entryFileNames: "[name].mjs" },
      plugins: [plugin.rollup(optionsAt(root))],
    });
    return watched(watcher as RollupEvents, built);
  },
  async esbuild(root, plugin, built) {
    const running = await context({
      absWorkingDir: root,
      entryPoints: ["src/main.js"],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: "out",
      outExtension: { ".js": ".mjs" },
      logLevel: "silent",
      plugins: [plugin.esbuild(optionsAt(root)), { name: "built", setup: ({ onEnd }) => onEnd(built) }],
    });
    await running.watch();
    return () => running.dispose();
  },
  async rolldown(root, plugin, built) {
    const watcher = rolldownWatch({
      input: join(root, "src/main.js"),
      platform: "node",
      logLevel: "silent",
      plugins: [plugin.rolldown(optionsAt(root))],
      output: { dir: join(root, "out"), entryFileNames: "[name].mjs" },
    });
    return watched(watcher as RollupEvents, built);
  },
  async webpack(root, plugin, built) {
    const compiler = webpack({ ...webpackOptions(root), plugins: [plugin.webpack(optionsAt(root))] });
    return watchedByWebpack(compiler as WebpackCompiler, built);
  },
  async rspack(root, plugin, built) {
    const options = { ...(webpackOptions(root) as RspackOptions), plugins: [plugin.rspack(optionsAt(root))] };
    return watchedByWebpack(rspack(options) as WebpackCompiler, built);
  },
  async rsbuild(root, plugin, built) {
    return watchedByWebpack(await rsbuildCompiler(root, plugin, optionsAt(root)), built);
  },
};

const program = (text: string): string => `import blend from "./blend.op.ts?tune=wasm";
  console.log(JSON.stringify([${JSON.stringify(text)}, ...blend(Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1))]));`;

/** An app of files from a minute ago: webpack may take those of the last seconds for edited since it began, and builds twice. */
function olderApp(files: Readonly<Record<string, string>>): string {
  const root = writeApp(files);
  const then = new Date(Date.now() - 60_000);
  for (const name of Object.keys(files)) utimesSync(join(root, name), then, then);
  return root;
}

const outputOf = (root: string): string => readFileSync(join(root, "out/main.mjs"), "utf8");

/** Writes a file again and again, as a watcher may start to look only after the end of the first build. */
const edit = (file: string, text: () => string, isSeen: () => void): Promise<void> =>
  eventually(
    () => {
      writeFileSync(file, text());
      isSeen();
    },
    { interval: 500 },
  );

const scaled = `import { compute, defineOp, tensor } from "unplugin-kernel/op";
  import { factor } from "./factor.ts";
  export default defineOp({ N: 8 }, ({ N }) => {
    const x = tensor("x", [N], "f32");
    return compute("y", [N], (i) => x(i).mul(factor));
  });`;

/** Mistakes in a file that an operator imports: it does not parse, it throws, or it exports no expression. */
const mistakes: Readonly<Record<string, string>> = {
  "op.syntax": "export const factor = ;",
  "op.threw": 'export const factor = 2;\nthrow new Error("not yet");',
  "expr.not-an-expression": 'export const factor = "two" as never;',
};

suitesInTurn(4).each(Object.keys(watchers) as WatchingHost[])("%s", (host) => {
  let close: Close = async () => {};
  afterEach(() => close());

  it("builds again when the operator changes, or what imports it", async () => {
    const root = olderApp({ "src/main.js": program("before"), "src/blend.op.ts": "export default 1;" });
    const { compile, requests } = recordingCompiler(fakeKernel());
    let builds = 0;
    close = await watchers[host](root, createKernelPlugin(compile as CompileKernel), () => {
      builds += 1;
    });
    await eventually(() => expect(builds).toBe(1));
    expect(requests).toHaveLength(1);
    await edit(
      join(root, "src/main.js"),
      () => program("after"),
      () => expect(outputOf(root)).toContain("after"),
    );
    const [before, compiled] = [builds, requests.length];
    await edit(
      join(root, "src/blend.op.ts"),
      () => `export default ${performance.now()};`,
      () => expect([requests.length > compiled, builds > before]).toEqual([true, true]),
    );
    await settled(() => builds);
    await close();
    close = async () => {};
    expect(runMoved(root)).toEqual(["after", ...expected("wasm")]);
  });

  it.each(Object.keys(mistakes))("builds again when a file that the operator imports is mended: %s", async (code) => {
    const root = writeApp({
      "src/main.js": `import scaled from "./scaled.op.ts?tune=wasm";
        console.log(JSON.stringify([...scaled(new Float32Array(8).fill(3))]));`,
      "src/scaled.op.ts": scaled,
      "src/factor.ts": mistakes[code]!,
    });
    const failures: string[] = [];
    const compile: CompileKernel = (request, services) =>
      compileKernel({ ...request, mode: "predict" }, services).catch((error) => {
        failures.push(error.diagnostic.code);
        throw error;
      });
    close = await watchers[host](root, createKernelPlugin(compile), () => {});
    await eventually(() => expect(new Set(failures)).toEqual(new Set([code])));
    await edit(
      join(root, "src/factor.ts"),
      () => "export const factor = 2;",
      () => expect([outputOf(root).includes("scaled"), outputOf(root).includes(code)]).toEqual([true, false]),
    );
    await close();
    close = async () => {};
    expect(runMoved(root)).toEqual(Array(8).fill(6));
  });
});
