// Numbers of a machine stand in its model, where `calibrate` sees the costs and a new target brings its own: a rule or an
// estimate that writes one down itself is found here. What stands below is no property of a machine.

import { expect, test } from "vitest";
import { type SourceFile, sourceFile, sourceFiles } from "../../../support/source-files.ts";

/** Numbers by file and line of code, each with the reason why no machine changes it. */
const allowed: readonly (readonly [path: RegExp, line: RegExp, why: string])[] = [
  [/\/winograd/, /./, "constants of an algorithm's transforms"],
  [/\/template\//, /./, "lengths of names, and ranges of values that an author's template may have"],
  [/inlined-stages/, /const most(Repeated|Deep) = /, "size of code and depth of expressions"],
  [/explain-space/, /const mostTold = /, "lines of a message"],
  [/choice-axes/, /const mostAlternatives = /, "copies of a body in the code"],
  [/draft/, /const most(ListedValues|Value) = |40 \* mostListedValues/, "size of a constraint model"],
  [/split-reduction/, /\{ from: 1, to: 2 \*\* 16 \}/, "range of a variable that a constraint limits"],
  [
    /split-reduction|row-reduction|vectorize-map|place-in-row|carry-rows/,
    /\[1, 2, (3, )?4(, [68])?\]/,
    "values that a search tries",
  ],
  [/vector-axis/, /const longestStride = /, "which vectors a search tries"],
  [/merged-axes/, /const (mostLanes|leastGain) = /, "which templates a search has"],
  [/multi-level-tiling/, /const fewUses = /, "which templates a search has"],
  [/flat-maps/, /const mostShort = /, "which templates a search has"],
  [/narrow-integers\/words/, /2 \*\* 16|25[56]/, "bits of a word and of a byte"],
  [/written-sums/, /const mostTerms = /, "size of code"],
  [/kept-stages/, /const mostStages = /, "which templates a search has"],
  [/lane-turns/, /const most(Turns|Operations) = /, "which vectors a search tries"],
  [/near-lanes/, /const (turns|leastLanes) = /, "which vectors a search tries"],
  [/near-lanes/, /const mostLanes = /, "what the schedule language allows"],
  [/tile-map/, /\[1, 2, 4(, 8, 16, 32, 64)?\]|const (most|least)Square = /, "values that a search tries"],
  [/tile-map/, /const mostOperations = /, "time that a compiler takes"],
  [/merge-consumer/, /length: 20|\[1, 3, 5, 7\]/, "values that a search tries"],
  [/vectorize-map/, /const mostOperations = /, "time that a compiler takes"],
  [/tiled-axis/, /const parts = /, "values that a search tries"],
  [
    /group-tiles/,
    /const (mostWarps|mostTiles|neighbours|stages|rounds|clusters)|^ *\[[\d, ]+\],|\? \[1, 2, 4\]/,
    "values that a search tries",
  ],
  [/threads-of-a-map/, /const threads = /, "values that a search tries"],
  [/has-tiling/, /const plenty = /, "more than any machine has"],
  [
    /tensor-cores\/(tensor-cores|copies|warp-product)/,
    /part\(|slice\(0?,? ?-3\)|\[0, 1, 2, 3\]|lines\}\.3/,
    "levels of loops, and places of axes",
  ],
];

/** A number from 3 on, or one with a fraction, that is not a part of a name, a text or an index. */
const number = /(?<![\w.#"'`$])(?:[3-9]|\d{2,}|\d[\d_]*_\d+|\d+\.\d+)(?![\w"'`])/;
const withoutTexts = (line: string): string => line.replace(/"[^"]*"|`[^`]*`/g, '""');

const numbersIn = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap(({ path, code }) =>
    code.flatMap((line, at) => {
      const isAllowed = allowed.some(([file, pattern]) => file.test(path) && pattern.test(line));
      return number.test(withoutTexts(line)) && !isAllowed ? [`${path}:${at + 1}: ${line.trim()}`] : [];
    }),
  );

const files = sourceFiles("src/tuner").filter(({ path }) => path.includes("/space/"));

test("no number of a machine stands beside its model", () => {
  expect(numbersIn(files)).toEqual([]);
});

test("everything that is allowed is there", () => {
  const used = ([file, pattern]: (typeof allowed)[number]): boolean =>
    files.some(({ path, code }) => file.test(path) && code.some((line) => pattern.test(line) && number.test(line)));
  expect(allowed.filter((it) => !used(it)).map(([file, line]) => `${file} ${line}`)).toEqual([]);
});

test("no table of numbers is keyed by a code generator's name", () => {
  const tables = files.flatMap(({ path, code }) =>
    code.filter((line) => /Record<[^>]*(codegen|backend)/i.test(line)).map((line) => `${path}: ${line.trim()}`),
  );
  expect(tables).toEqual([]);
});

test("this test finds what it forbids", () => {
  const lines = [
    "// 64 in a comment",
    "const lineBytes = 64;",
    'const name = "x 64";',
    "const half = bytes * 0.5;",
    "a[1] + 2;",
  ];
  const planted = sourceFile("src/tuner/space/x.ts", lines.join("\n"));
  expect(numbersIn([planted])).toEqual([
    "src/tuner/space/x.ts:2: const lineBytes = 64;",
    "src/tuner/space/x.ts:4: const half = bytes * 0.5;",
  ]);
});
