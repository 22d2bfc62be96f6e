// A report as a reader has it: opened from a file and used by keyboard in all engines; in Chromium also in light and dark, on a phone and
// on paper, which its driver can make it believe.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KernelReport } from "../../src/plugin/report/report-data.ts";
import { reportPage } from "../../src/plugin/report/report-page.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
import type { EnginePage, RunningEngine } from "../support/engine/engine.ts";
import { inEachEngine } from "../support/engine/engines.ts";
import { withInlineRecorder } from "../support/engine/recorder.ts";
import { saw } from "../support/engine/saw.ts";
import { syntheticKernel, syntheticReport, withStrategies } from "../support/synthetic-report.ts";

const large = syntheticKernel({ name: "src/gemm.op.ts?M=256&tune=avx2", candidates: 5000, hasRoof: true });
const small = withStrategies(syntheticKernel({ name: "src/score.op.ts?tune=wasm", candidates: 60, hasRoof: false }));
const predicted: KernelReport = {
  ...syntheticKernel({ name: "src/blur.op.ts?tune=wasm", candidates: 2, hasRoof: false }),
  ...{
    origin: "predicted",
    measured: null,
    candidates: [],
    tunings: [],
    winner: null,
    default: null,
    againstDefault: null,
  },
};
/** Kernels of one operator, in the order of a report. */
const shapes = [8, 100, 104, 124].map((M) => {
  const kernel = syntheticKernel({ name: `src/gemm.op.ts?M=${M}&tune=avx2`, candidates: 40 + M, hasRoof: true });
  return { ...kernel, parameters: { M, N: 256, K: 256, dtype: "f32" } };
});
const failed = { kind: "failed" as const, name: "src/bad.op.ts?tune=wasm", error: "op.throws: <img src=x>" };

/** The page, and what went wrong in it or asked for something. */
interface Opened {
  readonly page: Page;
  readonly troubles: readonly string[];
}

/** Curves that a PDF draws: Chromium prints canvases as lines and curves where a page draws them for paper. */
function curvesIn(pdf: Buffer): number {
  const text = pdf.toString("latin1");
  const streams = [...text.matchAll(/(?<!end)stream\r?\n/g)].map(({ 0: { length }, index }) => {
    const start = index + length;
    return pdf.subarray(start, text.indexOf("endstream", start));
  });
  const curves = streams.map((stream) => {
    try {
      return inflateSync(stream).toString("latin1").match(/ c\n/g)?.length ?? 0;
    } catch {
      return 0; // A font, or what is not compressed.
    }
  });
  return curves.reduce((sum, count) => sum + count, 0);
}

const file = join(mkdtempSync(join(tmpdir(), "report-")), "report.html");

const html = (): string => reportPage(syntheticReport([failed, predicted, large, small]));

inEachEngine("a report in", ({ name, launch }) => {
  const recording = join(mkdtempSync(join(tmpdir(), "report-")), "report.html");
  const pages: EnginePage[] = [];
  let engine: RunningEngine;
  beforeAll(async () => {
    writeFileSync(recording, withInlineRecorder(html()));
    engine = await launch();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });
  afterAll(() => engine?.close());

  async function open(hash = ""): Promise<EnginePage> {
    const page = await engine.newPage();
    pages.push(page);
    await page.goto(pathToFileURL(recording).href + hash);
    await page.waitFor('document.querySelector("table tbody th")');
    return page;
  }

  /** Numbers of different colours on each canvas: one that was not drawn has one. */
  const colours = `[...document.querySelectorAll("canvas")].map((canvas) => {
    const { width, height } = canvas;
    // Chromium complains of one that is read again and again: a copy is.
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    return new Set(new Uint32Array(data.buffer)).size;
  })`;

  it("draws its charts, asks for nothing, breaks no policy, and runs nothing of its data", async () => {
    const page = await open("#kernel-3");
    await page.waitFor(`(${colours}).length >= 3 && (${colours}).every((it) => it > 20)`);
    expect(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')).toEqual([]);
    expect(await page.evaluate('document.querySelectorAll("img").length')).toBe(0);
    expect([...page.said(), ...(await page.evaluate<readonly string[]>("recorded.said"))]).toEqual([]);
  });

  it("sorts and opens kernels by keyboard", async ({ task }) => {
    const page = await open();
    const sortButton = 'document.querySelector("table thead").querySelectorAll("button")';
    const column = `[...${sortButton}].find((it) => it.textContent.includes("GFLOP/s"))`;
    const direction = `${column}.closest("th").getAttribute("aria-sort")`;
    await page.evaluate(`${column}.focus()`);
    await page.press("Enter");
    await page.waitFor(`${direction} === "descending"`);
    await page.evaluate(`${column}.focus()`);
    await page.press("Space");
    await page.waitFor(`${direction} === "ascending"`);
    const link = '[...document.querySelectorAll("table a")].find((it) => it.textContent === "src/score.op.ts")';
    await page.evaluate(`${link}.focus()`);
    await page.press("Enter");
    await page.waitFor('document.querySelectorAll("details")[3].open && document.activeElement.tagName === "SUMMARY"');
    saw(task, { engine: name, version: engine.version, feature: "report", answer: "yes" });
  });
});

describe.skipIf(noBrowser)(`a report in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    writeFileSync(file, html());
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(hash = "", options: Parameters<Browser["newPage"]>[0] = {}): Promise<Opened> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const troubles: string[] = [];
    page.on("console", (message) => troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) troubles.push(request.url());
    });
    await page.goto(pathToFileURL(file).href + hash);
    return { page, troubles };
  }

  async function openReport(kernels: readonly KernelReport[]): Promise<Page> {
    const path = join(mkdtempSync(join(tmpdir(), "report-")), "report.html");
    writeFileSync(path, reportPage(syntheticReport(kernels)));
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(pathToFileURL(path).href);
    return page;
  }

  const kernelsTable = (page: Page) => page.getByRole("table", { name: "Kernels of the project" });
  const firstCells = (page: Page) => kernelsTable(page).locator("tbody th").allTextContents();
  const candidates = (page: Page) => page.getByRole("table", { name: "Candidates of src/gemm.op.ts" });

  /** Number of different colours on a canvas: one that was not drawn has one. */
  const coloursOf = (page: Page, at: number): Promise<number> =>
    page
      .locator("canvas")
      .nth(at)
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });

  it("asks for nothing, breaks no policy, and runs nothing of its data", async () => {
    const { page, troubles } = await open("#kernel-3");
    await page.locator("canvas").nth(2).waitFor();
    await page.getByText("src/bad.op.ts").last().click();
    expect(await page.locator("details[open] .error").textContent()).toBe(failed.error);
    expect(await page.locator("img").count()).toBe(0);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it("sorts by keyboard, and says how", async () => {
    const { page } = await open();
    const names = ["src/bad.op.ts", "src/blur.op.ts", "src/gemm.op.ts", "src/score.op.ts"];
    expect(await firstCells(page)).toEqual(names);
    const button = kernelsTable(page).getByRole("button", { name: "GFLOP/s" });
    await button.focus();
    await page.keyboard.press("Enter");
    const head = kernelsTable(page).getByRole("columnheader", { name: "GFLOP/s" });
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    const [first, second] = await firstCells(page);
    expect(new Set([first, second])).toEqual(new Set(["src/gemm.op.ts", "src/score.op.ts"]));
    await page.keyboard.press("Space");
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    // Rows without a speed come last in either direction.
    expect((await firstCells(page)).slice(0, 2)).toEqual([second, first]);
    await page.close();
  });

  it("begins with a chart of all kernels: shapes of one operator together, in the order of their sizes", async () => {
    const page = await openReport(shapes);
    const chart = page.locator("figure.overview");
    expect(await chart.locator("h3").allTextContents()).toEqual(["src/gemm.op.ts avx2 · N 256, K 256, dtype f32"]);
    expect(await chart.locator(".label").allTextContents()).toEqual(["M 8", "M 100", "M 104", "M 124"]);
    const widths = await chart.locator(".fill").evaluateAll((all) => all.map((it) => (it as HTMLElement).style.width));
    const shares = await chart.locator(".share").allTextContents();
    expect(shares.map((share) => share.replace(" ", ""))).toEqual(
      widths.map((width) => `${Math.round(Number.parseFloat(width))}%`),
    );
    expect(await firstCells(page)).toHaveLength(4);
    const parameters = kernelsTable(page).locator("tbody td:nth-child(2)");
    expect(await parameters.allTextContents()).toEqual(
      [8, 100, 104, 124].map((M) => `M ${M}, N 256, K 256, dtype f32`),
    );
    expect(await page.locator(".group-cards summary .name").allTextContents()).toEqual([
      "M 8",
      "M 100",
      "M 104",
      "M 124",
    ]);
    await chart.getByRole("link", { name: "M 104" }).click();
    await page.locator("#kernel-3[open] .verdict").waitFor();
    await page.close();
  });

  it("says in words what a kernel reached, and why a ratio is extraordinary", async () => {
    const [kernel] = shapes;
    const { defaultNs, winnerNs } = kernel!.againstDefault!;
    const bad = { ...kernel!, againstDefault: { winnerNs, defaultNs: winnerNs * 62.34 } };
    const near = { ...kernel!, roof: { ...kernel!.roof, leastNs: kernel!.measured!.medianNs * 0.9 } };
    const beyond = { ...near, roof: { ...near.roof, isKernelFaster: true } };
    const page = await openReport([
      near,
      { ...bad, name: "src/a.op.ts?tune=wasm" },
      { ...beyond, name: "src/z.op.ts?tune=wasm" },
    ]);
    const verdicts = await page.locator("summary .about").allTextContents();
    const ratio = (defaultNs / winnerNs).toFixed(2);
    expect(verdicts[0]).toContain(
      `90 % of what this core can do, so little is left to gain; ${ratio} × the schedule predicted without measuring`,
    );
    expect(verdicts[2]).toContain("Faster than the loops that measure this core's limit");
    expect(await page.locator("#kernels .outlier").allTextContents()).toEqual([
      expect.stringMatching(/^src\/a\.op\.ts, .*: 62\.3 × says that the prediction was bad here/),
    ]);
    await page.close();
  });

  it("says what to do where nothing is tuned, where some is not, and where there is no kernel", async () => {
    const actionIn = async (kernels: readonly KernelReport[]) => {
      const page = await openReport(kernels);
      const text = await page.locator(".action").allTextContents();
      await page.close();
      return text.join("\n");
    };
    expect(await actionIn([predicted])).toMatch(/^Nothing is tuned yet\. .* run npx unplugin-kernel tune/);
    expect(await actionIn([small, predicted])).toMatch(/^1 kernel of 2 is not tuned\. /);
    expect(await actionIn([small])).toBe("");
    const none = await actionIn([]);
    expect(none).toMatch(/^No kernels yet\. /);
    expect(none).toContain('import multiply from "./gemm.op.ts?tune=wasm";');
    expect(none).toContain("npx unplugin-kernel tune");
  });

  it("has its project and machine in plain words, and folds the CPU's flags away", async () => {
    const { page } = await open();
    expect(await page.locator("h1").textContent()).toBe("example-project");
    expect(await page.locator("header p").textContent()).toBe(
      "How fast its 4 kernels are on Example CPU 9000, 8 cores, linux-x64",
    );
    const flags = page.getByText("avx avx2 f16c fma sse4.2");
    expect(await flags.isVisible()).toBe(false);
    await page.getByText("All 5 features of the CPU").click();
    expect(await flags.isVisible()).toBe(true);
    await page.close();
  });

  it("has the values of the time split on its bars", async () => {
    const { page } = await open("#kernel-3");
    const values = await page.locator("#kernel-3 .bar-value").allTextContents();
    expect(values.length).toBeGreaterThan(5);
    for (const value of values) expect(value).toMatch(/^[\d.,]+ (ms|s|min|µs), [\d.]+ %$/);
    await page.close();
  });

  it("opens a kernel by keyboard and by pointer", async () => {
    const { page } = await open();
    const details = page.locator("details");
    expect(await page.locator("details[open]").count()).toBe(0);
    await kernelsTable(page).getByRole("link", { name: "src/score.op.ts" }).focus();
    await page.keyboard.press("Enter");
    await details.nth(3).getByRole("heading", { name: "Convergence" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SUMMARY");
    await kernelsTable(page).getByRole("row", { name: "src/blur.op.ts" }).getByText("predicted").click();
    await details.nth(1).getByText("It was not tuned.").waitFor();
    await page.close();
  });

  it("draws its charts, each with words for it", async () => {
    const { page } = await open("#kernel-3");
    await page.locator("canvas").nth(2).waitFor();
    for (const at of [0, 1, 2]) expect(await coloursOf(page, at)).toBeGreaterThan(20);
    const words = await page.getByRole("img").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")));
    expect(words[0]).toMatch(/^Over candidates\. strategy default: 5,000 candidates, until it had converged\. 90 %/);
    expect(words[2]).toMatch(/the winner at [\d.]+, [\d.]+ % of what the roof allows there\.$/);
    await page.close();
  });

  it("has 5000 candidates, a page at a time, and finds some of them", async () => {
    const { page } = await open("#kernel-3");
    const rows = candidates(page).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(25);
    const status = page.locator("#kernel-3 [role=status]");
    expect(await status.textContent()).toBe("1 to 25 of 5,000");
    await page.locator("#kernel-3").getByRole("button", { name: "Next" }).click();
    expect(await status.textContent()).toBe("26 to 50 of 5,000");
    await page.getByLabel("Filter").fill("crashed unreachable");
    await page.locator("#kernel-3").getByText("crashed").first().waitFor();
    const crashed = large.candidates.filter((it) => it.status === "crashed").length;
    expect(await status.textContent()).toBe(`1 to 25 of ${crashed}`);
    await page.getByLabel("Filter").fill("no such thing");
    expect(await status.textContent()).toBe("none of 0");
    await page.close();
  });

  it("shows the winner beside the default, and what differs", async () => {
    const { page } = await open("#kernel-3");
    const panes = page.locator("#kernel-3 .pane");
    await panes.nth(1).waitFor();
    expect(await panes.locator("mark").allTextContents()).toEqual(["C.i.register = 4\n", "C.i.register = 8\n"]);
    await page.getByRole("radio", { name: "Decisions" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await panes.first().locator("pre").textContent()).toContain("split C.i 4");
    await page.getByRole("radio", { name: "C", exact: true }).check();
    const [left, right] = [panes.nth(0).locator("pre"), panes.nth(1).locator("pre")];
    expect(await left.locator(".line").count()).toBe(await right.locator(".line").count());
    await left.evaluate((it) => it.scrollTo(0, 200));
    await page.waitForFunction(() => document.querySelectorAll("#kernel-3 .pane pre")[1]!.scrollTop === 200);
    await page.close();
  });

  it("is light, dark, or as the system says, its charts too, and remembers", async () => {
    const { page } = await open("#kernel-4", { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.locator("canvas").first().waitFor();
    const pixels = () =>
      page
        .locator("canvas")
        .first()
        .evaluate((it: HTMLCanvasElement) => it.toDataURL());
    const darkPixels = await pixels();
    await page.getByRole("radio", { name: "light" }).check();
    expect(await ground()).not.toBe(dark);
    await expect.poll(pixels).not.toBe(darkPixels);
    await page.reload();
    expect(await ground()).not.toBe(dark);
    await page.getByRole("radio", { name: "auto" }).check();
    expect(await ground()).toBe(dark);
    await page.close();
  });

  it("on a phone nothing but tables and code goes sideways", async () => {
    const { page } = await open("#kernel-3", { viewport: { width: 390, height: 800 } });
    await page.evaluate(() => {
      for (const it of document.querySelectorAll("details")) it.open = true;
    });
    await page.locator("#kernel-4 canvas").nth(1).waitFor();
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(content).toBe(window);
    await page.close();
  });

  it("on a phone rows of tables are as wide as the screen, and have no blank lines", async () => {
    const { page } = await open("", { viewport: { width: 390, height: 800 } });
    const rows = await kernelsTable(page)
      .locator("tbody tr")
      .evaluateAll((all) =>
        all.map((row) => {
          const { width, height } = row.getBoundingClientRect();
          const cells = [...row.children].map((cell) => cell.getBoundingClientRect());
          const used = new Set(cells.filter((cell) => cell.height > 0).map((cell) => Math.round(cell.top))).size;
          return { width, perLine: height / used };
        }),
      );
    expect(rows).toHaveLength(4);
    for (const { width, perLine } of rows) {
      expect(width).toBeGreaterThan(300);
      expect(perLine).toBeLessThan(75);
    }
    await page.close();
  });

  it("on paper all kernels are open, and charts are drawn on white", async () => {
    const { page } = await open("", { colorScheme: "dark" });
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(await page.locator("details[open]").count()).toBe(4);
    expect(await page.locator("canvas").count()).toBeGreaterThan(4);
    // Each dot of a chart is made of curves; frames and letters have few.
    expect(curvesIn(pdf)).toBeGreaterThan(2 * large.candidates.length);
    const theme = (event: string) =>
      page.evaluate((name) => {
        dispatchEvent(new Event(name));
        return document.documentElement.dataset.theme ?? "auto";
      }, event);
    expect([await theme("beforeprint"), await theme("afterprint")]).toEqual(["light", "auto"]);
    await page.close();
  });
});
