// The site's structure, without building it: each page stands in the sidebar once, hosts have pages of their own, and headings have the
// anchors that GitHub gives them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, expect, test } from "vitest";
import { standIns } from "../../docs/.vitepress/browser/stand-ins.ts";
import { hostPages } from "../../docs/.vitepress/hosts.ts";
import { withInstallTabs } from "../../docs/.vitepress/install-tabs.ts";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { slugOf } from "../../docs/.vitepress/slug.ts";

const docs = resolve(import.meta.dirname, "../../docs");
const hosts = hostPages(readFileSync(join(docs, "bundlers.md"), "utf8"));
const links = sidebar(hosts).flatMap(({ items }) => items.map(({ link }) => link.slice(1)));

/** Markdown files of docs/, without their ending: "live/search". */
const pages = ["", "live/", "passes/", "adding/"].flatMap((folder) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => folder + name.slice(0, -".md".length)),
);

test("every page is in the sidebar, once", () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(links.filter((link) => !link.startsWith("host/")).toSorted()).toEqual(pages.toSorted());
});

/** Whether the link of a host's page leads to a file, to another host's page, or to a heading of its own. */
function leads(link: string, markdown: string): boolean {
  const [path, anchor] = link.split("#") as [string, string?];
  if (path === "") return [...markdown.matchAll(/^#+ (.+)$/gm)].some(([, title]) => slugOf(title!) === anchor);
  if (path.startsWith("./")) return hosts.some(({ name }) => path === `./${name}.md`);
  return existsSync(join(docs, "host", path));
}

describe("pages of hosts", () => {
  test("are made of docs/bundlers.md", () => {
    const names = hosts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["vite", "rollup", "rolldown", "esbuild", "webpack", "farm", "bun"]));
    expect(names).toEqual(expect.arrayContaining(["node", "deno", "jest", "vitest", "next-js", "nuxt"]));
    expect(new Set(names).size).toBe(names.length);
  });

  test("are of hosts alone: no section about several of them, or about none, has one", () => {
    const titles = hosts.map(({ title }) => title);
    for (const [, section] of readFileSync(join(docs, "bundlers.md"), "utf8").matchAll(/^## (.+)$/gm))
      expect(titles).not.toContain(section);
  });

  test("have the configuration of their host", () => {
    expect(hosts.find(({ name }) => name === "vite")!.markdown).toContain('import kernel from "unplugin-kernel/vite"');
  });

  test("have links that lead where they led", () => {
    for (const { markdown } of hosts)
      for (const [, link] of markdown.matchAll(/\]\(([^)\s]+)\)/g))
        if (!/^[a-z]+:/.test(link!)) expect([link, leads(link!, markdown)]).toEqual([link, true]);
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

  test("are one for a host that is told of in two places, and lead to each other", () => {
    const text = [
      "# Bundlers\n\n<details>\n<summary><b>One</b></summary>\n\nFolded. [more](#one)\n</details>\n",
      "## Not supported\n\nThree.\n",
      "## No bundler\n\n### Two\n\n[other](#one), [own](#two)\n\n### One\n\n[other](#two), [all](#not-supported)\n",
    ].join("\n");
    const made = hostPages(text).map(({ name, markdown }) => [name, markdown.split("\n\nWhat holds")[0]]);
    expect(made).toEqual([
      [
        "one",
        "# One\n\nFolded. [more](#no-bundler)\n\n## No bundler\n\n[other](./two.md), [all](../bundlers.md#not-supported)",
      ],
      ["two", "# Two\n\n[other](./one.md), [own](#two)"],
    ]);
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

describe("commands that install", () => {
  test("are there for four package managers", () => {
    expect(
      withInstallTabs("Text:\n\n    npm install --save-dev unplugin-kernel\n    npx unplugin-kernel init\n\nMore."),
    ).toBe(
      [
        "Text:\n\n::: code-group",
        "```sh [npm]\nnpm install --save-dev unplugin-kernel\nnpx unplugin-kernel init\n```",
        "```sh [pnpm]\npnpm add --save-dev unplugin-kernel\npnpm exec unplugin-kernel init\n```",
        "```sh [yarn]\nyarn add --dev unplugin-kernel\nyarn run unplugin-kernel init\n```",
        "```sh [bun]\nbun add --dev unplugin-kernel\nbunx unplugin-kernel init\n```",
        ":::\n\nMore.",
      ].join("\n"),
    );
  });

  test("of starters pass options on", () => {
    const tabs = withInstallTabs(
      "\n    npm create vite@latest search -- --template vanilla-ts\n    cd search\n    npm install x\n",
    );
    expect(tabs).toContain("pnpm create vite@latest search --template vanilla-ts\ncd search\npnpm add x\n");
    expect(tabs).toContain("yarn create vite search --template vanilla-ts\n");
    expect(tabs).toContain("bun create vite@latest search --template vanilla-ts\n");
  });

  test.each(["\n    npx unplugin-kernel tune\n", "\n    npm ci && npm install x\n", "```sh\n    npm install x\n```\n"])(
    "other code stays as it is: %o",
    (markdown) => expect(withInstallTabs(markdown)).toBe(markdown),
  );

  test("are on the pages that begin a project", () => {
    for (const page of ["index.md", "first-kernel.md"])
      expect(withInstallTabs(readFileSync(join(docs, page), "utf8"))).toContain("```sh [pnpm]");
  });
});

test("anchors are GitHub's", () => {
  expect(slugOf("Beside the bundler: `a`, b")).toBe("beside-the-bundler-a-b");
  expect(slugOf("u8 · i8 products")).toBe("u8--i8-products");
});
