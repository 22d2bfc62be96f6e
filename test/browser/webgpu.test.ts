// Kernels with `?tune=webgpu` in a page that Vite has built, in Chromium on its software adapter: right by a GPU and by the twin, on a device of
// the page's, under a strict policy, and in engines that have no WebGPU or a software adapter that is not asked for.

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, noBrowser, type PageServer, serveFolder } from "../support/browser.ts";
import { outputFiles, writeApp } from "../support/build-app.ts";
import { chromiumPage } from "../support/engine/chromium.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { type OpenPage, openPage } from "../support/page.ts";

const turn = inTurn(3);

const operators: Readonly<Record<string, string>> = {
  gemm: "gemm({ M: 64, N: 48, K: 40 }, { bias: true, activation: 'relu' })",
  large: "gemm({ M: 256, N: 256, K: 256 })",
  odd: "gemm({ M: 33, N: 17, K: 13 })",
  conv2d: "conv2d({ H: 14, W: 14, C: 8, F: 16, padding: 1 })",
  softmax: "softmax({ M: 8, N: 96 })",
  layerNorm: "layerNorm({ M: 8, N: 96 })",
  bytes: "gemm({ M: 16, N: 16, K: 32, dtype: 'i8' })",
  doubles: "gemm({ M: 8, N: 8, K: 8, dtype: 'f64' })",
  packed: "withConstants(gemm({ M: 16, N: 48, K: 40 }), 'B')",
};

const names = Object.keys(operators);

const fileOf = (text: string): string => `
  import * as ops from "unplugin-kernel/ops";
  import { withConstants } from "unplugin-kernel/op";
  const { gemm, conv2d, softmax, layerNorm } = ops;
  export default ${text};`;

const app = {
  "index.html": '<!doctype html><link rel="icon" href="/icon.svg"><script type="module" src="/src/main.js"></script>',
  "public/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  ...Object.fromEntries(names.map((name) => [`src/${name}.op.ts`, fileOf(operators[name]!)])),
  "src/main.js": `
    ${names.map((name) => `import ${name} from "./${name}.op.ts?tune=webgpu";`).join("\n")}
    globalThis.kernels = { ${names.join(", ")} };
    // Small integers, whose sums are exact in any order; softmax and layerNorm take fractions.
    globalThis.inputsOf = ({ info }) => {
      const types = { f32: Float32Array, f64: Float64Array, i8: Int8Array, i32: Int32Array };
      return info.tensors.filter(({ role }) => role === "input").map(({ dtype, shape }, salt) =>
        types[dtype].from({ length: shape.reduce((a, b) => a * b, 1) }, (_, at) => ((at * 7 + salt * 3) % 11) - 5));
    };
    globalThis.apart = (a, b) => a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0);`,
};

const root = writeApp(app);
const strict = { "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" };

describe.skipIf(noBrowser !== null)(`kernels for WebGPU in Chromium${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  let server: PageServer;

  beforeAll(async () => {
    await build({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [kernelPlugin.vite({ logLevel: "silent", mode: "predict" })],
      build: { outDir: "out" },
    });
    browser = await launchBrowser(["--enable-unsafe-webgpu"]);
    server = await serveFolder(join(root, "out"), strict);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** @param isAsked whether a software adapter may answer */
  async function open(isAsked: boolean): Promise<OpenPage> {
    const page = await browser.newPage();
    if (isAsked) await page.addInitScript("globalThis.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE = '1'");
    const engine = { version: browser.version(), newPage: async () => chromiumPage(page), close: async () => {} };
    return openPage(engine, server.url);
  }

  test("take some kilobytes, and no file beside the page's script and worker", () => {
    expect(outputFiles(root).filter((file) => file.endsWith(".wasm"))).toEqual([]);
  });

  turn("compute what the twin computes, and say who did", async () => {
    const { page, problems } = await open(true);
    const found = await page.evaluate<Record<string, { off: number; reason: string | null; adapter: string | null }>>(`
      (async () => {
        const all = {};
        for (const [name, kernel] of Object.entries(kernels)) {
          await kernel.ready();
          const inputs = inputsOf(kernel);
          const twin = kernel(...inputs);
          const tried = await kernel.async(...inputs);
          const again = await kernel.async(...inputs);
          const { adapter, reason } = kernel.info.gpu;
          all[name] = { off: Math.max(apart(twin, tried), apart(twin, again)), adapter, reason };
        }
        return all;
      })()`);
    for (const [name, { off, reason }] of Object.entries(found)) {
      expect([name, off <= (name === "softmax" || name === "layerNorm" ? 1e-5 : 0)]).toEqual([name, true]);
      // A software adapter need not be faster; what it computes has to be right.
      expect([name, reason ?? "", reason?.includes("differ") ?? false]).toEqual([name, reason ?? "", false]);
    }
    expect(await problems()).toEqual([]);
  });

  turn("run on a device of the page's own, in one pass", async () => {
    const { page, problems } = await open(true);
    const off = await page.evaluate<Record<string, number | string>>(`
      (async () => {
        const adapter = await navigator.gpu.requestAdapter();
        const device = await adapter.requestDevice();
        const all = {};
        for (const [name, kernel] of Object.entries(kernels)) {
          const own = await kernel.on(device).catch(({ message }) => message);
          if (typeof own === "string") { all[name] = own; continue; }
          const inputs = inputsOf(kernel);
          const { tensors } = kernel.info;
          const buffers = tensors.map(({ name }, at) => own.buffer(name, inputs[at]));
          own.run(...buffers);
          all[name] = apart(kernel(...inputs), await own.read(tensors.at(-1).name, buffers.at(-1)));
        }
        const layer = await kernels.packed.pack({ B: inputsOf(kernels.packed)[1] }).on(device);
        const [a, c] = [layer.buffer("A", inputsOf(kernels.packed)[0]), layer.buffer("C")];
        layer.run(a, c);
        all.layer = apart(kernels.packed(...inputsOf(kernels.packed)), await layer.read("C", c));
        return all;
      })()`);
    const near = expect.closeTo(0, 4);
    expect(off).toEqual({
      ...Object.fromEntries(names.map((name) => [name, 0])),
      ...{ softmax: near, layerNorm: near, doubles: "doubles: A is f64, and WebGPU has no such numbers", layer: 0 },
    });
    expect(await problems()).toEqual([]);
  });

  turn("remember for the next visit who is to answer", async () => {
    const { page } = await open(true);
    const reasonOf = (call: string): Promise<string | null> =>
      page.evaluate(`(async () => {
        const { large } = kernels;
        await large.ready();
        ${call}
        return large.info.gpu.reason;
      })()`);
    expect(await reasonOf("")).toBe("the next call off the event loop tries it");
    const tried = await reasonOf(
      "await large.async(...inputsOf(large)); await new Promise((go) => setTimeout(go, 200));",
    );
    expect(tried ?? "the GPU").toMatch(/^the GPU/);
    await page.goto(server.url);
    await page.waitFor("Boolean(globalThis.kernels)");
    expect(await reasonOf("")).toBe(tried);
  });

  turn("leave a software adapter alone that nobody asks for", async () => {
    const { page } = await open(false);
    const reason = await page.evaluate<string>(`
      (async () => {
        await kernels.gemm.ready();
        await kernels.gemm.async(...inputsOf(kernels.gemm));
        return kernels.gemm.info.gpu.reason;
      })()`);
    expect(reason).toMatch(/^the adapter computes on the CPU \(google swiftshader\)$|^WebGPU has no adapter$/);
  });
});
