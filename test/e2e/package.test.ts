// What `npm publish` would send: whoever installs it builds addons from the C files that are in it.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const packed = (): readonly string[] => {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" });
  const [{ files }] = JSON.parse(said) as [{ files: readonly { readonly path: string }[] }];
  return files.map(({ path }) => path);
};

test("the package has every C file that an addon is made of", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => /\.[ch]$/.test(path));
  expect(sources.length).toBeGreaterThan(0);
  expect(packed()).toEqual(expect.arrayContaining(sources.map((path) => `src/${path.replaceAll("\\", "/")}`)));
});
