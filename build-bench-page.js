// Bundles the page of `bench --browser`, src/cli/bench/browser/page, into a folder: the page, its style, its script and the worker that
// measures, each a file, as the policy of its server wants them.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "./build-report-page.js";

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, "src/cli/bench/browser/page");

/** Style sheets of the page: the parts of the report's look that it uses, and its own. */
const styles = [
  ...["page", "tables", "texts", "narrow"].map((part) => join(root, `src/plugin/report/page/${part}.css`)),
  "./bench.css",
];

/** Bundles a script of the page. Modules that it imports lie in files that also name Node's modules; the page uses none of those. */
const script = (name) =>
  bundled({ entryPoints: [join(source, name)], format: "esm", platform: "browser", external: ["node:*"] });

/** @param folder dist/bench-page */
export async function buildBenchPage(folder) {
  const contents = styles.map((file) => `@import "${file}";`).join("");
  const [page, measure, style] = await Promise.all([
    script("main.ts"),
    script("measure.ts"),
    bundled({ stdin: { contents, resolveDir: source, loader: "css" } }),
  ]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "page.js"), page);
  writeFileSync(join(folder, "measure.js"), measure);
  writeFileSync(join(folder, "page.css"), style);
  copyFileSync(join(source, "index.html"), join(folder, "index.html"));
}
