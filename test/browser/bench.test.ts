// `bench --browser` as people use it: the command serves a page, a browser opens it, and both tell what was measured. Times are not judged.

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { PageVisit } from "../../src/cli/bench/browser/visit.ts";
import { writeProject } from "../cli/project.ts";
import { alteringProxy } from "../support/altering-proxy.ts";
import { launchBrowser, noBrowser, type PageServer } from "../support/browser.ts";
import type { EngineName, EnginePage, PageOptions, RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { saw } from "../support/engine/saw.ts";
import { visitorOf } from "../support/engine/visitor.ts";
import { inTurn } from "../support/long.ts";
import { killServed, type Served, serve as serveCommand } from "../support/served-command.ts";

const turn = inTurn(5);

const operator = (body: string): string => `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
${body}
`;

/** A plain kernel, also with threads and for a native target, and one with a constant and files instead of bytes in its code. */
const project = (): string =>
  writeProject({
    "src/gemm.op.ts": operator("export default gemm({ M: 4, N: 8, K: 8 });"),
    "src/layer.op.ts": operator('export default withConstants(gemm({ M: 4, N: 8, K: 8 }), "B");'),
    "src/main.ts": `import gemm from "./gemm.op.ts?tune=wasm";
import layer from "./layer.op.ts?tune=wasm&sync=0";
import large from "./gemm.op.ts?tune=wasm&M=64&N=64&K=64&threads=2";
import native from "./gemm.op.ts?tune=avx2";
console.log(gemm, layer, large, native);
`,
  });

/** `npx unplugin-kernel bench --browser`, when its page is there. */
const serve = (root: string, ...args: readonly string[]): Promise<Served> =>
  serveCommand(root, "bench", "--browser", "--seconds", "0.1", ...args);

afterEach(killServed);

/** User agent of each engine, and the twin that a page calls in it. */
const expectedOf: Readonly<Record<EngineName, { readonly userAgent: RegExp; readonly hasRelaxedSimd: boolean }>> = {
  Chromium: { userAgent: /Chrome\//, hasRelaxedSimd: true },
  Firefox: { userAgent: /Firefox\//, hasRelaxedSimd: true },
  WebKit: { userAgent: /AppleWebKit\/(?!.*Chrome)/, hasRelaxedSimd: false },
};

interface Bar {
  readonly kernel: string;
  /** Width as it is drawn, beside that of its track. */
  readonly share: number;
  readonly isBound: boolean;
}

const barsOf = `[...document.querySelectorAll("table .fill")].map((bar) => ({
  kernel: bar.closest("tr").querySelector("th").textContent,
  share: bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width,
  isBound: bar.classList.contains("bound") && getComputedStyle(bar).backgroundColor !== getComputedStyle(bar.parentElement).backgroundColor,
}))`;

/** Kernels for a CPU say first that a page has no addon. */
const noRelaxedSimd: string = expect.stringMatching(/the engine has no relaxed SIMD$/);

const button = (text: string): string =>
  `[...document.querySelectorAll("button")].find((it) => it.textContent === ${JSON.stringify(text)})`;

inPageEngines("bench --browser in", ({ name, launch }) => {
  const { userAgent, hasRelaxedSimd } = expectedOf[name];
  const root = project();
  const pages: EnginePage[] = [];
  const proxies: PageServer[] = [];
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await launch();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  afterAll(() => engine?.close());

  async function open(url: string, options: PageOptions = { isIsolated: true }): Promise<EnginePage> {
    const page = await engine.newPage(options);
    pages.push(page);
    await page.goto(url);
    return page;
  }
  const says = (words: string): string =>
    `document.querySelector("[role=status]")?.textContent.includes(${JSON.stringify(words)})`;

  turn(
    "measures every twin that the engine has, tells the command, and ends with 0 after one visit",
    async ({ task }) => {
      const { url, output, ended } = await serve(root, "--once", "--json");
      const page = await open(url);
      expect(await ended).toBe(0);
      const { browser: facts, kernels }: PageVisit = JSON.parse(output());
      expect(facts).toMatchObject({ hasSharedMemory: true, hasRelaxedSimd, cores: expect.any(Number) });
      expect(facts.userAgent).toMatch(userAgent);
      expect(facts.clockStepMs).toBeGreaterThan(0);
      expect(kernels.map(({ kernel }) => kernel)).toEqual([
        "src/gemm.op.ts?K=64&M=64&N=64&threads=2&tune=wasm",
        "src/gemm.op.ts?tune=avx2",
        "src/gemm.op.ts?tune=wasm",
        "src/layer.op.ts?sync=0&tune=wasm",
      ]);
      for (const { bench, error } of kernels) {
        expect(error).toBeNull();
        expect(bench!.rows).toMatchObject([
          hasRelaxedSimd
            ? { name: "wasm-relaxed", isBound: true, isRight: true, why: null }
            : { name: "wasm-relaxed", isBound: false, isRight: null, why: noRelaxedSimd, times: null },
          { name: "wasm", isBound: !hasRelaxedSimd, isRight: true, why: null },
          { name: "reference", isBound: false, isRight: true, why: null },
        ]);
        for (const { times, gflops } of bench!.rows) {
          if (times === null) continue;
          expect(times.samples).toBeGreaterThanOrEqual(3);
          expect(times.p20Ns).toBeLessThanOrEqual(times.medianNs);
          expect(times.medianNs).toBeLessThanOrEqual(times.p80Ns);
          expect(gflops).toBeCloseTo(bench!.flops / times.medianNs, 9);
        }
      }
      await page.waitFor(says("4 kernels measured; all results are right."));
      expect(await page.evaluate('document.querySelectorAll("table tbody tr").length')).toBe(12);
      const verdicts = await visitorOf(page).texts(".verdicts li");
      expect(verdicts.map((verdict) => verdict.split(": ")[0])).toEqual(kernels.map(({ kernel }) => kernel));
      for (const verdict of verdicts)
        expect(verdict).toMatch(
          /: [\d.]+ × the reference loops in JavaScript, [\d.]+ (ns|µs|ms): (hardly any of|fits|longer than) a frame of 60 Hz/,
        );
      const bars = await page.evaluate<readonly Bar[]>(barsOf);
      expect(bars).toHaveLength(kernels.flatMap(({ bench }) => bench!.rows.filter(({ times }) => times)).length);
      // The longest bar of a kernel is as long as its track, and the kernel that a page calls has a colour of its own.
      for (const { kernel } of kernels) {
        const own = bars.filter((bar) => bar.kernel === kernel);
        expect(Math.max(...own.map(({ share }) => share))).toBeCloseTo(1, 1);
        expect(own.filter(({ isBound }) => isBound)).toHaveLength(1);
      }
      expect(page.said()).toEqual([]);
      saw(task, { engine: name, version: engine.version, feature: "bench", answer: "yes" });
    },
  );

  turn("measures again by keyboard, says whether memory is shared, and the command goes on serving", async () => {
    const { url, output } = await serve(root, "src/layer.op.ts", "--json");
    // WebKitGTK shares no memory, though the page is isolated.
    const page = await open(url, {});
    await page.waitFor(says("all results are right"));
    const facts = await page.evaluate<string>('document.querySelector("dl").textContent');
    expect(facts).toContain(name === "WebKit" ? "Shared memoryno: kernels have one thread" : "Shared memoryyes");
    const { browser }: PageVisit = JSON.parse(output());
    expect(browser.hasSharedMemory).toBe(name !== "WebKit");
    await page.evaluate(`${button("Measure again")}.focus()`);
    await page.press("Enter");
    await page.waitFor(`${button("Measure again")}.disabled`);
    await page.waitFor(says("all results are right"));
    await expect.poll(() => output().trim().split("\n").length).toBe(2);
    expect(page.said()).toEqual([]);
  });

  turn("copies and saves what it found", async () => {
    const { url, output } = await serve(root, "src/layer.op.ts", "--json");
    const page = await open(url);
    const visitor = visitorOf(page);
    await page.waitFor(says("all results are right"));
    // What is given to the clipboard and to the engine's downloads; that they take it is tested in Chromium.
    await page.evaluate(`void (() => {
      globalThis.given = [];
      navigator.clipboard.writeText = async (text) => void given.push(text);
      URL.createObjectURL = (blob) => (blob.text().then((text) => given.push(text)), "data:,");
      HTMLAnchorElement.prototype.click = function () { given.push(this.download); };
    })()`);
    await visitor.presses("button", "Copy as JSON");
    await page.waitFor(says("Copied."));
    await visitor.presses("button", "Download");
    await page.waitFor("given.length === 3");
    const given = await page.evaluate<readonly string[]>("given");
    const [copied, ...saved] = given;
    expect(JSON.parse(copied!)).toEqual(JSON.parse(output()));
    expect(saved.toSorted()).toEqual([copied, expect.stringMatching(/-bench\.json$/)].toSorted());
  });

  /** Its calls do nothing. */
  const lazy = `const { pack } = kernel;
kernel.pack = (constants) => Object.assign(() => {}, { buffers: pack(constants).buffers });
export default kernel;`;

  turn("says what is wrong, in words, and ends with 1", async () => {
    const { url, errors, ended } = await serve(root, "src/layer.op.ts", "--once");
    const proxy = await alteringProxy(url, {
      "/kernels/0/wasm.js": (text) => `${text.replace("export default", "const kernel =")}\n${lazy}`,
    });
    proxies.push(proxy);
    const page = await open(proxy.url);
    const visitor = visitorOf(page);
    expect(await ended).toBe(1);
    const words = /C\[0, 0\] is not written, the reference gives -?[\d.]+ \(32 of 32 elements differ\)/;
    await page.waitFor(says("1 kernel measured; wrong results: src/layer.op.ts?sync=0&tune=wasm."));
    const wrong = (await visitor.texts("table tbody tr")).filter((text) => text.includes("wrong: "));
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(words);
    expect(errors()).toMatch(words);
    // Where the wrong twin is the one that a page calls, the verdict says so, and names no speed.
    const verdict = hasRelaxedSimd ? /reference loops/ : /: wrong results\.$/;
    expect(await visitor.texts(".verdicts li")).toEqual([expect.stringMatching(verdict)]);
  });

  turn("tells the command why it cannot measure", async () => {
    const { url, errors, ended } = await serve(root, "src/layer.op.ts", "--once");
    const proxy = await alteringProxy(url, { "/measure.js": null });
    proxies.push(proxy);
    const page = await open(proxy.url);
    expect(await ended).toBe(1);
    expect(errors()).toContain("bench.page-failed: the page could not measure: the worker that measures failed");
    await page.waitFor(says("the worker that measures failed"));
  });
});

// What only Chromium's driver gives: permission to read the clipboard again, and the file that a download ends in.
describe.skipIf(noBrowser)(`bench --browser in Chromium alone${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  let root: string;
  beforeAll(async () => {
    root = project();
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** The page, and what went wrong in it. */
  async function open(): Promise<{ readonly page: Page; readonly troubles: readonly string[] }> {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on("console", (message) => troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(error.message));
    return { page, troubles };
  }

  turn("measures again by keyboard, copies and saves what it found, and goes on serving", async () => {
    const { url, output, child, ended } = await serve(root, "src/layer.op.ts", "--json");
    const { page, troubles } = await open();
    await page.goto(url);
    const again = page.getByRole("button", { name: "Measure again" });
    const done = page.getByText("all results are right");
    await done.waitFor();
    await page.keyboard.press("Tab");
    while (!(await again.evaluate((it) => it === document.activeElement))) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await again.isDisabled()).toBe(true);
    await done.waitFor();
    const visits = output().trim().split("\n");
    expect(visits).toHaveLength(2);
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await page.getByText("Copied.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual(JSON.parse(visits[1]!));
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect(readFileSync(await (await saved).path(), "utf8")).toBe(copied);
    expect(troubles).toEqual([]);
    child.kill("SIGINT");
    expect([await ended, child.signalCode]).toEqual([null, "SIGINT"]);
    await page.context().close();
  });
});
