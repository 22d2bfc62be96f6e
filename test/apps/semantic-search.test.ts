// The example fixtures/apps/semantic-search, built by Vite from its lock, in Chromium under a strict policy, against a plain loop.

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, noBrowser, type PageServer, serveFolder } from "../support/browser.ts";
import { buildExample, copyExample, exampleFolder } from "../support/example-app.ts";

const [documents, width] = [50_000, 384];
const policy = "script-src 'self' 'wasm-unsafe-eval'";

interface Embeddings {
  fillWithEmbeddings(array: Float32Array, width: number): void;
  blur(vector: Float32Array, seed: number): Float32Array;
}

interface Found {
  readonly document: number;
  readonly score: number;
}

/** The ten documents with the largest scores, in f64. */
async function plainSearch(document: number): Promise<readonly Found[]> {
  const { fillWithEmbeddings, blur }: Embeddings = await import(
    join(exampleFolder("semantic-search"), "src/embeddings.js")
  );
  const embeddings = new Float32Array(documents * width);
  fillWithEmbeddings(embeddings, width);
  const query = blur(embeddings.subarray(document * width, (document + 1) * width), 1);
  const scores = Array.from({ length: documents }, (_, row) => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += embeddings[row * width + i]! * query[i]!;
    return { document: row, score: sum };
  });
  return scores.sort((a, b) => b.score - a.score).slice(0, 10);
}

/** Parses a line of the page: "document 271, 0.705". */
function foundIn(line: string): Found {
  const [, document, score] = /^document (\d+), ([\d.]+)$/.exec(line)!;
  return { document: Number(document), score: Number(score) };
}

describe.skipIf(noBrowser !== null)(`semantic-search${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let root: string;
  let built: string;
  let server: PageServer;
  let browser: Browser;
  beforeAll(async () => {
    root = copyExample("semantic-search");
    built = buildExample(root);
    server = await serveFolder(join(root, "dist"), { "Content-Security-Policy": policy });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it("is built without a measurement", () => {
    expect(built).toMatch(/1 kernel from kernels\.lock\.json, 0 measured/);
  });

  it("finds in a page what a plain loop finds, and its policy has nothing against it", async () => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
    page.on("pageerror", (error) => void problems.push(error.message));
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", ({ violatedDirective }) => console.error(violatedDirective));
    });
    await page.goto(server.url);
    await page.fill("input", "271");
    await page.click("button");
    const found = page.locator("li", { hasText: "document 271," });
    await found.waitFor();
    const wanted = await plainSearch(271);
    // The page rounds to thousandths.
    const near = wanted.map(({ document, score }) => ({ document, score: expect.closeTo(score, 2) }));
    expect((await page.locator("li").allTextContents()).map(foundIn)).toEqual(near);
    expect(await page.locator("output").textContent()).toMatch(/^[\d.]+ ms for 50,000 documents, wasm/);
    expect(problems).toEqual([]);
  });

  it("is refused by a policy without 'wasm-unsafe-eval'", async () => {
    const strict = await serveFolder(join(root, "dist"), { "Content-Security-Policy": "script-src 'self'" });
    const page = await browser.newPage();
    const refused = page.waitForEvent("pageerror");
    await page.goto(strict.url);
    expect((await refused).message).toContain("unsafe-eval");
    await strict.close();
  });
});
