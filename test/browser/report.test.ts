// A report in Chromium as a reader has it: opened from a file, by keyboard, in light and dark, on a phone and on paper.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KernelReport } from "../../src/plugin/report/report-data.ts";
import { reportPage } from "../../src/plugin/report/report-page.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
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

describe.skipIf(noBrowser)(`a report in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    writeFileSync(file, reportPage(syntheticReport([failed, predicted, large, small])));
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

  const kernelsTable = (page: Page) => page.getByRole("table", { name: "Kernels of the project" });
  const firstCells = (page: Page) => kernelsTable(page).locator("tbody th").allTextContents();
  const candidates = (page: Page) => page.getByRole("table", { name: "Candidates of src/gemm.op.ts" });

  /** How many different colours a canvas has: one that was not drawn has one. */
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
    // Those without a speed come last either way.
    expect((await firstCells(page)).slice(0, 2)).toEqual([second, first]);
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
