// Bundles the pages of commands, those of `bench --browser` and `tune --browser`, each into a folder: the page, its style, its script and the
// worker that measures, each a file, as the policy of its server wants them.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "./build-report-page.js";

const root = dirname(fileURLToPath(import.meta.url));

/** Style sheets of the pages: the parts of the report's look that they use, and their own. */
const styles = [
  ...["page", "tables", "texts", "narrow"].map((part) => join(root, `src/plugin/report/page/${part}.css`)),
  join(root, "src/cli/bench/browser/page/bench.css"),
];

/** Bundles a script of a page. Modules that it imports lie in files that also name Node's modules; pages use none of those. */
const script = (path) => bundled({ entryPoints: [path], format: "esm", platform: "browser", external: ["node:*"] });

/**
 * @param source folder of the page
 * @param worker name of its worker's script
 * @param folder folder that gets the files
 */
async function buildPage(source, worker, folder) {
  const contents = styles.map((file) => `@import "${file}";`).join("");
  const [page, work, style] = await Promise.all([
    script(join(source, "main.ts")),
    script(join(source, `${worker}.ts`)),
    bundled({ stdin: { contents, resolveDir: root, loader: "css" } }),
  ]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "page.js"), page);
  writeFileSync(join(folder, `${worker}.js`), work);
  writeFileSync(join(folder, "page.css"), style);
  copyFileSync(join(source, "index.html"), join(folder, "index.html"));
}

/** @param dist folder of the package's output */
export async function buildCommandPages(dist) {
  await Promise.all([
    buildPage(join(root, "src/cli/bench/browser/page"), "measure", join(dist, "bench-page")),
    buildPage(join(root, "src/plugin/visitors/page"), "worker", join(dist, "tune-page")),
  ]);
}
