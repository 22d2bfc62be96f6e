// The example fixtures/apps/semantic-search, built by Vite from its lock, in pages under a strict policy, against a plain loop.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type PageServer, serveFolder } from "../support/browser.ts";
import type { RunningEngine } from "../support/engine/engine.ts";
import { inEachEngine } from "../support/engine/engines.ts";
import { visitorOf } from "../support/engine/visitor.ts";
import { buildExample, copyExample, exampleFolder } from "../support/example-app.ts";

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
  expect(built).toMatch(/1 kernel from kernels\.lock\.json, 0 measured/);
});

inEachEngine("semantic-search in", ({ launch }) => {
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
      problems: async () => [...page.said(), ...(await page.evaluate<readonly string[]>("recorded.said"))],
    };
  }

  it("finds what a plain loop finds, and the page's policy has nothing against it", async () => {
    const { page, visitor, problems } = await open("script-src 'self' 'wasm-unsafe-eval'");
    await visitor.sees("li");
    await visitor.enters("input", "271");
    await visitor.presses("button");
    await visitor.reads("li", "document 271,");
    const wanted = await plainSearch(271);
    // The page rounds to thousandths.
    const near = wanted.map(({ document, score }) => ({ document, score: expect.closeTo(score, 2) }));
    expect((await visitor.texts("li")).map(foundIn)).toEqual(near);
    expect(await visitor.text("output")).toMatch(/^[\d.]+ ms for 50,000 documents, wasm/);
    expect(await problems()).toEqual([]);
    await page.close();
  });

  it("is refused by a policy without 'wasm-unsafe-eval'", async () => {
    const { page, visitor, problems } = await open("script-src 'self'");
    await expect.poll(problems).not.toEqual([]);
    expect((await problems()).join("\n")).toMatch(/unsafe-eval|wasm-eval|Content Security Policy/);
    expect(await visitor.count("li")).toBe(0);
    await page.close();
  });
});
