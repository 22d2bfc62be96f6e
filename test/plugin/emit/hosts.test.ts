// The table of bundlers, and the places that have a bundler by its name: none may lack one that the table has.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hostNames } from "../../../src/cli/init/hosts.ts";
import { bundlers, type Framework, hostFor, type PluginInstance } from "../../../src/plugin/emit/hosts.ts";
import kernel from "../../../src/plugin/entries/index.ts";
import { names as columns } from "../../host-table.js";

const withEntry: readonly string[] = Object.entries(bundlers).flatMap(([name, { hasEntry }]) =>
  hasEntry ? [name] : [],
);
const missingIn = (known: readonly string[]): readonly string[] => withEntry.filter((name) => !known.includes(name));
const text = (path: string): string => readFileSync(path, "utf8");

describe("each bundler of the table that has an entry", () => {
  test("is exported by package.json", () => {
    const { exports } = JSON.parse(text("package.json")) as { readonly exports: Readonly<Record<string, unknown>> };
    expect(missingIn(Object.keys(exports).map((path) => path.replace("./", "")))).toEqual([]);
  });

  test("is built by build.js", () => {
    const built = [...text("build.js").matchAll(/^ {2}"?([\w-]+)"?: "plugin\/.*\.ts",$/gm)].map(([, name]) => name!);
    expect(missingIn(built)).toEqual([]);
  });

  test("is in the plugin of all bundlers, which has no other", () => {
    expect(Object.keys(kernel).sort()).toEqual([...withEntry].sort());
  });

  test("is known to init", () => {
    expect(missingIn(hostNames)).toEqual([]);
  });

  test("has a column in docs/hosts.md, which has no other", () => {
    expect([...columns].sort()).toEqual([...withEntry].sort());
  });

  test("is shown in docs/bundlers.md by its entry", () => {
    const shown = [...text("docs/bundlers.md").matchAll(/"unplugin-kernel\/([\w-]+)"/g)].map(([, name]) => name!);
    expect(missingIn(shown)).toEqual([]);
  });
});

test("a bundler that the table lacks is an error, and not taken for Rollup", () => {
  const unknown = "parcel" as Framework;
  expect(() => hostFor(unknown, {} as PluginInstance)).toThrow("the bundler parcel is not in the table");
});

test("hosts are made by their row", () => {
  const instance = {} as PluginInstance;
  expect(Object.keys(hostFor("esbuild", instance).hooks)).toEqual(["esbuild"]);
  expect(Object.keys(hostFor("rspack", instance).hooks)).toContain("rspack");
  expect(Object.keys(hostFor("unloader", instance).hooks)).toEqual(["rollup", "rolldown"]);
});
