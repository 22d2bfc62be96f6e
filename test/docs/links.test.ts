// The links of README.md and docs/ lead to files that are there, and to headings that they have.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const inDocs = ["docs", "docs/live", "docs/passes", "docs/adding"].flatMap((folder) =>
  readdirSync(join(repository, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);
const pages = ["README.md", ...inDocs];

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** As GitHub names headings: "## Beside the bundler: `a`, b" → "beside-the-bundler-a-b". */
const anchorsIn = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)/g, "")
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

function brokenLinks(page: string): readonly string[] {
  const links = [...withoutCode(readFileSync(join(repository, page), "utf8")).matchAll(/\]\(([^)\s]+)\)/g)];
  return links.flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", anchor] = link.split("#");
    const file = path === "" ? join(repository, page) : join(repository, dirname(page), path);
    if (!existsSync(file)) return [`${page}: ${link}`];
    return anchor === undefined || anchorsIn(readFileSync(file, "utf8")).includes(anchor) ? [] : [`${page}: ${link}`];
  });
}

test("all links lead somewhere", () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});
