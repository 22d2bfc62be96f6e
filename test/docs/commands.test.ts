// Every `npx unplugin-kernel …` that README.md and docs/ show, held against what the command line takes.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { commands, commonOptions } from "../../src/cli/main.ts";

const repository = resolve(import.meta.dirname, "../..");
const pages = [
  "README.md",
  ...readdirSync(join(repository, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

/** Without what comes after the command: a comment, another command, prose. */
const shown = pages.flatMap((page) =>
  [...readFileSync(join(repository, page), "utf8").matchAll(/npx unplugin-kernel(?: ([^`\n;&]*))?/g)].map(
    ([, rest = ""]) => ({
      page,
      words: rest
        .split(/\s{2,}|\s#|\s\|/)[0]!
        .trim()
        .split(" "),
    }),
  ),
);

/** "--out <file>" → ["--out", true]: with a value. */
const flagOf = (flags: string): readonly [string, boolean] => [flags.split(" ")[0]!, flags.includes("<")];

/** Returns the mistake in a command line, or null. */
function mistakeIn([name = "", ...rest]: readonly string[]): string | null {
  if (name === "--help" || name === "<command>") return null;
  const command = commands.find(({ usage }) => usage.split(" ")[0] === name);
  if (!command) return `there is no command ${name}`;
  const flags = new Map([...command.options, ...commonOptions].map((option) => flagOf(option.flags)));
  const places = command.usage.split(" ").slice(1);
  const given: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const [flag = "", ...value] = rest[at]!.split("=");
    if (!flag.startsWith("--")) given.push(rest[at]!);
    else if (!flags.has(flag) && flag !== "--help") return `${name} has no ${flag}`;
    else if (flags.get(flag) && value.length === 0) at += 1;
  }
  const choices = places[0]?.match(/^<(\w+\|.+)>$/)?.[1]?.split("|");
  if (choices && !choices.includes(given[0] ?? "")) return `${name} has no ${given[0]}`;
  const isEndless = places.some((place) => place.includes("..."));
  return given.length > places.length && !isEndless ? `${name} takes no ${given.at(-1)}` : null;
}

test("the commands that the docs show exist, with their options", () => {
  expect(shown.length).toBeGreaterThan(20);
  const wrong = shown.map(({ page, words }) => ({ page, words, why: mistakeIn(words) })).filter(({ why }) => why);
  expect(wrong).toEqual([]);
});

test("a command that does not exist would be seen", () => {
  expect(mistakeIn(["tun"])).toBe("there is no command tun");
  expect(mistakeIn(["tune", "src/a.op.ts", "--second", "3"])).toBe("tune has no --second");
  expect(mistakeIn(["cache", "prune"])).toBe("cache has no prune");
  expect(mistakeIn(["verify", "src/a.op.ts"])).toBe("verify takes no src/a.op.ts");
  expect(mistakeIn(["tune", "--seconds", "3", "src/a.op.ts", "--json"])).toBe(null);
});
