// opens built site live/search in chromium and prints table
import { chromium } from "playwright-core";
import { createServer } from "node:http";
import { readFileSync, existsSync, statSync } from "node:fs";
import { join, extname } from "node:path";
const dir = process.argv[2];
const types = { ".html":"text/html", ".js":"text/javascript", ".mjs":"text/javascript", ".css":"text/css", ".wasm":"application/wasm", ".json":"application/json", ".svg":"image/svg+xml" };
const server = createServer((req, res) => {
  let p = join(dir, decodeURIComponent(req.url.split("?")[0])); if (existsSync(p) && statSync(p).isDirectory()) p = join(p, "index.html");
  if (!existsSync(p) && existsSync(p + ".html")) p += ".html";
  if (!existsSync(p)) { res.writeHead(404); return res.end(); }
  res.writeHead(200, { "content-type": types[extname(p)] ?? "application/octet-stream", "cross-origin-opener-policy":"same-origin", "cross-origin-embedder-policy":"require-corp" }); res.end(readFileSync(p));
}).listen(0);
const port = server.address().port;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const page of ["search", "image", "layer"]) {
  const tab = await browser.newPage();
  tab.on("console", m => m.type()==="error" && console.log("console:", m.text()));
  await tab.goto(`http://localhost:${port}/live/${page}.html`);
  await tab.waitForTimeout(3000);
  for (const b of await tab.$$("main button")) { console.log("button", await b.innerText()); await b.click().catch(()=>{}); await tab.waitForTimeout(15000); }
  console.log(page, await tab.$$eval("main table", ts => ts.map(t => t.innerText).join("\n---\n")));
}
await browser.close(); server.close();
