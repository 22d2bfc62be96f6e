// The live pages of the documentation, as a visitor has them: one line of live.jsonl for each visit of a page.
//
//     npm run docs:build && npm run bench:live                  all three
//     npm run docs:build && npm run bench:live -- search        one of them
//
// The front page has figures of it, so that it wants a tree without uncommitted changes.

import { join } from "node:path";
import { launchBrowser, serveFolder } from "../support/browser.ts";
import { appendLine } from "./json-lines.ts";
import { demandCommitted } from "./provenance.ts";

const pages = ["search", "image", "layer"];

const wanted = process.argv.length > 2 ? process.argv.slice(2) : pages;
const unknown = wanted.filter((name) => !pages.includes(name));
if (unknown.length > 0) throw new Error(`no live page is called ${unknown.join(", ")}: there are ${pages.join(", ")}`);
demandCommitted();
const root = process.cwd();
const server = await serveFolder(join(root, "docs/.vitepress/dist"));
const browser = await launchBrowser();

type Visitor = Awaited<ReturnType<typeof browser.newPage>>;

/** Adds the libraries that the page offers, and has all measured once more when each was called often and nothing is loading. */
async function measure(page: Visitor): Promise<void> {
  await page.locator(".live[data-status=ready]").waitFor({ timeout: 60_000 });
  const offers = (await page.getByRole("button", { name: /^Add / }).allTextContents()).map((text) => text.trim());
  for (const [at, offer] of offers.entries()) {
    await page.getByRole("button", { name: offer }).click({ timeout: 60_000 });
    const row = `.live[data-status=ready] tbody tr:nth-child(${3 + at}) .verdict`;
    await page.locator(row).waitFor({ timeout: 120_000 });
  }
  await page.waitForTimeout(2000);
  await page.getByRole("button", { name: "Measure again" }).click();
  await page.locator(".live[data-status=measuring]").waitFor();
  await page.locator(".live[data-status=ready]").waitFor({ timeout: 120_000 });
}

async function visit(name: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${server.url}live/${name}.html`);
  await measure(page);
  const rows = await page.$$eval("main table tr", (all) =>
    all.map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? ""),
  );
  const versions = Object.fromEntries(
    await page.$$eval("main table tr[data-version]", (all) =>
      all.map((row) => [row.querySelector("th")!.textContent, row.getAttribute("data-version")]),
    ),
  );
  console.log([name, ...rows, JSON.stringify(versions)].join("\n"));
  const failure = await page.locator(".live [role=alert]").allTextContents();
  const wrong = rows.filter((row) => row.includes("WRONG"));
  if (failure.length + wrong.length > 0) throw new Error(`not recorded: ${[...failure, ...wrong].join("; ")}`);
  appendLine(join(root, "test/bench/live.jsonl"), { page: name, browser: browser.version(), versions, rows });
  await page.close();
}

try {
  for (const name of wanted) await visit(name);
} finally {
  await browser.close();
  await server.close();
}
