// Tables of the docs against the source that they are about: error codes, and the plugin's options.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { codes } from "../../src/compiler/index.ts";
import { resolveOptions } from "../../src/plugin/options/options.ts";
import { logLevels, modes } from "../../src/plugin/options/types.ts";
import { sourceFiles } from "../support/source-files.ts";

const docs = resolve(import.meta.dirname, "../../docs");
const read = (name: string): string => readFileSync(join(docs, name), "utf8");

/** The cells of all rows of a text's tables, heads and rules left out; code without its marks. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(/ (?<!\\)\| /)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}
const plain = (cell: string): string => cell.replace(/^`(.*)`$/, "$1");

describe("docs/errors.md", () => {
  const text = read("errors.md");
  const rows = rowsOf(text);

  test("has every code once, with its meaning", () => {
    const shown = rows.map(([code = "", meaning]) => [plain(code), meaning]);
    expect(shown.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual(Object.entries(codes));
  });

  test("says what to do about each that a build or the command line may give", () => {
    const forUsers = rowsOf(text.split("\n## ")[1]!);
    expect(forUsers.length).toBeGreaterThan(30);
    expect(forUsers.filter((cells) => cells.length !== 3 || cells[2] === "")).toEqual([]);
  });

  test("links to what is there", () => {
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
      expect([target, existsSync(join(docs, target!))]).toEqual([target, true]);
  });
});

test("every code is said somewhere", () => {
  const files = sourceFiles().filter(({ path }) => path.endsWith(".ts") && !path.endsWith("/codes.ts"));
  const text = files.map(({ code }) => code.join("\n")).join("\n");
  const hasArea = (area: string): boolean => text.includes(`\`${area}.\${`) || text.includes(`"${area}"`);
  const hasRest = (rest: string): boolean => text.includes(`}.${rest}\``) || text.includes(`"${rest}"`);
  // Primitives put theirs together of two parts.
  const isSaid = (code: string): boolean => {
    const [area = "", rest = ""] = code.split(".");
    return text.includes(`"${code}"`) || (hasArea(area) && hasRest(rest));
  };
  expect(Object.keys(codes).filter((code) => !isSaid(code))).toEqual([]);
});

/** Why a code is in no test. */
const untested: Readonly<Record<string, string>> = {
  "build.failed": "a compiler that works and refuses what is generated is a bug of ours",
};

test("every code that a build or the command line may give is provoked by a test", () => {
  const root = join(dirname(docs), "test");
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(test\.ts|snap)$/.test(name) && !name.includes("node_modules"),
  );
  const text = names.map((name) => readFileSync(join(root, name), "utf8").replaceAll("\\.", ".")).join("\n");
  const given = rowsOf(read("errors.md").split("\n## ")[1]!).map(([code = ""]) => plain(code));
  expect(given.filter((code) => !text.includes(code) && !(code in untested))).toEqual([]);
});

describe("the options in docs/plugin.md", () => {
  const section = read("plugin.md").split("\n## Options\n")[1]!.split("\n## ")[0]!;
  const table = rowsOf(section);
  const root = resolve("/app");

  test("are those of the types, with their values", () => {
    const source = readFileSync(join(dirname(docs), "src/plugin/options/types.ts"), "utf8");
    const body = source.split("export interface KernelPluginOptions {")[1]!.split("\n}")[0]!;
    const unions: Readonly<Record<string, readonly string[]>> = {
      Mode: modes,
      LogLevel: logLevels,
      Numerics: ["fast", "strict"],
    };
    const spelt = (type: string): string => unions[type]?.map((value) => JSON.stringify(value)).join(" | ") ?? type;
    const declared = [...body.matchAll(/^ {2}(\w+)\?: (.+);$/gm)].map(([, name, type]) => [name, spelt(type!)]);
    expect(table.map(([name = "", values = ""]) => [plain(name), plain(values)])).toEqual(declared);
  });

  test("have the defaults that are filled in", () => {
    const { include: _, ...shown } = Object.fromEntries(
      table.map(([name = "", , preset = ""]) => [plain(name), plain(preset)]),
    );
    const options = resolveOptions({}, root, {});
    const path = (absolute: string): string => JSON.stringify(relative(root, absolute).replaceAll("\\", "/") || ".");
    expect(shown).toEqual({
      exclude: "[]",
      root: path(options.root),
      cacheDir: path(options.cacheDir),
      lockfile: path(options.lockfile),
      mode: JSON.stringify(options.mode),
      budget: `{ seconds: ${options.budget.seconds}, trials: ${options.budget.trials} }`,
      onMiss: JSON.stringify(options.onMiss),
      packs: JSON.stringify(options.packs),
      platforms: options.platforms ?? "the machine that builds",
      engines: JSON.stringify(options.engines),
      backends: JSON.stringify(options.backends),
      remote: options.remote === null ? "none" : options.remote,
      offline: JSON.stringify(resolveOptions({ remote: "https://kernels.example" }, root, {}).remote === null),
      trust: JSON.stringify(options.trust.keys),
      dts: JSON.stringify(options.dts !== null),
      report: JSON.stringify(options.report !== null),
      schedules: JSON.stringify(options.schedules),
      logLevel: JSON.stringify(options.logLevel),
      numerics: JSON.stringify(options.numerics),
    });
    expect(options.leavesOut("/app/x.op.ts")).toBe(false);
    expect(options.totalSeconds).toBeNull();
    expect(resolveOptions({}, root, { CI: "1" }).mode).toBe("frozen");
  });

  test("include what the pattern of its default does", () => {
    const [, , preset = ""] = table.find(([name]) => name === "`include`")!;
    const pattern = new RegExp(plain(preset).slice(1, -1));
    const { accepts } = resolveOptions({}, root, {});
    for (const name of ["a.op.ts", "a.op.js", "a.op.mts", "a.op.mjs", "a.op.tsx", "a.ts", "op.ts", "a.op.cts"])
      expect([name, accepts(join(root, name))]).toEqual([name, pattern.test(name)]);
  });

  test("the files that true stands for are named", () => {
    const { dts, report } = resolveOptions({ dts: true, report: true }, root, {});
    expect(section).toContain(`\`true\`: \`${relative(root, dts!)}\``);
    expect(section).toContain(`\`true\`: \`${relative(root, report!)}\``);
  });
});
