// The example fixtures/apps/image-filter, built by Rollup from its lock, in Node and in pages, at once and off the event loop, against plain
// loops.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { launchBrowser, noBrowser, serveFolder } from "../support/browser.ts";
import { chromiumPage } from "../support/engine/chromium.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { buildExample, copyExample } from "../support/example-app.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(5);

const size = 512;
const taps = [1, 4, 6, 4, 1].map((weight) => weight / 16);
type Read = (y: number, x: number) => number;

const imageOf = (extent: number, at: Read): Float64Array =>
  Float64Array.from({ length: extent * extent }, (_, place) => at(Math.floor(place / extent), place % extent));

/** A ramp with two bright discs: edges of all directions, and slopes. */
const pixelAt: Read = (y, x) => (Math.hypot(y - 200, x - 300) < 90 ? 200 : Math.hypot(y - 480, x) < 60 ? 255 : x / 8);
const clamp = (at: number): number => Math.min(Math.max(at, 0), size - 1);

/** The same in f64, stage by stage, with plain loops. */
function plainEdges(): Float64Array {
  const sumOfTaps = (read: (k: number) => number): number => taps.reduce((sum, tap, k) => sum + tap * read(k), 0);
  const wide = imageOf(size + 6, (y, x) => pixelAt(clamp(y - 3), clamp(x - 3)));
  const rows = imageOf(size + 6, (y, x) => sumOfTaps((k) => wide[y * (size + 6) + Math.min(x + k, size + 5)]!));
  const smooth = imageOf(size + 2, (y, x) => sumOfTaps((k) => rows[(y + k) * (size + 6) + x]!));
  return imageOf(size, (y, x) => {
    const at: Read = (dy, dx) => smooth[(y + 1 + dy) * (size + 2) + x + 1 + dx]!;
    const across = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    const down = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    return Math.hypot(across, down);
  });
}

interface Filter {
  findEdges(pixels: Float32Array): Float32Array;
}

interface SoonFilter {
  findEdgesSoon(pixels: Float32Array): Promise<Float32Array>;
  readonly gpu: { readonly adapter: string | null; readonly reason: string | null };
}

const html = `<!doctype html><link rel="icon" href="data:,"><script type="module">
  import * as filter from "./find-edges.js";
  import * as soon from "./find-edges-soon.js";
  Object.assign(globalThis, filter, soon, {
    pixels: async () => new Float32Array(await (await fetch("pixels.bin")).arrayBuffer()),
  });
</script>`;

/** The folder of a built example with a page that has both ways to call it. */
function withPage(root: string): string {
  writeFileSync(join(root, "dist/index.html"), html);
  writeFileSync(join(root, "dist/pixels.bin"), pixels());
  return join(root, "dist");
}

const pixels = (): Float32Array => Float32Array.from(imageOf(size, pixelAt));

function expectRight(edges: ArrayLike<number>): void {
  const wanted = plainEdges();
  const worst = wanted.reduce((most, value, at) => Math.max(most, Math.abs(value - edges[at]!)), 0);
  // A side of the gradient adds up to 4 · 255, each partial sum rounded to half of 2^-23 of it: 25 sums of the blur, 8 of the gradient.
  expect(worst).toBeLessThan(4 * 255 * 2 ** -24 * 33);
  expect(Math.max(...wanted.subarray(0, 200 * size))).toBeGreaterThan(300);
}

describe("image-filter", () => {
  let root: string;
  let built: string;
  beforeAll(() => {
    root = copyExample("image-filter");
    built = buildExample(root);
  });

  it("is built without a measurement", () => {
    expect(built).toMatch(/2 kernels: 1 from kernels\.lock\.json, 1 predicted, 0 measured/);
  });

  turn("finds the edges that plain loops find", async () => {
    const { findEdges }: Filter = await import(join(root, "dist/find-edges.js"));
    expectRight(findEdges(pixels()));
  });

  turn("finds them off the event loop, and says why no GPU does", async () => {
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", "/nowhere");
    const { findEdgesSoon, gpu }: SoonFilter = await import(join(root, "dist/find-edges-soon.js"));
    expectRight(await findEdgesSoon(pixels()));
    await expect.poll(() => gpu).toEqual({ adapter: null, reason: "there is no WebGPU here" });
    vi.unstubAllEnvs();
  });

  inPageEngines("in", ({ launch }) => {
    turn("finds them, too", async () => {
      const server = await serveFolder(withPage(root));
      const engine = await launch();
      try {
        const page = await engine.newPage();
        await page.goto(server.url);
        await page.waitFor("Boolean(globalThis.findEdges)");
        for (const call of ["findEdges(await pixels())", "await findEdgesSoon(await pixels())"])
          expectRight(await page.evaluate<readonly number[]>(`(async () => [...${call}])()`));
        const said = [...page.said(), ...(await page.evaluate<readonly string[]>("recorded.said"))];
        // What Chromium says to whom asks for a GPU where there is none.
        expect(said.filter((line) => line !== "No available adapters.")).toEqual([]);
      } finally {
        await engine.close();
        await server.close();
      }
    });
  });

  turn.skipIf(noBrowser !== null)(`finds them on a GPU${noBrowser ? ` (${noBrowser})` : ""}`, async () => {
    const browser = await launchBrowser(["--enable-unsafe-webgpu"]);
    const server = await serveFolder(withPage(root));
    try {
      const opened = await browser.newPage();
      await opened.addInitScript("globalThis.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE = '1'");
      const page = chromiumPage(opened);
      await page.goto(server.url);
      await page.waitFor("Boolean(globalThis.findEdgesSoon)");
      const call = "(async () => { await ready(); return [...(await findEdgesSoon(await pixels()))]; })()";
      for (let calls = 0; calls < 2; calls++) expectRight(await page.evaluate<readonly number[]>(call));
      // An adapter of the CPU need not be faster; it was tried, and is right.
      expect(await page.evaluate("gpu.adapter ?? gpu.reason")).toMatch(/^google swiftshader$|^the GPU takes /);
    } finally {
      await browser.close();
      await server.close();
    }
  });

  turn("is a program that writes an image", () => {
    const file = join(mkdtempSync(join(tmpdir(), "edges-")), "edges.pgm");
    const said = execFileSync(process.execPath, [join(root, "dist/main.js"), file], { encoding: "utf8" });
    expect(said).toMatch(/^512×512 in [\d.]+ ms, wasm/);
    expect(readFileSync(file).length).toBe("P5 512 512 255\n".length + size * size);
  });
});
