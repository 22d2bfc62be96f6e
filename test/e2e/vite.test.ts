// Behaviour of Vite beyond that of all hosts (test/e2e/hosts.test.ts): bundles for browsers, libraries, the dev server.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import {
  build,
  createLogger,
  createServer,
  type InlineConfig,
  isRunnableDevEnvironment,
  type ViteDevServer,
} from "vite";
import { afterEach, describe, expect, it } from "vitest";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelRequest } from "../../src/plugin/kernel/kernel-request.ts";
import { moduleInCode } from "../../src/plugin/runtime/module-text.ts";
import { outputFiles, recordingCompiler, runMoved, writeApp } from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel, nativeKernel, noAddon } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";
import { wasmOf } from "../support/parts-of.ts";

const app = (query: string) =>
  writeApp({
    "index.html": '<script type="module" src="/src/main.js"></script>',
    "src/main.js": `import blend from "./blend.op.ts?${query}";
      export const run = () => [...blend(Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1))];
      export const { info } = blend;
      globalThis.results = run;`,
    "src/blend.op.ts": "export default 1;",
  });

const config = (root: string, compile: CompileKernel, rest: InlineConfig = {}): InlineConfig => ({
  root,
  configFile: false,
  logLevel: "silent",
  plugins: [createKernelPlugin(compile).vite({ mode: "tune" })],
  ...rest,
});

describe("vite build", () => {
  it("puts a small module into the code for browsers, and no addon", async () => {
    const root = app("tune=avx2");
    const kernel = fakeKernel({ native: noAddon ? null : nativeKernel() });
    await build(config(root, recordingCompiler(kernel).compile, { build: { outDir: "out" } }));
    expect(outputFiles(root)).toEqual([
      expect.stringMatching(/^assets\/index-.*\.js$/),
      expect.stringMatching(/^assets\/kernel-worker-.*\.js$/),
      "index.html",
    ]);
  });

  it("emits a file on request, found by its URL", async () => {
    const root = app("tune=wasm&sync=0");
    await build(config(root, recordingCompiler(fakeKernel()).compile, { base: "/shop/", build: { outDir: "out" } }));
    const [wasm, script, worker, html] = outputFiles(root);
    expect([wasm, script, worker, html]).toEqual([
      expect.stringMatching(/^assets\/blend-.*\.wasm$/),
      expect.stringMatching(/^assets\/index-.*\.js$/),
      expect.stringMatching(/^assets\/kernel-worker-.*\.js$/),
      "index.html",
    ]);
    const text = readFileSync(join(root, "out", script!), "utf8");
    expect(text).toContain(`/shop/${wasm}`);
    expect(text).toContain(`/shop/${worker}`);
  });

  it("leaves neither code nor file of a kernel that a page imports and does not use, workers' script included", async () => {
    const root = writeApp({
      "index.html": '<script type="module" src="/src/main.js"></script>',
      "src/main.js": 'import blend from "./blend.op.ts?tune=wasm&sync=0";\nconsole.log("[]");',
      "src/blend.op.ts": "export default 1;",
    });
    await build(config(root, recordingCompiler(fakeKernel()).compile, { build: { outDir: "out", minify: false } }));
    const [script, html] = outputFiles(root);
    expect([script, html]).toEqual([expect.stringMatching(/^assets\/index-.*\.js$/), "index.html"]);
    expect(readFileSync(join(root, "out", script!), "utf8")).not.toContain("createKernel");
  });

  it("warns once of Cloudflare's Workers, which make no WebAssembly of bytes", async () => {
    const warnings: string[] = [];
    const customLogger = { ...createLogger("silent"), warn: (line: string) => void warnings.push(line) };
    const plugins = [createKernelPlugin(recordingCompiler(fakeKernel()).compile).vite({ mode: "tune" })];
    const environments = { ssr: { resolve: { conditions: ["workerd", "module"] } } };
    const options = { ...config(app("tune=wasm"), recordingCompiler(fakeKernel()).compile), plugins, customLogger };
    await build({ ...options, environments, build: { outDir: "out", ssr: "src/main.js" } });
    expect(warnings.filter((line) => line.includes("Cloudflare"))).toEqual([
      expect.stringContaining('kernels fail there at their first call; mode: "off" computes in JavaScript'),
    ]);
    await build({ ...options, build: { outDir: "out" } });
    expect(warnings.filter((line) => line.includes("Cloudflare"))).toHaveLength(1);
  });

  it("makes libraries that run in Node", async () => {
    const root = app("tune=wasm&sync=0");
    const lib = { entry: "src/main.js", formats: ["es" as const], fileName: () => "lib.mjs" };
    await build(config(root, recordingCompiler(fakeKernel()).compile, { build: { outDir: "out", lib } }));
    expect(outputFiles(root)).toEqual(["blend.wasm", "kernel-worker.js", "lib.mjs"]);
    const script = `import(process.argv[1]).then(({ run }) => console.log(JSON.stringify(run())))`;
    expect(runMoved(root, "lib.mjs", ["-e", script])).toEqual(expected("wasm"));
  });

  it.each(["umd", "iife"] as const)("makes libraries for classic scripts, which find no file: %s", async (format) => {
    const root = app("tune=wasm&sync=0");
    const lib = { entry: "src/main.js", name: "lib", formats: [format], fileName: () => "lib.js" };
    await build(config(root, recordingCompiler(fakeKernel()).compile, { build: { outDir: "out", lib } }));
    // A page has no variables of Node's.
    const page = createContext({ Float32Array, WebAssembly, Uint8Array, atob, queueMicrotask });
    runInContext(readFileSync(join(root, "out/lib.js"), "utf8"), page);
    expect(runInContext("(globalThis.lib ?? lib).run()", page)).toEqual(expected("wasm"));
  });

  it.skipIf(noAddon)(
    `keeps addons of servers from the assets, which frameworks publish${noAddon ? ` (${noAddon})` : ""}`,
    async () => {
      const root = app("tune=avx2");
      const kernel = fakeKernel({ target: "avx2", native: nativeKernel() });
      const options = { outDir: "out", ssr: "src/main.js", manifest: true };
      await build(config(root, recordingCompiler(kernel).compile, { build: options }));
      expect(outputFiles(root)).toEqual([
        ".vite/manifest.json",
        expect.stringMatching(/^kernels\/blend-[0-9a-f]{12}\.node$/),
        "main.mjs",
      ]);
      expect(readFileSync(join(root, "out/.vite/manifest.json"), "utf8")).not.toContain(".node");
    },
  );

  it("keeps its file through the rebuilds of a watcher", async () => {
    const root = app("tune=wasm&sync=0");
    const { compile, requests } = recordingCompiler(fakeKernel());
    const options: InlineConfig = { build: { outDir: "out", ssr: "src/main.js", watch: {} } };
    const watcher = await build(config(root, compile, options));
    if (!("on" in watcher)) throw new Error("not a watcher");
    const failures: Error[] = [];
    let builds = 0;
    watcher.on("event", (event) => {
      if (event.code === "ERROR") failures.push(event.error);
      if (event.code === "END") builds += 1;
    });
    await eventually(() => expect([builds, failures]).toEqual([1, []]));
    const before = outputFiles(root);
    expect([before.length, requests.length]).toEqual([2, 1]);
    await eventually(
      () => {
        // Written again and again: a watcher may start to look only after the end of the first build.
        writeFileSync(join(root, "src/blend.op.ts"), `export default ${performance.now()};`);
        expect([requests.length > 1, builds > 1, failures]).toEqual([true, true, []]);
      },
      { interval: 300 },
    );
    await eventually(() => expect(outputFiles(root)).toEqual(before));
    await watcher.close();
  });

  it.each([
    ["puts itself into the bundles of workers", {}],
    ["is in workers once, where it is in their plugins already", null],
  ])("%s", async (_, given) => {
    const root = app("tune=wasm");
    writeFileSync(join(root, "src/worker.js"), 'import { run } from "./main.js";\npostMessage(run());\n');
    const start = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" });\n';
    writeFileSync(join(root, "src/page.js"), start);
    writeFileSync(join(root, "index.html"), '<script type="module" src="/src/page.js"></script>');
    const { compile, requests } = recordingCompiler(fakeKernel());
    const own = { plugins: () => [createKernelPlugin(compile).vite({ mode: "tune", logLevel: "silent" })] };
    await build(config(root, compile, { build: { outDir: "out" }, worker: given ?? own }));
    const worker = outputFiles(root).find((name) => /worker-.*\.js$/.test(name) && !name.includes("kernel-worker"))!;
    expect(readFileSync(join(root, "out", worker), "utf8")).toMatch(moduleInCode);
    expect(requests).toHaveLength(1);
  });

  it("refuses an addon alone in a browser", async () => {
    const root = app("fallback=none&tune=avx2");
    const native = {
      kind: "native" as const,
      bytes: new Uint8Array(3),
      path: "/none",
      index: 0,
      features: [],
      platform: "linux-x64",
      split: null,
    };
    const kernel = fakeKernel({ target: "avx2", wasm: null, native });
    await expect(build(config(root, recordingCompiler(kernel).compile, { build: { outDir: "out" } }))).rejects.toThrow(
      `target.not-in-browser: blend is wanted as avx2 only (fallback=none), and this build is for a browser
  hint: drop fallback=none, or import it with ?tune=wasm`,
    );
  });
});

describe("vite dev", () => {
  let server: ViteDevServer | null = null;
  afterEach(async () => {
    await server?.close();
    server = null;
  });

  /** Predicts at once; tunes when the test says so. */
  function slowCompiler() {
    const requests: KernelRequest[] = [];
    const waiting: ((kernel: CompiledKernel) => void)[] = [];
    const compile: CompileKernel = async (request) => {
      requests.push(request);
      const predicted = fakeKernel({ origin: "predicted", trace: "guess", watchFiles: [request.opFile] });
      return request.mode === "interim" ? predicted : new Promise((resolve) => waiting.push(resolve));
    };
    const finish = async (kernel: CompiledKernel): Promise<void> => {
      await eventually(() => expect(waiting).not.toEqual([]));
      waiting.shift()!(kernel);
    };
    return { compile, requests, finish };
  }

  async function serve(root: string, compile: CompileKernel, rest: InlineConfig = {}): Promise<ViteDevServer> {
    server = await createServer(config(root, compile, { server: { port: 0, host: "127.0.0.1" }, ...rest }));
    return server;
  }

  async function infoOf({ environments: { ssr } }: ViteDevServer) {
    if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error("no runnable environment");
    const { run, info } = await ssr.runner.import("/src/main.js");
    return { result: run(), schedule: info.schedule };
  }

  it("answers with a prediction, tunes once for both environments, then replaces the module", async () => {
    const root = app("tune=wasm");
    const { compile, requests, finish } = slowCompiler();
    const dev = await serve(root, compile);
    expect(await infoOf(dev)).toEqual({ result: expected("wasm"), schedule: "guess" });
    const browsers = await dev.environments.client.transformRequest("/src/blend.op.ts?tune=wasm");
    expect(browsers?.code).toContain('"guess"');
    await finish(fakeKernel({ origin: "tuned", trace: "measured" }));
    await eventually(async () => {
      expect(await infoOf(dev)).toEqual({ result: expected("wasm"), schedule: "measured" });
    });
    const later = await dev.environments.client.transformRequest("/src/blend.op.ts?tune=wasm");
    expect(later?.code).toContain('"measured"');
    expect(requests.map(({ mode }) => mode).sort()).toEqual(["interim", "interim", "tune"]);
  });

  it("goes on after a restart, and without replacing modules while they run", async () => {
    const { compile, finish } = slowCompiler();
    server = await createServer(
      config(app("tune=wasm"), compile, { server: { port: 0, host: "127.0.0.1", hmr: false } }),
    );
    await server.restart();
    expect((await infoOf(server)).schedule).toBe("guess");
    await finish(fakeKernel({ origin: "tuned", trace: "measured" }));
    await eventually(async () => expect((await infoOf(server!)).schedule).toBe("measured"));
  });

  it("tunes nothing where the mode says so", async () => {
    const requests: KernelRequest[] = [];
    const compile: CompileKernel = async (request) => {
      requests.push(request);
      return fakeKernel({ origin: "predicted" });
    };
    const plugins = [createKernelPlugin(compile).vite({ mode: "frozen", onMiss: "fallback" })];
    const dev = await serve(app("tune=wasm"), compile, { plugins });
    await infoOf(dev);
    // A tuning would begin now.
    await dev.environments.ssr!.waitForRequestsIdle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests.map(({ mode }) => mode)).toEqual(["frozen"]);
  });

  it("serves modules to browsers with their MIME type", async () => {
    const kernel = fakeKernel();
    const dev = await serve(app("tune=wasm&sync=0"), recordingCompiler(kernel).compile);
    await dev.listen();
    const base = dev.resolvedUrls!.local[0]!;
    const { code } = (await dev.environments.client.transformRequest("/src/blend.op.ts?sync=0&tune=wasm"))!;
    const path = /"(\/@unplugin-kernel\/blend-[0-9a-f]{12}\.wasm)"/.exec(code)![1]!;
    const response = await fetch(new URL(path, base));
    expect(response.headers.get("content-type")).toBe("application/wasm");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(wasmOf(kernel)!.bytes);
    expect((await fetch(new URL("/@unplugin-kernel/other.wasm", base))).headers.get("content-type")).not.toBe(
      "application/wasm",
    );
  });

  it.skipIf(noAddon)(`runs addons from the store on the server${noAddon ? ` (${noAddon})` : ""}`, async () => {
    const kernel = fakeKernel({ target: "avx2", native: nativeKernel() });
    const dev = await serve(app("tune=avx2"), recordingCompiler(kernel).compile);
    expect((await infoOf(dev)).result).toEqual(expected("native"));
  });
});
