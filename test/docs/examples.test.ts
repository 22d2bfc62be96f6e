// docs/examples.md and the examples of fixtures/apps: each is on the page with its files, its commands and its test, and is wired as `init` would.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const apps = join(repository, "fixtures/apps");
const page = readFileSync(join(repository, "docs/examples.md"), "utf8");

/** Projects of their own; the other folders are parts of benches. */
const names = readdirSync(apps).filter((name) => existsSync(join(apps, name, "README.md")));
const rows = page.split("\n").filter((line) => line.startsWith("| [`fixtures/apps/"));

test("the page has a row for each example", () => {
  expect(rows.map((row) => /apps\/([\w-]+)/.exec(row)![1]).toSorted()).toEqual(names.toSorted());
});

describe.each(names)("%s", (name) => {
  const folder = join(apps, name);
  const { scripts, imports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const row = rows.find((line) => line.includes(`fixtures/apps/${name}`))!;
  const anchor = /\(#([\w-]+)\)/.exec(row)![1]!;
  const section = page
    .split(/^## /m)
    .find((text) => text.split("\n")[0]!.toLowerCase().replaceAll(" ", "-") === anchor)!;

  test("its test is there", () => {
    const [, file] = /`(test\/apps\/[\w.-]+)` \|$/.exec(row)!;
    expect(existsSync(join(repository, file!))).toBe(true);
  });

  test("its commands are its scripts, and are those of its README", () => {
    const commands = (text: string): readonly string[] =>
      [...text.matchAll(/^ {4}(npm \S+(?: [\w-]+)?)/gm)].map(([, command]) => command!);
    expect(commands(section).length).toBeGreaterThan(2);
    expect(commands(section)).toEqual(commands(readFileSync(join(folder, "README.md"), "utf8")));
    for (const command of commands(section)) {
      const [, script] = /^npm (?:run )?(\w+)/.exec(command)!;
      if (script !== "install") expect(scripts).toHaveProperty(script!);
    }
  });

  test("all its files are named", () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !/[\\/](node_modules|dist)$/.test(entry.parentPath),
    );
    const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    for (const path of paths)
      if (!["package.json", "README.md"].includes(path)) expect(section).toContain(`\`${path}\``);
  });

  test("its imports go by a pattern that names no query", () => {
    expect(imports).toEqual({ "#op/*": "./src/*" });
  });
});
