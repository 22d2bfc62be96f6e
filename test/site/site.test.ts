// The documentation site as visitors have it: it builds, its links and anchors lead somewhere, live pages measure and are right, and the
// playground shows every stage of a program and each mistake at its line.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Program, tabs } from "../../docs/.vitepress/playground/protocol.ts";
import { toHash } from "../../docs/.vitepress/playground/share.ts";
import { type PageServer, serveFolder } from "../support/browser.ts";
import type { EnginePage, RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { type Visitor, visitorOf } from "../support/engine/visitor.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(3);

const repository = resolve(import.meta.dirname, "../..");
const vitepress = join(repository, "docs/node_modules/vitepress/bin/vitepress.js");
const noSite = existsSync(vitepress) ? null : "no VitePress here: npm ci --prefix docs";

const reason = noSite ? ` (${noSite})` : "";

describe.skipIf(noSite)(`the site${reason}`, () => {
  const built = mkdtempSync(join(tmpdir(), "site-"));
  let server: PageServer;

  beforeAll(async () => {
    // A dead link ends the build.
    execFileSync(process.execPath, [vitepress, "build", "docs", "--outDir", built], { cwd: repository, stdio: "pipe" });
    server = await serveFolder(built);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(built, { recursive: true, force: true });
  });

  const pages = (): readonly string[] =>
    readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));

  test("has a page for each host, and anchors where links want them", () => {
    expect(pages()).toEqual(
      expect.arrayContaining(["index.html", "playground.html", "host/vite.html", "host/node.html", "glossary.html"]),
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

  test("has a tab of each package manager where something is installed", () => {
    const html = readFileSync(join(built, "first-kernel.html"), "utf8");
    const tabs = [...html.matchAll(/<label data-title="(\w+)"/g)].map(([, name]) => name);
    expect(tabs).toEqual(["npm", "pnpm", "yarn", "bun"]);
    expect(html).toContain("vp-code-group");
  });

  inPageEngines("in", ({ launch }) => {
    let engine: RunningEngine;
    beforeAll(async () => {
      engine = await launch();
    });
    afterAll(() => engine?.close());

    /** Opens a page, does something in it, and holds that nothing went wrong meanwhile. */
    async function visit(path: string, act: (visitor: Visitor, page: EnginePage) => Promise<void>): Promise<void> {
      const page = await engine.newPage();
      try {
        await page.goto(server.url + path);
        await act(visitorOf(page), page);
        expect(page.said()).toEqual([]);
      } finally {
        await page.close();
      }
    }

    test("home says what it is, and finds pages", () =>
      visit("", async (visitor) => {
        expect(await visitor.text("h1")).toContain("unplugin-kernel");
        await visitor.presses(".VPNavBarSearch button");
        await visitor.enters("#localsearch-input", "relaxed simd");
        await visitor.reads(".results .result", "Glossary");
      }));

    // A page measures anew with each library, so one visit adds them all.
    turn.each([
      ["search", ["onnxruntime-web (14 MB)", "tfjs (1 MB)"]],
      ["image", ["tfjs (1 MB)"]],
      ["layer", ["onnxruntime-web (14 MB)", "tfjs (1 MB)"]],
    ])("live/%s measures and is right, beside %j when it is asked to", (name, libraries) =>
      visit(`live/${name}.html`, async (visitor) => {
        const rows = await measured(visitor, 2);
        expect(rows.map(([who]) => who)).toEqual(["unplugin-kernel", "plain JavaScript"]);
        for (const [, , time] of rows) expect(time).toMatch(/^[\d.]+ (µs|ms)/);
        expect(rows[0]![1]).toMatch(/^[\d.]+ kB$/);
        expect(rows[0]![3]).toMatch(/^equal/);
        if (name === "search") expect(await visitor.text(".found li")).toContain("document 4711");
        for (const [at, library] of libraries.entries()) {
          const [title = ""] = library.split(" ");
          await visitor.presses(".live button", `Add ${library}`);
          const row = (await measured(visitor, 3 + at)).at(-1)!;
          expect(row[0]).toBe(title);
          expect(row[1]).toMatch(sizes[title]!);
          expect(row[3]).toMatch(/^equal/);
          expect(await visitor.text(".live .note")).toMatch(new RegExp(`${title} \\d+\\.\\d+\\.\\d+`));
          // A library is added once.
          expect(await visitor.texts(".live button")).not.toContain(`Add ${library}`);
        }
      }),
    );

    turn("a library that cannot be loaded is told, and may be asked for again", async () => {
      const lacking = await serveFolder(built, (path) => (/tfjs-runtime/.test(path) ? null : {}));
      const page = await engine.newPage();
      try {
        await page.goto(`${lacking.url}live/layer.html`);
        const visitor = visitorOf(page);
        await measured(visitor, 2);
        await visitor.presses(".live button", "Add tfjs (1 MB)");
        await visitor.reads(".live [role=alert]", "tfjs could not be loaded");
        await visitor.sees(".live[data-status=ready]");
        expect(await visitor.texts(".live button")).toContain("Add tfjs (1 MB)");
        expect(await visitor.count(".live [role=alert]")).toBe(1);
      } finally {
        await page.close();
        await lacking.close();
      }
    });

    turn("the playground shows each stage, and runs a kernel that is right", () =>
      visit("playground.html", async (visitor) => {
        await visitor.sees(".playground[data-status=ready]");
        for (const tab of tabs) {
          await visitor.presses("[role=tab]", tab);
          expect(await visitor.text(".stage pre")).not.toBe("");
        }
        await visitor.presses("[role=tab]", "Loops");
        await visitor.presses(".steps button", "vectorize");
        await visitor.reads(".stage pre b", "ramp");
        expect(await visitor.count(".steps .same")).toBeGreaterThan(0);
        await visitor.presses(".run");
        await visitor.sees(".result table");
        expect(await visitor.text(".result .right")).toMatch(/16,384 elements agree with the interpreter/);
        expect(await visitor.text(".result .time")).toMatch(/^[\d.]+ (µs|ms)$/);
      }),
    );

    turn("the playground shows a mistake at its line", () => {
      const source = "// two lines before\n// the operator\nconst a: number = 1;\nexport default a.nothing();\n";
      const program: Program = { source, numerics: "strict", native: "avx512" };
      return visit(`playground.html${toHash(program)}`, async (visitor, page) => {
        // Engines point at the name, or at the parenthesis behind it.
        await visitor.reads(".problem", "line 4, column");
        await visitor.sees(".cm-lintRange-error");
        const marked = `[...document.querySelectorAll(".cm-line")].findIndex((it) => it.querySelector(".cm-lintRange-error"))`;
        expect(await page.evaluate(marked)).toBe(3);
      });
    });

    turn("the playground tells what the language refuses, and a link holds the program", async () => {
      let address = "";
      await visit("playground.html", async (visitor, page) => {
        await visitor.sees(".playground[data-status=ready]");
        await visitor.enters(".bar select", "A mistake");
        await visitor.reads(".problem", "expr.shape-mismatch");
        expect(await visitor.text(".problem")).toContain("line 7, column");
        await visitor.presses(".bar button", "Share");
        await page.waitFor("location.hash.length > 100");
        address = await page.evaluate("location.hash");
      });
      await visit(`playground.html${address}`, (visitor) => visitor.reads(".problem", "expr.shape-mismatch"));
    });
  });
});

/** What a page loads of a library. */
const sizes: Readonly<Record<string, RegExp>> = {
  "onnxruntime-web": /^1\d\.\d MB$/,
  tfjs: /^([89]\d\d kB|1\.\d+ MB)$/,
};

/** The cells of the table, when so many rows have been measured; throws what the page says instead. */
async function measured(visitor: Visitor, rows: number): Promise<readonly (readonly string[])[]> {
  const done = `.live[data-status=ready] tbody tr:nth-child(${rows})`;
  await visitor.sees(`${done}, .live [role=alert]`);
  if ((await visitor.count(done)) === 0) throw new Error(await visitor.text(".live [role=alert]"));
  const cells = await visitor.texts(".live tbody tr > *");
  return Array.from({ length: rows }, (_, row) => cells.slice(4 * row, 4 * row + 4));
}
