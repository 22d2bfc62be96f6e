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
const server = await serveFolder(process.argv[2] ?? join(root, "docs/.vitepress/dist"));
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.goto(`${server.url}live/search.html`);
  await page.getByText("Add onnxruntime-web").click({ timeout: 60_000 });
  await page.getByText("onnxruntime-web", { exact: true }).first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(10_000);
  const rows = await page.$$eval("main table tr", (all) =>
    all.map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? ""),
  );
  appendLine(join(root, "test/bench/live.jsonl"), { page: "search", browser: browser.version(), rows });
  console.log(rows.join("\n"));
} finally {
  await browser.close();
  await server.close();
}
