// README.md and docs/ agree with the source about targets, queries of imports, options of commands and codes of errors, in both directions.
// (Commands in the docs: commands.test.ts. Options of the plugin and the table of errors: tables.test.ts.)

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { codes } from "../../src/compiler/index.ts";
import { parseRequest, requestTargets } from "../../src/plugin/request/request.ts";
import { sweptTarget } from "../gpu/sweep/swept-targets.ts";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const docs = readdirSync(join(repository, "docs")).filter((name) => name.endsWith(".md"));
const texts = new Map(["README.md", ...docs.map((name) => `docs/${name}`)].map((page) => [page, read(page)]));
const all = [...texts.values()].join("\n");

test("the README's table of targets has each that an import may name", () => {
  const table = read("README.md").split("\n## Targets\n")[1]!.trim().split("\n\n")[0]!;
  const firsts = table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|")[1]!);
  const named = firsts.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!));
  expect(named.toSorted()).toEqual([...requestTargets].sort());
});

/** Commands of the project's own sweeps, which know targets that users do not name. */
const sweepCommand = /npm run test:(?:webgpu|cuda) -- [^`\n]*/g;
const withoutSweeps = all.replaceAll(sweepCommand, "");

test("targets that pages write in commands of sweeps are swept", () => {
  const named = [...all.matchAll(sweepCommand)].flatMap(([command]) => command.match(/(?<=--target )[\w-]+/) ?? []);
  expect(named).not.toEqual([]);
  expect(named.map((name) => sweptTarget(name).name)).toEqual(named);
});

test("targets that pages write in imports and commands exist", () => {
  const named = [...withoutSweeps.matchAll(/[?&]tune=([\w-]+)|--target ([\w-]+)|target: "((?!node)[\w-]+)"/g)];
  const targets = named.map(([, query, flag, option]) => query ?? flag ?? option!);
  expect(targets.length).toBeGreaterThan(50);
  const known: readonly string[] = requestTargets;
  expect(targets.filter((name) => !known.includes(name))).toEqual([]);
});

/** Keys of an import's query that are the plugin's own. */
const ownKeys = [
  ...read("src/plugin/request/request.ts")
    .split("const ownKeys")[1]!
    .split("\n};")[0]!
    .matchAll(/^ {2}(\w+): /gm),
].map(([, key]) => key!);

test("docs/plugin.md has each key of an import's query, and imports that pages show are understood", () => {
  expect(ownKeys.length).toBeGreaterThan(4);
  const table = read("docs/plugin.md").split("\n## The query of an import\n")[1]!.split("\n## ")[0]!;
  const shown = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key!);
  expect(shown.toSorted()).toEqual(["tune", ...ownKeys.filter((key) => key !== "tune")].sort());
  const queries = [...all.matchAll(/\.op\.[mc]?[jt]s(\?[\w=&-]*tune=[\w=&-]*)/g)].map(([, query]) => query!);
  expect(queries.length).toBeGreaterThan(20);
  for (const query of queries) expect(() => parseRequest(`./a.op.ts${query}`), query).not.toThrow();
});

test("each option of a command is in the docs", () => {
  const flags = commands.flatMap(({ usage, options }) =>
    options.map((option) => ({ command: usage.split(" ")[0]!, flag: option.flags.split(/[ ,]/)[0]! })),
  );
  expect(flags.length).toBeGreaterThan(20);
  expect(flags.filter(({ flag }) => !new RegExp(`${flag}\\b`).test(all))).toEqual([]);
});

test("codes of errors that pages name exist", () => {
  const areas = new Set(Object.keys(codes).map((code) => code.split(".")[0]!));
  const named = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/`([a-z-]+)\.([a-z]+(?:-[a-z]+)*)(?=[` …:])/g)]
      .filter(([, area]) => areas.has(area!))
      .map(([, area, rest]) => ({ page, code: `${area}.${rest}` })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(
    named.filter(({ code }) => !(code in codes) && code !== "kernel.pack" && !/\.(?:ts|js|md|json|jsonl)$/.test(code)),
  ).toEqual([]);
});
