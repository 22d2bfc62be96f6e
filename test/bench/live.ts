// The live page of the documentation on semantic search, as a visitor of it has it: one line of live.jsonl for each visit.
//
//     npm run docs:build && npm run bench:live
//
// The front page has figures of it, so that it wants a tree without uncommitted changes.

import { join } from "node:path";
import { launchBrowser, serveFolder } from "../support/browser.ts";
import { appendLine } from "./json-lines.ts";
import { demandCommitted } from "./provenance.ts";

demandCommitted();
const root = process.cwd();
const libraries = ["onnxruntime-web", "tfjs"];
const server = await serveFolder(process.argv[2] ?? join(root, "docs/.vitepress/dist"));
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.goto(`${server.url}live/search.html`);
  for (const [at, library] of libraries.entries()) {
    await page.getByRole("button", { name: `Add ${library}` }).click({ timeout: 60_000 });
    const row = `.live[data-status=ready] tbody tr:nth-child(${3 + at}) .verdict`;
    await page.locator(row).waitFor({ timeout: 120_000 });
  }
  // All of them once more, when each has been called often and nothing is loading.
  await page.waitForTimeout(2000);
  await page.getByRole("button", { name: "Measure again" }).click();
  await page.locator(".live[data-status=measuring]").waitFor();
  await page.locator(".live[data-status=ready]").waitFor({ timeout: 120_000 });
  const rows = await page.$$eval("main table tr", (all) =>
    all.map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? ""),
  );
  const versions = Object.fromEntries(
    await page.$$eval("main table tr[data-version]", (all) =>
      all.map((row) => [row.querySelector("th")!.textContent, row.getAttribute("data-version")]),
    ),
  );
  console.log([...rows, JSON.stringify(versions)].join("\n"));
  const failure = await page.locator(".live [role=alert]").allTextContents();
  const wrong = rows.filter((row) => row.includes("WRONG"));
  if (failure.length + wrong.length > 0) throw new Error(`not recorded: ${[...failure, ...wrong].join("; ")}`);
  appendLine(join(root, "test/bench/live.jsonl"), { page: "search", browser: browser.version(), versions, rows });
} finally {
  await browser.close();
  await server.close();
}
