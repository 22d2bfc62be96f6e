// A report as a reader has it, in all engines: opened from a file, and used by keyboard and by pointer. What only one driver can make a page
// believe is in report-in-chromium.test.ts.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ReportData } from "../../src/plugin/report/report-data.ts";
import { reportPage } from "../../src/plugin/report/report-page.ts";
import { type PageServer, serveFolder } from "../support/browser.ts";
import type { EnginePage, RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { withInlineRecorder } from "../support/engine/recorder.ts";
import { saw } from "../support/engine/saw.ts";
import { type Visitor, visitorOf } from "../support/engine/visitor.ts";
import { failed, large, predicted, shapes, small } from "../support/example-reports.ts";
import { inTurn } from "../support/long.ts";
import { syntheticReport } from "../support/synthetic-report.ts";

const turn = inTurn(5);

const whole = syntheticReport([failed, predicted, large, small]);

/** Writes a report into a folder of its own and returns the file. */
function written(data: ReportData): string {
  const file = join(mkdtempSync(join(tmpdir(), "report-")), "report.html");
  writeFileSync(file, withInlineRecorder(reportPage(data)));
  return file;
}

const table = '[aria-label="Kernels of the project"]';
const candidates = '[aria-label^="Candidates of src/gemm.op.ts"]';

interface Opened {
  readonly page: EnginePage;
  readonly visitor: Visitor;
  /** Sets the focus and presses a key. */
  press(key: "Enter" | "Space" | "ArrowRight", selector: string, text?: string): Promise<void>;
}

inPageEngines("a report in", ({ name, launch }) => {
  const file = written(whole);
  const pages: EnginePage[] = [];
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await launch();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });
  afterAll(() => engine?.close());

  async function openUrl(url: string): Promise<Opened> {
    const page = await engine.newPage();
    pages.push(page);
    await page.goto(url);
    const visitor = visitorOf(page);
    return {
      page,
      visitor,
      async press(key, selector, text) {
        await visitor.focuses(selector, text);
        await page.press(key);
      },
    };
  }

  async function open(hash = ""): Promise<Opened> {
    const opened = await openUrl(pathToFileURL(file).href + hash);
    await opened.visitor.sees("table tbody th");
    return opened;
  }

  const openReport = (data: ReportData): Promise<Opened> => openUrl(pathToFileURL(written(data)).href);

  /** Numbers of different colours on each canvas: one that was not drawn has one. */
  const colours = `[...document.querySelectorAll("canvas")].map((canvas) => {
    const { width, height } = canvas;
    // Chromium complains of one that is read again and again: a copy is.
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    return new Set(new Uint32Array(data.buffer)).size;
  })`;
  const areDrawn = `(${colours}).length >= 3 && (${colours}).every((it) => it > 20)`;

  turn("draws its charts, asks for nothing, breaks no policy, and runs nothing of its data", async () => {
    const { page, visitor } = await open("#kernel-3");
    await page.waitFor(areDrawn);
    const words = await page.evaluate<readonly string[]>(
      '[...document.querySelectorAll("[role=img]")].map((it) => it.getAttribute("aria-label"))',
    );
    expect(words[0]).toMatch(/^Over candidates\. strategy default: 5,000 candidates, until it had converged\. 90 %/);
    expect(words[2]).toMatch(/the winner at [\d.]+, [\d.]+ % of what the roof allows there\.$/);
    await visitor.presses("#kernel-1 summary");
    await visitor.reads("#kernel-1 .error", failed.error);
    expect(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')).toEqual([]);
    expect(await visitor.count("img")).toBe(0);
    expect([...page.said(), ...(await page.evaluate<readonly string[]>("recorded.said"))]).toEqual([]);
  });

  turn("sorts by keyboard, and says how", async () => {
    const { page, visitor, press } = await open();
    const firstCells = (): Promise<readonly string[]> => visitor.texts(`${table} tbody th`);
    expect(await firstCells()).toEqual(["src/bad.op.ts", "src/blur.op.ts", "src/gemm.op.ts", "src/score.op.ts"]);
    const direction = `[...document.querySelectorAll('${table} thead th')].find((it) => it.textContent === "GFLOP/s").getAttribute("aria-sort")`;
    await press("Enter", `${table} thead button`, "GFLOP/s");
    await page.waitFor(`${direction} === "descending"`);
    const [first, second] = await firstCells();
    expect(new Set([first, second])).toEqual(new Set(["src/gemm.op.ts", "src/score.op.ts"]));
    await press("Space", `${table} thead button`, "GFLOP/s");
    await page.waitFor(`${direction} === "ascending"`);
    // Rows without a speed come last in either direction.
    expect((await firstCells()).slice(0, 2)).toEqual([second, first]);
  });

  turn("opens a kernel by keyboard and by pointer", async ({ task }) => {
    const { page, visitor, press } = await open();
    expect(await visitor.count("details[open]")).toBe(0);
    await press("Enter", `${table} a`, "src/score.op.ts");
    await page.waitFor('document.querySelectorAll("details")[3].open && document.activeElement.tagName === "SUMMARY"');
    await visitor.reads("#kernel-4 h3", "Convergence");
    await visitor.presses(`${table} tbody td`, "predicted");
    await visitor.reads("#kernel-2[open]", "It was not tuned.");
    saw(task, { engine: name, version: engine.version, feature: "report", answer: "yes" });
  });

  turn("begins with a chart of all kernels: shapes of one operator together, in the order of their sizes", async () => {
    const { page, visitor } = await openReport(syntheticReport(shapes));
    const chart = "figure.overview";
    expect(await visitor.texts(`${chart} h3`)).toEqual(["src/gemm.op.ts avx2 · N 256, K 256, dtype f32"]);
    const names = ["M 8", "M 100", "M 104", "M 124"];
    expect(await visitor.texts(`${chart} .label`)).toEqual(names);
    const widths = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("${chart} .fill")].map((it) => it.style.width)`,
    );
    expect((await visitor.texts(`${chart} .share`)).map((share) => share.replace(" ", ""))).toEqual(
      widths.map((width) => `${Math.round(Number.parseFloat(width))}%`),
    );
    expect(await visitor.count(`${table} tbody th`)).toBe(4);
    expect(await visitor.texts(`${table} tbody td:nth-child(2)`)).toEqual(
      names.map((size) => `${size}, N 256, K 256, dtype f32`),
    );
    expect(await visitor.texts(".group-cards summary .name")).toEqual(names);
    await visitor.presses(`${chart} a`, "M 104");
    await visitor.sees("#kernel-3[open] .verdict");
  });

  turn("says in words what a kernel reached, and why a ratio is extraordinary", async () => {
    const [kernel] = shapes;
    const { defaultNs, winnerNs } = kernel!.againstDefault!;
    const bad = { ...kernel!, againstDefault: { winnerNs, defaultNs: winnerNs * 62.34 } };
    const near = { ...kernel!, roof: { ...kernel!.roof, leastNs: kernel!.measured!.medianNs * 0.9 } };
    const beyond = { ...near, roof: { ...near.roof, isKernelFaster: true } };
    const { visitor } = await openReport(
      syntheticReport([near, { ...bad, name: "src/a.op.ts?tune=wasm" }, { ...beyond, name: "src/z.op.ts?tune=wasm" }]),
    );
    await visitor.sees("summary .about");
    const verdicts = await visitor.texts("summary .about");
    const ratio = (defaultNs / winnerNs).toFixed(2);
    expect(verdicts[0]).toContain(
      `90 % of what this core can do, so little is left to gain; ${ratio} × the schedule predicted without measuring`,
    );
    expect(verdicts[2]).toContain("Faster than the loops that measure this core's limit");
    expect(await visitor.texts("#kernels .outlier")).toEqual([
      expect.stringMatching(/^src\/a\.op\.ts, .*: 62\.3 × says that the prediction was bad here/),
    ]);
  });

  turn("says what to do where nothing is tuned, where some is not, and where there is no kernel", async () => {
    const actionIn = async (data: ReportData): Promise<string> => {
      const { visitor } = await openReport(data);
      await visitor.sees("#kernels");
      return (await visitor.texts(".action")).join("\n");
    };
    const nothing = syntheticReport([predicted]);
    expect(await actionIn(nothing)).toMatch(/^Nothing is tuned yet\. .* run npx unplugin-kernel tune/);
    const commands = { tune: "pnpm exec unplugin-kernel tune", report: "pnpm exec unplugin-kernel report" };
    const byPnpm = await actionIn({ ...nothing, commands });
    expect(byPnpm).toMatch(/run pnpm exec unplugin-kernel tune and .* pnpm exec unplugin-kernel report\.$/);
    expect(await actionIn(syntheticReport([small, predicted]))).toMatch(/^1 kernel of 2 is not tuned\. /);
    expect(await actionIn(syntheticReport([small]))).toBe("");
    const none = await actionIn(syntheticReport([]));
    expect(none).toMatch(/^No kernels yet\. /);
    expect(none).toContain('import multiply from "./gemm.op.ts?tune=wasm";');
    expect(none).toContain("npx unplugin-kernel tune");
  });

  turn("has its project and machine in plain words, and folds the CPU's flags away", async () => {
    const { page, visitor } = await open();
    expect(await visitor.text("h1")).toBe("example-project");
    expect(await visitor.text("header p")).toBe("How fast its 4 kernels are on Example CPU 9000, 8 cores, linux-x64");
    const flags = `[...document.querySelectorAll("details *")].findLast((it) => it.textContent.includes("avx avx2 f16c fma sse4.2"))`;
    const isVisible = `${flags}.checkVisibility({ contentVisibilityAuto: true })`;
    expect(await page.evaluate(isVisible)).toBe(false);
    await visitor.presses("summary", "All 5 features of the CPU");
    await page.waitFor(isVisible);
  });

  turn("has the values of the time split on its bars", async () => {
    const { visitor } = await open("#kernel-3");
    await visitor.sees("#kernel-3 .bar-value");
    const values = await visitor.texts("#kernel-3 .bar-value");
    expect(values.length).toBeGreaterThan(5);
    for (const value of values) expect(value).toMatch(/^[\d.,]+ (ms|s|min|µs), [\d.]+ %$/);
  });

  turn("has 5000 candidates, a page at a time, and finds some of them", async () => {
    const { visitor } = await open("#kernel-3");
    await visitor.sees(`${candidates} tbody tr`);
    expect(await visitor.count(`${candidates} tbody tr`)).toBe(25);
    const status = "#kernel-3 [role=status]";
    expect(await visitor.text(status)).toBe("1 to 25 of 5,000");
    await visitor.presses("#kernel-3 .pager button", "Next");
    await visitor.reads(status, "26 to 50 of 5,000");
    await visitor.enters("#kernel-3 input[type=search]", "crashed unreachable");
    const crashed = large.candidates.filter((it) => it.status === "crashed").length;
    await visitor.reads(status, `1 to 25 of ${crashed}`);
    await visitor.reads(`${candidates} tbody td`, "crashed");
    await visitor.enters("#kernel-3 input[type=search]", "no such thing");
    await visitor.reads(status, "none of 0");
  });

  turn("shows the winner beside the default, and what differs", async () => {
    const { page, visitor, press } = await open("#kernel-3");
    const pane = (at: number): string => `document.querySelectorAll("#kernel-3 .pane pre")[${at}]`;
    await page.waitFor(`Boolean(${pane(1)})`);
    expect(await visitor.texts("#kernel-3 .pane mark")).toEqual(["C.i.register = 4", "C.i.register = 8"]);
    const radios = "#kernel-3 fieldset.switch input[type=radio]";
    await press("ArrowRight", radios);
    await page.waitFor(`${pane(0)}.textContent.includes("split C.i 4")`);
    await visitor.presses("#kernel-3 fieldset.switch label", "C");
    await page.waitFor(`${pane(0)}.textContent.includes("void kernel")`);
    const lines = (at: number): Promise<number> => page.evaluate(`${pane(at)}.querySelectorAll(".line").length`);
    expect(await lines(0)).toBe(await lines(1));
    await page.evaluate(`${pane(0)}.scrollTo(0, 200)`);
    await page.waitFor(`${pane(1)}.scrollTop === 200`);
  });

  turn("is light or dark as one says, its charts too, and remembers", async () => {
    const { page, visitor } = await open("#kernel-4");
    const ground = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const picture = 'document.querySelector("canvas").toDataURL()';
    await visitor.sees("canvas");
    const choose = (theme: string): Promise<void> => visitor.presses("header label", theme);
    await choose("dark");
    const dark = await ground();
    await page.evaluate(`void (globalThis.darkPicture = ${picture})`);
    await choose("light");
    expect(await ground()).not.toBe(dark);
    await page.waitFor(`${picture} !== darkPicture`);
    await choose("dark");
    await page.goto("about:blank");
    await page.goto(pathToFileURL(file).href);
    await visitor.sees("table tbody th");
    expect(await ground()).toBe(dark);
    await choose("auto");
    expect(await page.evaluate('document.documentElement.dataset.theme ?? "auto"')).toBe("auto");
  });

  turn("before it is printed all kernels are open and light, and after it as they were", async () => {
    const { page, visitor } = await open();
    const theme = (event: string): Promise<string> =>
      page.evaluate(
        `(dispatchEvent(new Event(${JSON.stringify(event)})), document.documentElement.dataset.theme ?? "auto")`,
      );
    expect(await theme("beforeprint")).toBe("light");
    expect(await visitor.count("details.kernel[open]")).toBe(4);
    expect(await theme("afterprint")).toBe("auto");
  });
});

inPageEngines("a report on a phone in", ({ launch }) => {
  const width = 390;
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  let engine: RunningEngine;
  let server: PageServer;
  let page: EnginePage;
  beforeAll(async () => {
    writeFileSync(join(folder, "report.html"), reportPage(whole));
    // A frame is as narrow as a phone to what is in it, in every engine; windows of some are not made as narrow.
    const frame = `<iframe src="report.html#kernel-3" width="${width}" height="800" style="border: 0"></iframe>`;
    writeFileSync(join(folder, "index.html"), `<!doctype html><title>phone</title>${frame}`);
    server = await serveFolder(folder);
    engine = await launch();
    page = await engine.newPage();
    await page.goto(server.url);
    await page.waitFor(`${inside}.querySelectorAll('${table} tbody tr').length === 4`);
  });
  afterAll(async () => {
    await engine?.close();
    await server?.close();
  });
  const inside = 'document.querySelector("iframe").contentDocument';

  it("nothing but tables and code goes sideways", async () => {
    await page.evaluate(`void ${inside}.querySelectorAll("details").forEach((it) => { it.open = true; })`);
    await page.waitFor(`${inside}.querySelectorAll("#kernel-4 canvas").length > 1`);
    expect(await page.evaluate(`[${inside}.defaultView.innerWidth, ${inside}.documentElement.scrollWidth]`)).toEqual([
      width,
      await page.evaluate(`${inside}.documentElement.clientWidth`),
    ]);
  });

  it("rows of tables are as wide as the screen, and have no blank lines", async () => {
    const rows = await page.evaluate<readonly { readonly width: number; readonly perLine: number }[]>(
      `[...${inside}.querySelectorAll('${table} tbody tr')].map((row) => {
        const { width, height } = row.getBoundingClientRect();
        const cells = [...row.children].map((cell) => cell.getBoundingClientRect());
        const used = new Set(cells.filter((cell) => cell.height > 0).map((cell) => Math.round(cell.top))).size;
        return { width, perLine: height / used };
      })`,
    );
    expect(rows).toHaveLength(4);
    for (const { width, perLine } of rows) {
      expect(width).toBeGreaterThan(300);
      expect(perLine).toBeLessThan(75);
    }
  });
});
