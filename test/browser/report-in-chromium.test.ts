// A report where a page has to believe what only Chromium's driver can tell it: the system's colours, paper, and every request that it makes.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { reportPage } from "../../src/plugin/report/report-page.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
import { failed, large, predicted, small } from "../support/example-reports.ts";
import { inTurn } from "../support/long.ts";
import { syntheticReport } from "../support/synthetic-report.ts";

const turn = inTurn(3);

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

describe.skipIf(noBrowser)(`a report in Chromium alone${noBrowser ? ` (${noBrowser})` : ""}`, () => {
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

  // Drivers of the other engines hear of no request that a policy refuses.
  turn("asks for nothing, refused or not", async () => {
    const { page, troubles } = await open("#kernel-3");
    await page.locator("canvas").nth(2).waitFor();
    await page.getByText("src/bad.op.ts").last().click();
    await page.locator("details[open] .error").waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  });

  // Of the three only Playwright sets what a system prefers.
  turn("is light, dark, or as the system says, its charts too, and remembers", async () => {
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

  // Neither of the other drivers' protocols prints WebKit's pages, and Firefox prints canvases as pictures.
  turn("on paper all kernels are open, and charts are drawn on white", async () => {
    const { page } = await open("", { colorScheme: "dark" });
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(await page.locator("details[open]").count()).toBe(4);
    expect(await page.locator("canvas").count()).toBeGreaterThan(4);
    // Each dot of a chart is made of curves; frames and letters have few.
    expect(curvesIn(pdf)).toBeGreaterThan(2 * large.candidates.length);
    await page.close();
  });
});
