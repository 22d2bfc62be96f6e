// Vite's dev server and a page in Chromium with a kernel for WebGPU: the page's own browser measures it, the lock gets the decision for its class,
// and the page goes on with it. A software adapter that nobody asked for measures nothing. Times are not judged.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { packageFile } from "../../src/native/machine/package-file.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
import { writeApp } from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(2);

const app = {
  "index.html": '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/src/main.js"></script>',
  "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 32, N: 40, K: 48 });\n',
  "src/main.js": `import kernel from "./gemm.op.ts?tune=webgpu&trials=4";
globalThis.kernel = kernel;
globalThis.loads = (globalThis.loads ?? 0) + 1;
globalThis.once ??= crypto.randomUUID();
`,
};

const entriesIn = (root: string): readonly string[] => {
  const lock = join(root, "kernels.lock.json");
  return existsSync(lock) ? Object.keys(JSON.parse(readFileSync(lock, "utf8")).kernels) : [];
};

/** Entries that a page has measured: the server may have one of its own for the WASM twin. */
const ofAdapters = (root: string): readonly string[] => entriesIn(root).filter((entry) => entry.includes("webgpu-"));

describe.skipIf(noBrowser !== null)(`a page of the dev server in Chromium${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  let server: ViteDevServer;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser(["--enable-unsafe-webgpu"]);
  });
  afterEach(async () => {
    await page.close();
    await server.close();
  });
  afterAll(() => browser?.close());

  async function open(root: string, takesSoftware: boolean): Promise<void> {
    const plugin = kernelPlugin.vite({ logLevel: "silent", mode: "tune", cacheDir: "store" });
    server = await createServer({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin],
      server: { port: 0, host: "localhost" },
    });
    await server.listen();
    page = await browser.newPage();
    await page.addInitScript(`
      globalThis.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE = "${takesSoftware ? 1 : 0}";
      globalThis.framesSeen = 0;
      new MutationObserver((records) => {
        for (const { addedNodes } of records) framesSeen += [...addedNodes].filter(({ nodeName }) => nodeName === "IFRAME").length;
      }).observe(document, { childList: true, subtree: true });`);
    await page.goto(server.resolvedUrls!.local[0]!);
    await page.waitForFunction("globalThis.kernel");
  }

  turn("measures its kernel, once, and goes on with what it found", async () => {
    expect(existsSync(packageFile("dist/background-tuner.js"))).toBe(true);
    const root = writeApp(app);
    await open(root, true);
    const first = await page.evaluate("[once, loads]");
    await eventually(() =>
      expect(ofAdapters(root)).toEqual([expect.stringContaining("tune=webgpu-software-subgroups")]),
    );
    // The frame goes when nothing is left to measure, and the page has kept its state.
    await page.waitForFunction("framesSeen > 0 && document.querySelector('iframe') === null", null, {
      timeout: 60_000,
    });
    expect(await page.evaluate("[once, loads]")).toEqual(first);
    // The server hears of the new decision as of any file that changes: soon.
    await eventually(async () => {
      const module = await (await fetch(new URL("/src/gemm.op.ts?tune=webgpu&trials=4", page.url()))).text();
      expect(module).toMatch(/gpus: \[\s*"software-subgroups"|"gpus": \[\s*"software-subgroups"/);
    });
    const agrees = await page.evaluate(`(async () => {
      const inputs = kernel.info.tensors.slice(0, 2).map(({ shape }) => new Float32Array(shape[0] * shape[1]).fill(2));
      const twin = kernel(...inputs);
      return [...(await kernel.async(...inputs))].every((value, at) => value === twin[at]);
    })()`);
    expect(agrees).toBe(true);
  });

  turn("with a software adapter that it does not take measures nothing", async () => {
    const root = writeApp(app);
    await open(root, false);
    await page.waitForFunction("framesSeen > 0 && document.querySelector('iframe') === null", null, {
      timeout: 30_000,
    });
    expect(ofAdapters(root)).toEqual([]);
  });
});
