// The rooms of the plugin and of the command line, in their order: a file imports from its own room and from earlier ones. So no folders,
// and no files, import each other in a circle.

import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFile, sourceFiles } from "./support/source-files.ts";

/** A top folder of src, its rooms from the first to the last, and the files that stand above all of them. */
interface Building {
  readonly folder: string;
  readonly rooms: readonly string[];
  readonly above: readonly string[];
}

const plugin: Building = {
  folder: "src/plugin",
  rooms: [
    // Part of emitted modules: it runs in the user's process.
    "runtime",
    "runtime/gpu",
    "runtime/webgpu",
    "runtime/cuda",
    "runtime/entry",
    // Requests, options, and the operators that they name.
    "support",
    "request",
    "options",
    "log",
    "operator",
    // Places that decisions come from, and other machines that measure.
    "trust",
    "remote",
    "packs",
    "fleet",
    "limits",
    // A kernel's way, from its types to its bytes.
    "kernel",
    "kernel/context",
    "kernel/source",
    "kernel/stored",
    "kernel/check",
    "kernel/signed",
    "kernel/artifacts",
    "kernel/outside",
    "kernel/lock",
    "kernel/tuning",
    "kernel/decision",
    "kernel/compile",
    // All kernels of a build.
    "build",
    "declarations",
    "report",
    "report/page",
    // Browsers that measure, and machines that a folder is carried to.
    "visitors",
    "visitors/page",
    "carried",
    "background",
    "session",
    "binding",
    "binding/twin",
    "binding/module",
    // Bundlers and run times.
    "emit",
    "hooks",
    "program",
    "jest",
    "entries",
  ],
  above: [],
};

const cli: Building = {
  folder: "src/cli",
  rooms: [
    "terminal",
    "flags",
    "project",
    "decisions",
    "pack",
    "init",
    "doctor",
    "verify",
    "browser",
    "bench",
    "bench/browser",
    "bench/browser/page",
    "tune-browser",
    "tune-batch",
    "actions",
    "commands",
  ],
  above: ["src/cli/main.ts", "src/cli/bin.ts"],
};

/** Rooms that know bundlers and run times: neither the command line nor the program interface needs them. */
const ofBundlers: readonly string[] = ["emit", "hooks", "program", "jest", "entries"];

const files = sourceFiles().filter(({ path }) => path.endsWith(".ts"));

const roomOf = ({ folder }: Building, path: string): string => dirname(path).slice(folder.length + 1);

/** `src/x.ts → src/y.ts (why)` for each import against the order; files that lie in no room. */
function violations(building: Building, among: readonly SourceFile[]): readonly string[] {
  const { folder, rooms, above } = building;
  const isInside = (path: string): boolean => path.startsWith(`${folder}/`);
  const placeOf = (path: string): number => {
    const at = above.indexOf(path);
    return at < 0 ? rooms.indexOf(roomOf(building, path)) : rooms.length + at;
  };
  return among
    .filter(({ path }) => isInside(path))
    .flatMap(({ path, imports }) => {
      if (placeOf(path) < 0) return [`${path} (it lies in no room)`];
      const later = imports.filter(({ from }) => isInside(from) && placeOf(from) > placeOf(path));
      return later.map(({ from }) => `${path} → ${from} (${roomOf(building, from) || from} comes later)`);
    });
}

/** Files that import each other in a circle, directly or by others. */
function circles(among: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(among.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const reached = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const next of importsOf.get(from) ?? []) {
      if (seen.has(next) || !importsOf.has(next)) continue;
      seen.add(next);
      reached(next, seen);
    }
    return seen;
  };
  return among.map(({ path }) => path).filter((path) => reached(path).has(path));
}

describe.each([plugin, cli])("the rooms of $folder", (building) => {
  test("are in an order, and each file lies in one", () => {
    expect(violations(building, files)).toEqual([]);
  });

  test("are there, every one", () => {
    const found = new Set(files.map(({ path }) => dirname(path)));
    expect(building.rooms.filter((room) => !found.has(`${building.folder}/${room}`))).toEqual([]);
    expect(building.above.filter((path) => !files.some((file) => file.path === path))).toEqual([]);
  });

  test("have no files that import each other in a circle", () => {
    expect(circles(files.filter(({ path }) => path.startsWith(`${building.folder}/`)))).toEqual([]);
  });
});

test("nothing lies loose in src", () => {
  expect(files.map(({ path }) => path).filter((path) => dirname(path) === "src")).toEqual([]);
});

test("the command line and the program interface use no room that knows bundlers", () => {
  const users = files.filter(({ path }) => path.startsWith("src/cli/") || path.startsWith("src/api/"));
  expect(users.length).toBeGreaterThan(0);
  const wrong = users.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => from.startsWith("src/plugin/") && ofBundlers.includes(roomOf(plugin, from)))
      .map(({ from }) => `${path} → ${from}`),
  );
  expect(wrong).toEqual([]);
});

test("no room imports the program interface", () => {
  const outside = files.filter(({ path }) => !path.startsWith("src/api/"));
  expect(
    outside.flatMap(({ path, imports }) => (imports.some(({ from }) => from.startsWith("src/api/")) ? [path] : [])),
  ).toEqual([]);
});

describe("the rules find what they forbid", () => {
  test("an import of a later room, of types or lazy too", () => {
    const text = '// x\nimport type { a } from "../kernel/compile/b.ts";\nconst c = await import("../jest/d.ts");\n';
    expect(violations(plugin, [sourceFile("src/plugin/options/x.ts", text)])).toEqual([
      "src/plugin/options/x.ts → src/plugin/kernel/compile/b.ts (kernel/compile comes later)",
      "src/plugin/options/x.ts → src/plugin/jest/d.ts (jest comes later)",
    ]);
  });

  test("a loose file, and one in a folder that is no room", () => {
    const loose = [sourceFile("src/plugin/x.ts", "// x\n"), sourceFile("src/cli/other/x.ts", "// x\n")];
    expect(violations(plugin, loose)).toEqual(["src/plugin/x.ts (it lies in no room)"]);
    expect(violations(cli, loose)).toEqual(["src/cli/other/x.ts (it lies in no room)"]);
  });

  test("an import of what stands above the rooms", () => {
    const text = '// x\nimport { main } from "../main.ts";\n';
    expect(violations(cli, [sourceFile("src/cli/commands/x.ts", text)])).toEqual([
      "src/cli/commands/x.ts → src/cli/main.ts (src/cli/main.ts comes later)",
    ]);
  });

  test("a circle of three files, and not the file that only leads to it", () => {
    const file = (name: string, to: string) => sourceFile(`src/a/${name}.ts`, `// x\nimport "./${to}.ts";\n`);
    expect(circles([file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")])).toEqual([
      "src/a/a.ts",
      "src/a/b.ts",
      "src/a/c.ts",
    ]);
  });
});
