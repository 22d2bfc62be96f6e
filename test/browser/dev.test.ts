// Vite's dev server with a page in the engines of browsers: a tuned kernel takes the place of the predicted one while the page goes on, and edits give
// new kernels.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type InlineConfig, isRunnableDevEnvironment, type ViteDevServer } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { isolation } from "../support/browser.ts";
import { writeApp } from "../support/build-app.ts";
import { compileIn } from "../support/compile-app.ts";
import type { EnginePage, PageOptions, RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { recorderPlugin } from "../support/engine/recorder.ts";
import { saw } from "../support/engine/saw.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel, marks, wasmSource } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { type OpenPage, openPage } from "../support/page.ts";

const turn = inTurn(5);

const page = {
  "index.html": '<!doctype html><link rel="icon" href="/icon.svg"><script type="module" src="/src/main.js"></script>',
  "public/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

/** Predicts at once; tunes when the test says so. */
function slowCompiler(predicted: CompiledKernel) {
  const waiting: ((kernel: CompiledKernel) => void)[] = [];
  const compile: CompileKernel = async (request) =>
    request.mode === "interim"
      ? { ...predicted, origin: "predicted", trace: "guess", watchFiles: [request.opFile] }
      : new Promise((resolve) => waiting.push(resolve));
  const finish = async (tuned: CompiledKernel): Promise<void> => {
    await eventually(() => expect(waiting).not.toEqual([]));
    waiting.shift()!({ ...tuned, origin: "tuned", trace: "measured" });
  };
  return { compile, finish };
}

/** Plain SIMD, which all engines have, with results that tell it from the predicted kernel. */
const retuned = (): CompiledKernel => fakeKernel({ wasm: wasmSource(false, marks["wasm-relaxed"]) });

declare global {
  /** Number of times that the app's module has begun, on the server. */
  var begun: number;
}

inPageEngines("the dev server and", ({ name, launch }) => {
  const pages: EnginePage[] = [];
  let engine: RunningEngine;
  let server: ViteDevServer;
  beforeAll(async () => {
    engine = await launch();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
    await server.close();
  });
  afterAll(() => engine?.close());

  async function open(url: string, options: PageOptions = {}): Promise<OpenPage> {
    const opened = await openPage(engine, url, options);
    pages.push(opened.page);
    return opened;
  }

  async function serve(root: string, compile: CompileKernel, rest: InlineConfig = {}): Promise<string> {
    server = await createServer({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [
        recorderPlugin,
        createKernelPlugin(compile).vite({ logLevel: "silent", mode: "tune", cacheDir: "store" }),
      ],
      ...rest,
      server: { port: 0, host: "localhost", ...rest.server },
    });
    await server.listen();
    return server.resolvedUrls!.local[0]!;
  }

  /** The module of the server's own environment: loaded once, and again if it was invalidated. */
  async function onServer<T>(path: string): Promise<T> {
    const { ssr } = server.environments;
    if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error("no runnable environment");
    return ssr.runner.import(path);
  }

  const scheduleIn = ({ page }: OpenPage) => page.evaluate<string>("kernels.kernel.info.schedule");

  describe("a tuned schedule", () => {
    const main = (query: string): string => `import kernel from "./blend.op.ts?tune=wasm${query}";
      export { kernel };
      globalThis.kernels = { kernel };
      globalThis.begun = (globalThis.begun ?? 0) + 1;
      export const begun = globalThis.begun;
      globalThis.inputs = () => [Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1)];`;
    const app = (query = "") =>
      writeApp({ ...page, "src/main.js": main(query), "src/blend.op.ts": "export default 1;" });

    turn(
      "takes the place of the predicted one, and the page keeps its state, its function and its arrays",
      async ({ task }) => {
        const { compile, finish } = slowCompiler(fakeKernel());
        const opened = await open(await serve(app(), compile));
        const run = (body: string): Promise<unknown> => opened.page.evaluate(`(async () => { ${body} })()`);
        await run(`
        globalThis.counter = 42;
        globalThis.kept = kernels.kernel;
        globalThis.arrays = kept.buffers();
        arrays.A.set(inputs()[0]);
        arrays.B.set(inputs()[1]);
        arrays.C.fill(-1);`);
        expect(await scheduleIn(opened)).toBe("guess");
        expect(await run("return [...kept(...inputs())]")).toEqual(expected("wasm"));
        await finish(retuned());
        await opened.page.waitFor('kernels.kernel.info.schedule === "measured"');
        const after = await run(`return {
        state: [counter, begun, kept === kernels.kernel],
        called: [...kept(...inputs())],
        async: [...(await kept.async(...inputs()))],
        ownArrays: [...kept(arrays.A, arrays.B, arrays.C)],
        twin: kept.info.twin,
      }`);
        expect(after).toEqual({
          state: [42, 1, true],
          called: expected("wasm-relaxed"),
          async: expected("wasm-relaxed"),
          ownArrays: expected("wasm-relaxed"),
          twin: "wasm",
        });
        expect(await opened.problems()).toEqual([]);
        saw(task, { engine: name, version: engine.version, feature: "dev", answer: "yes" });
      },
    );

    it("does so on the server too", async () => {
      const { compile, finish } = slowCompiler(fakeKernel());
      await serve(app(), compile);
      interface Main {
        readonly kernel: ((...arrays: Float32Array[]) => Float32Array) & {
          readonly info: { readonly schedule: string };
        };
        readonly begun: number;
      }
      const { kernel, begun } = await onServer<Main>("/src/main.js");
      expect(kernel.info.schedule).toBe("guess");
      await finish(fakeKernel());
      await eventually(() => expect(kernel.info.schedule).toBe("measured"));
      const [A, B] = [Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1)];
      expect([...kernel(A, B)]).toEqual(expected("wasm"));
      expect(globalThis.begun).toBe(begun);
    });

    turn("leaves layers that were packed before as they are", async () => {
      const root = writeApp({
        ...page,
        "src/gemm.op.ts": `import { withConstants } from "unplugin-kernel/op";
          import { gemm } from "unplugin-kernel/ops";
          export default withConstants(gemm({ M: 8, N: 16, K: 8 }), "B");`,
        "src/main.js": `import kernel from "./gemm.op.ts?tune=wasm";
          globalThis.kernels = { kernel };
          globalThis.layer = kernel.pack({ B: new Float32Array(128).fill(3) });
          globalThis.ones = new Float32Array(64).fill(1);`,
      });
      const { kernel } = await compileIn(root, { request: { mode: "predict" } });
      const { compile, finish } = slowCompiler(kernel);
      const opened = await open(await serve(root, compile));
      const sums = () =>
        opened.page.evaluate(`(async () => {
          const fresh = kernels.kernel.pack({ B: new Float32Array(128).fill(5) });
          return [layer(ones)[0], (await layer.async(ones))[0], layer.info.schedule, fresh(ones)[0], fresh.info.schedule];
        })()`);
      expect(await sums()).toEqual([24, 24, "guess", 40, "guess"]);
      await finish(kernel);
      await opened.page.waitFor('kernels.kernel.info.schedule === "measured"');
      expect(await sums()).toEqual([24, 24, "guess", 40, "measured"]);
    });

    turn("comes with its files below the base path, to a page that is isolated", async () => {
      const { compile, finish } = slowCompiler(fakeKernel());
      const url = await serve(app("&sync=0"), compile, { base: "/app/", server: { headers: isolation } });
      const opened = await open(url, { isIsolated: true });
      const call = () =>
        opened.page.evaluate(
          `kernels.kernel.ready().then(() => kernels.kernel.async(...inputs())).then((C) => [...C])`,
        );
      expect(await call()).toEqual(expected("wasm"));
      await finish(retuned());
      await opened.page.waitFor('kernels.kernel.info.schedule === "measured"');
      expect(await call()).toEqual(expected("wasm-relaxed"));
      const workers = (await opened.page.workers()).map((worker) => new URL(worker).pathname);
      expect(workers).toEqual([expect.stringMatching(/^\/app\/@unplugin-kernel\/kernel-worker-[0-9a-f]{12}\.js$/)]);
      expect(await opened.page.evaluate("crossOriginIsolated")).toBe(true);
    });
  });

  describe("edits", () => {
    const operator = (
      body = "sum(A(i, k).mul(B(k, j)).mul(factor), k)",
    ): string => `import { factor } from "./factor.ts";
import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 16, N: 16, K: 16 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32"), B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => ${body});
});
`;
    const main = `import kernel from "./scaled.op.ts?tune=wasm&trials=8&seconds=10";
      export const value = () => kernel(new Float32Array(256).fill(1), new Float32Array(256).fill(1))[0];
      globalThis.kernels = { kernel, value };`;
    const app = () =>
      writeApp({
        ...page,
        "src/main.js": main,
        "src/scaled.op.ts": operator(),
        "src/factor.ts": "export const factor = 1;\n",
      });

    /** Compiles, and keeps what was tuned: another process does that, and writes the lock. */
    function recording() {
      const tuned: CompiledKernel[] = [];
      const compile: CompileKernel = async (request, services) => {
        const kernel = await compileKernel(request, services);
        if (request.mode === "tune") tuned.push(kernel);
        return kernel;
      };
      return { compile, tuned };
    }

    const valueOnServer = async () => (await onServer<{ value(): number }>("/src/main.js")).value();
    const showsValue = (opened: OpenPage, value: number) =>
      opened.page.waitFor(`globalThis.kernels?.value() === ${value}`);

    const overlay = 'document.querySelector("vite-error-overlay")';

    /** Message on the dev server's overlay, once it is there. A page that reloads may show it again. */
    const messageIn = (page: EnginePage): Promise<string> =>
      page.waitFor(`${overlay}?.shadowRoot.querySelector(".message-body")?.textContent`);

    turn("of the operator and of a file that it imports give new kernels, each tuned once", async () => {
      const root = app();
      const { compile, tuned } = recording();
      const opened = await open(await serve(root, compile));
      const bothShow = async (value: number, tunings: number) => {
        await showsValue(opened, value);
        expect(await valueOnServer()).toBe(value);
        await eventually(() => expect(tuned).toHaveLength(tunings));
        await opened.page.waitFor(`kernels.kernel.info.schedule === ${JSON.stringify(tuned.at(-1)!.trace)}`);
        await showsValue(opened, value);
        expect(await valueOnServer()).toBe(value);
      };
      await bothShow(16, 1);
      writeFileSync(join(root, "src/factor.ts"), "export const factor = 2;\n");
      await bothShow(32, 2);
      writeFileSync(join(root, "src/scaled.op.ts"), operator("sum(A(i, k).mul(B(k, j)).mul(factor), k).add(1)"));
      await bothShow(33, 3);
      expect(tuned.map(({ origin }) => origin)).toEqual(["lock", "lock", "lock"]);
    });

    turn("with a mistake show it with its line, and are healed by the next", async () => {
      const root = app();
      const opened = await open(await serve(root, recording().compile));
      await showsValue(opened, 16);
      writeFileSync(join(root, "src/scaled.op.ts"), operator("sum(A(i, k).mul(B(q, j)), k)"));
      expect(await messageIn(opened.page)).toContain(
        "op.threw: ReferenceError: q is not defined\n  src/scaled.op.ts:6:59\n   6 |   return compute(",
      );
      writeFileSync(join(root, "src/scaled.op.ts"), operator("sum(A(i, k).mul(B(k, j)).mul(3), k)"));
      await showsValue(opened, 48);
      await opened.page.waitFor(`${overlay} === null`);
    });

    turn("heal a page whose operator imported a mistake from the beginning", async () => {
      const root = app();
      writeFileSync(join(root, "src/factor.ts"), "export const factor = ;\n");
      const page = await engine.newPage();
      pages.push(page);
      await page.goto(await serve(root, recording().compile));
      expect(await messageIn(page)).toContain("src/factor.ts:1:23");
      writeFileSync(join(root, "src/factor.ts"), "export const factor = 4;\n");
      await page.waitFor("globalThis.kernels?.value() === 64");
    });
  });
});
