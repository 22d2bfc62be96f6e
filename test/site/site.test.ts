// The documentation site as visitors have it: it builds, its links and anchors lead somewhere, live pages measure and are right, and the
// playground shows every stage of a program and each mistake at its line.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Program, tabs } from "../../docs/.vitepress/playground/protocol.ts";
import { toHash } from "../../docs/.vitepress/playground/share.ts";
import { launchBrowser, noBrowser, type PageServer, serveFolder } from "../support/browser.ts";

const repository = resolve(import.meta.dirname, "../..");
const vitepress = join(repository, "docs/node_modules/vitepress/bin/vitepress.js");
const noSite = existsSync(vitepress) ? null : "no VitePress here: npm ci --prefix docs";

/** Where pages are opened: an engine's name, how it is started, and why it cannot be. */
const engines = [{ engine: "Chromium", launch: launchBrowser, missing: noBrowser }] as const;

/** Milliseconds that a page may take on a machine which does other things. */
const patience = 120_000;

const reason = noSite ? ` (${noSite})` : "";

describe.skipIf(noSite)(`the site${reason}`, () => {
  const built = mkdtempSync(join(tmpdir(), "site-"));
  let server: PageServer;

  beforeAll(async () => {
    // A dead link ends the build.
    execFileSync(process.execPath, [vitepress, "build", "docs", "--outDir", built], { cwd: repository, stdio: "pipe" });
    server = await serveFolder(built);
  }, 300_000);
  afterAll(async () => {
    await server?.close();
    rmSync(built, { recursive: true, force: true });
  });

  const pages = (): readonly string[] =>
    readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));

  test("has a page for each host, and anchors where links want them", () => {
    expect(pages()).toEqual(
      expect.arrayContaining(["index.html", "playground.html", "host/vite.html", "glossary.html"]),
    );
    const html = new Map(pages().map((name) => [name, readFileSync(join(built, name), "utf8")]));
    const missing = [...html].flatMap(([name, text]) =>
      [...text.matchAll(/href="([^":]*)#([^"]+)"/g)].flatMap(([, path = "", anchor = ""]) => {
        const target = path === "" ? name : posix.join(posix.dirname(`/${name}`), path).slice(1);
        const file = path.startsWith("/") ? path.slice(1) : target;
        const isThere = html.get(file)?.includes(`id="${decodeURIComponent(anchor)}"`);
        return isThere || anchor === "VPContent" ? [] : [`${name}: ${path}#${anchor}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  describe.each(engines)("in $engine", { timeout: 2 * patience }, ({ launch, missing }) => {
    let browser: Browser;
    beforeAll(async () => {
      if (!missing) browser = await launch();
    });
    afterAll(() => browser?.close());

    /** A page, and what went wrong in it so far: errors, warnings, files that did not come. */
    async function open(path: string): Promise<{ page: Page; problems: string[] }> {
      const page = await browser.newPage();
      page.setDefaultTimeout(patience);
      const problems: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(message.text());
      });
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("requestfailed", (request) => problems.push(`${request.url()} did not come`));
      await page.goto(server.url + path);
      return { page, problems };
    }
    const it = test.skipIf(missing);

    it("home says what it is, and finds pages", async () => {
      const { page, problems } = await open("");
      expect(await page.textContent("h1")).toContain("unplugin-kernel");
      await page.click(".VPNavBarSearch button");
      await page.fill("#localsearch-input", "relaxed simd");
      await page.waitForSelector(".results .result");
      expect(await page.textContent(".results")).toContain("Glossary");
      expect(problems).toEqual([]);
      await page.close();
    });

    it.each(["search", "image", "layer"])("live/%s measures and is right", async (name) => {
      const { page, problems } = await open(`live/${name}.html`);
      const rows = await measured(page);
      expect(rows.map(([who]) => who)).toEqual(["unplugin-kernel", "plain JavaScript"]);
      for (const [, , time] of rows) expect(time).toMatch(/^[\d.]+ (µs|ms)/);
      expect(rows[0]![1]).toMatch(/^[\d.]+ kB$/);
      expect(rows[0]![3]).toMatch(/^equal/);
      if (name === "search") expect(await page.locator(".found li").first().textContent()).toContain("document 4711");
      expect(problems).toEqual([]);
      await page.close();
    });

    it("a live page loads a library when it is asked to", async () => {
      const { page, problems } = await open("live/layer.html");
      await measured(page);
      await page.click("text=Add onnxruntime-web");
      await page.waitForSelector("text=onnxruntime-web >> nth=0");
      await page.waitForFunction(() => document.querySelectorAll(".live tbody tr").length === 3);
      const [, , library] = await measured(page);
      expect(library![1]).toMatch(/^1\d\.\d MB$/);
      expect(library![3]).toMatch(/^equal/);
      expect(problems).toEqual([]);
      await page.close();
    });

    it("the playground shows each stage, and runs a kernel that is right", async () => {
      const { page, problems } = await open("playground.html");
      await page.waitForSelector(".playground[data-status=ready]");
      for (const tab of tabs) {
        await page.click(`[role=tab]:text-is("${tab}")`);
        expect((await page.textContent(".stage pre"))?.trim()).not.toBe("");
      }
      await page.click('[role=tab]:text-is("Loops")');
      await page.click('.steps button:text-is("vectorize")');
      expect(await page.locator(".stage pre b").first().textContent()).toContain("ramp");
      expect(await page.locator(".steps .same").count()).toBeGreaterThan(0);
      await page.click(".run");
      await page.waitForSelector(".result table");
      expect(await page.textContent(".result .right")).toMatch(/16,384 elements agree with the interpreter/);
      expect(await page.textContent(".result .time")).toMatch(/^[\d.]+ (µs|ms)$/);
      expect(problems).toEqual([]);
      await page.close();
    });

    it("the playground shows a mistake at its line, and a link holds the program", async () => {
      const source = "// two lines before\n// the operator\nconst a: number = 1;\nexport default a.nothing();\n";
      const program: Program = { source, numerics: "strict", native: "avx512" };
      const { page, problems } = await open(`playground.html${toHash(program)}`);
      await page.waitForSelector(".problem");
      expect(await page.textContent(".problem")).toContain("line 4, column 18");
      await page.waitForSelector(".cm-lintRange-error");
      expect(await page.locator(".cm-line").nth(3).locator(".cm-lintRange-error").count()).toBe(1);
      await page.selectOption(".bar select >> nth=0", "Softmax");
      await page.waitForSelector(".playground[data-status=ready] .stage pre");
      await page.click("text=Share");
      const { page: shared } = await open("");
      await shared.goto(page.url());
      await shared.waitForSelector(".playground[data-status=ready]");
      expect(await shared.textContent(".stage pre")).toContain("largest");
      expect(problems).toEqual([]);
      await shared.close();
      await page.close();
    });
  });
});

/** The cells of the table, when all has been measured. */
async function measured(page: Page): Promise<readonly (readonly string[])[]> {
  await page.waitForSelector(".live[data-status=ready] tbody tr");
  return page.$$eval(".live tbody tr", (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
}
