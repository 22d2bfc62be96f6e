// Folders of src that import each other, however far around: a knot. There are none, so each folder can be read, tested and
// replaced with those below it alone. The order of the rooms stands in architecture.test.ts; this holds without one.

import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFile, sourceFiles } from "./support/source-files.ts";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns which node imports which other one, where `nodeOf` a path names its node: types and lazy imports count like others. */
function graphOf(files: readonly SourceFile[], nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = nodeOf(path);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const it of imports) if (it.from.startsWith("src/") && nodeOf(it.from) !== from) targets.add(nodeOf(it.from));
  }
  return graph;
}

const foldersOf = (files: readonly SourceFile[]): Graph => graphOf(files, dirname);

function reachable(graph: Graph, from: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [from];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const it of graph.get(next) ?? []) {
      if (seen.has(it)) continue;
      seen.add(it);
      waiting.push(it);
    }
  }
  return seen;
}

/** Returns the groups of nodes each of which reaches all others of its group: "src/a ↔ src/b". */
function knotsIn(graph: Graph): readonly string[] {
  const reach = new Map([...graph.keys()].map((it) => [it, reachable(graph, it)]));
  const knotOf = (node: string): readonly string[] =>
    [...reach.get(node)!].filter((other) => reach.get(other)?.has(node)).sort();
  const tied = [...graph.keys()].filter((it) => reach.get(it)!.has(it));
  return [...new Set(tied.map((it) => knotOf(it).join(" ↔ ")))];
}

test("no folders import each other, however far around", () => {
  const graph = foldersOf(sourceFiles());
  expect(graph.size).toBeGreaterThan(0);
  expect(knotsIn(graph)).toEqual([]);
});

/** Returns circles of files none of which has a comment with the word "circle", which says why. */
const unexplained = (files: readonly SourceFile[]): readonly string[] => {
  const commented = (path: string): boolean => {
    const file = files.find((it) => it.path === path);
    return file?.lines.some((line, at) => /\bcircle\b/.test(line) && !/\bcircle\b/.test(file.code[at] ?? "")) === true;
  };
  return knotsIn(graphOf(files, (path) => path)).filter((knot) => !knot.split(" ↔ ").some(commented));
};

test("files that import each other in a circle say why, in the file that closes it", () => {
  expect(unexplained(sourceFiles())).toEqual([]);
});

describe("a knot is found", () => {
  const planted = (path: string, ...targets: readonly string[]): SourceFile =>
    sourceFile(path, `// x\n${targets.map((it) => `import type { a } from "${it}";\n`).join("")}`);

  test("of two files, unless a comment explains it", () => {
    const files = [planted("src/a/x.ts", "./y.ts"), planted("src/a/y.ts", "./x.ts"), planted("src/a/z.ts", "./x.ts")];
    expect(unexplained(files)).toEqual(["src/a/x.ts ↔ src/a/y.ts"]);
    const why = "// x\n/** The circle with x.ts is that of its grammar. */\n";
    expect(unexplained([files[0]!, sourceFile("src/a/y.ts", `${why}import type { a } from "./x.ts";\n`)])).toEqual([]);
    expect(unexplained([files[0]!, sourceFile("src/a/y.ts", 'import { circle } from "./x.ts";\n')])).toHaveLength(1);
  });

  test("of two folders, of three, and not of a folder with itself or with one below", () => {
    expect(
      knotsIn(
        foldersOf([
          planted("src/a/x.ts", "../b/y.ts"),
          planted("src/b/y.ts", "../a/z.ts"),
          planted("src/c/x.ts", "../d/x.ts"),
          planted("src/d/x.ts", "../e/x.ts"),
          planted("src/e/x.ts", "../c/y.ts", "../a/x.ts"),
          planted("src/f/x.ts", "./y.ts", "./g/x.ts"),
          planted("src/f/g/x.ts", "../../a/x.ts"),
        ]),
      ),
    ).toEqual(["src/a ↔ src/b", "src/c ↔ src/d ↔ src/e"]);
  });
});
