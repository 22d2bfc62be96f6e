// The site's structure, without building it: each page stands in the sidebar once, hosts have pages of their own, and headings have the
// anchors that GitHub gives them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, expect, test } from "vitest";
import { standIns } from "../../docs/.vitepress/browser/stand-ins.ts";
import { hostPages } from "../../docs/.vitepress/hosts.ts";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { slugOf } from "../../docs/.vitepress/slug.ts";

const docs = resolve(import.meta.dirname, "../../docs");
const hosts = hostPages(readFileSync(join(docs, "bundlers.md"), "utf8"));
const links = sidebar(hosts).flatMap(({ items }) => items.map(({ link }) => link.slice(1)));

/** Markdown files of docs/, without their ending: "live/search". */
const pages = ["", "live/"].flatMap((folder) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => folder + name.slice(0, -".md".length)),
);

test("every page is in the sidebar, once", () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(links.filter((link) => !link.startsWith("host/")).toSorted()).toEqual(pages.toSorted());
});

describe("pages of hosts", () => {
  test("are made of docs/bundlers.md", () => {
    const names = hosts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["vite", "rollup", "rolldown", "esbuild", "webpack", "farm", "bun"]));
    expect(new Set(names).size).toBe(names.length);
    expect(hosts.find(({ name }) => name === "vite")!.markdown).toContain('import kernel from "unplugin-kernel/vite"');
  });

  test("have links that lead where they led", () => {
    for (const { markdown } of hosts)
      for (const [, link] of markdown.matchAll(/\]\(([^)\s]+)\)/g))
        if (!/^[a-z]+:/.test(link!))
          expect([link, existsSync(join(docs, "host", link!.split("#")[0]!))]).toEqual([link, true]);
  });

  test("are sections, and what is folded where several hosts are told of", () => {
    const text = [
      "# Bundlers\n\n<details>\n<summary><b>One</b></summary>\n\n```js\n## no heading\n```\n</details>\n",
      "## Two (2.x)\n\n[x](plugin.md#y) [z](#one) [w](https://example.com)\n",
      "## Frameworks\n\n<details open>\n<summary><b>Three</b></summary>\nText\n</details>\n",
    ].join("\n");
    const made = hostPages(text);
    expect(made.map(({ name, title }) => [name, title])).toEqual([
      ["one", "One"],
      ["two-2-x", "Two (2.x)"],
      ["three", "Three"],
    ]);
    expect(made[0]!.markdown).toContain("## no heading");
    expect(made[1]!.markdown).toContain("[x](../plugin.md#y) [z](../bundlers.md#one) [w](https://example.com)");
  });
});

/** As Vite's aliases do. */
const asOnTheSite: Plugin = {
  name: "stand-ins",
  setup({ onResolve }) {
    for (const { find, replacement } of standIns) onResolve({ filter: find }, () => ({ path: replacement }));
  },
};

test("the playground's worker can be bundled for browsers: what it wants of Node has a stand-in", async () => {
  const { metafile } = await build({
    entryPoints: [join(docs, ".vitepress/playground/worker.ts")],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    external: ["node:*", "@noble/*"],
    plugins: [asOnTheSite],
    logLevel: "silent",
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.filter((path) => !path.startsWith("@noble/"))).toEqual([]);
});

test("anchors are GitHub's", () => {
  expect(slugOf("Beside the bundler: `a`, b")).toBe("beside-the-bundler-a-b");
  expect(slugOf("u8 · i8 products")).toBe("u8--i8-products");
});
