// The example fixtures/apps/semantic-search, built by Vite from its lock, in pages under a strict policy, against a plain loop; on the CPU in
// each engine, and on a GPU that the CPU stands in for in Chromium.

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, noBrowser, type PageServer, serveFolder } from "../support/browser.ts";
import { chromiumPage } from "../support/engine/chromium.ts";
import type { RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { visitorOf } from "../support/engine/visitor.ts";
import { buildExample, copyExample, exampleFolder } from "../support/example-app.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(5);

const [documents, width] = [50_000, 384];

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

/** The same as the page has it, which rounds to thousandths. */
const nearTo = (found: readonly Found[]) =>
  found.map(({ document, score }) => ({ document, score: expect.closeTo(score, 2) }));

/** Parses a line of the page: "document 271, 0.705". */
function foundIn(line: string): Found {
  const [, document, score] = /^document (\d+), ([\d.]+)$/.exec(line)!;
  return { document: Number(document), score: Number(score) };
}

let root: string;
let built: string;
beforeAll(() => {
  root = copyExample("semantic-search");
  built = buildExample(root);
});

it("semantic-search is built without a measurement", () => {
  expect(built).toMatch(/2 kernels: 1 from kernels\.lock\.json, 1 predicted, 0 measured/);
});

inPageEngines("semantic-search in", ({ launch }) => {
  let engine: RunningEngine;
  let server: PageServer;
  beforeAll(async () => {
    engine = await launch();
  });
  afterEach(() => server?.close());
  afterAll(() => engine?.close());

  /** The page under a policy, and what its engine had against it. */
  async function open(policy: string) {
    server = await serveFolder(join(root, "dist"), { "Content-Security-Policy": policy });
    const page = await engine.newPage();
    await page.goto(server.url);
    return {
      page,
      visitor: visitorOf(page),
      problems: async () => {
        const said = [...page.said(), ...(await page.evaluate<readonly string[]>("recorded.said"))];
        // What Chromium says to whom asks for a GPU where there is none.
        return said.filter((line) => line !== "No available adapters.");
      },
    };
  }

  turn("finds what a plain loop finds, and the page's policy has nothing against it", async () => {
    const { page, visitor, problems } = await open("script-src 'self' 'wasm-unsafe-eval'");
    await visitor.sees("li");
    await visitor.enters("input", "271");
    await visitor.presses("button");
    await visitor.reads("li", "document 271,");
    expect((await visitor.texts("li")).map(foundIn)).toEqual(nearTo(await plainSearch(271)));
    expect(await visitor.text("output")).toMatch(/^[\d.]+ ms for 50,000 documents, wasm/);
    expect(await problems()).toEqual([]);
    await page.close();
  });

  turn("is refused by a policy without 'wasm-unsafe-eval'", async () => {
    const { page, visitor, problems } = await open("script-src 'self'");
    await expect.poll(problems).not.toEqual([]);
    expect((await problems()).join("\n")).toMatch(/unsafe-eval|wasm-eval|Content Security Policy/);
    expect(await visitor.count("li")).toBe(0);
    await page.close();
  });
});

describe.skipIf(noBrowser !== null)(`semantic-search on a GPU${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let browser: Browser;
  let server: PageServer;
  beforeAll(async () => {
    browser = await launchBrowser(["--enable-unsafe-webgpu"]);
    server = await serveFolder(join(root, "dist"), {
      "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'",
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  turn("finds what a plain loop finds where it is chosen, and the CPU goes on where it fails", async () => {
    const page = chromiumPage(await browser.newPage());
    await page.goto(server.url);
    const visitor = visitorOf(page);
    // A GPU that the CPU stands in for may be chosen, and is not by itself.
    await page.waitFor("!document.querySelector('select').disabled");
    expect(await visitor.text("output")).toMatch(/, wasm/);
    await visitor.enters("select", "gpu");
    await visitor.enters("input", "271");
    await visitor.presses("button");
    await visitor.reads("output", "the GPU");
    expect((await visitor.texts("li")).map(foundIn)).toEqual(nearTo(await plainSearch(271)));
    await page.evaluate("Boolean(GPUQueue.prototype.writeBuffer = () => { throw new Error('lost'); })");
    await visitor.enters("input", "272");
    await visitor.presses("button");
    await visitor.reads("output", "wasm");
    expect((await visitor.texts("li")).map(foundIn)).toEqual(nearTo(await plainSearch(272)));
  });
});
