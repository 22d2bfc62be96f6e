// Figures of README.md and docs/: each block of text with measured ones says what shows them, a command, a test, a source file or a page made of
// rows. Settings are held against their source, examples of output are listed.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readLines } from "../bench/json-lines.ts";
import { readResults } from "../bench/peers/result.ts";
import { pagesOf } from "../bench/peers/write-report.ts";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Pages that commands write from rows: their commands' tests hold them (bench-pages, bytes, engines, operator-table). */
const written = [
  ...pagesOf(readResults(join(repository, "test/bench/peers/results.jsonl")), []).map(({ suffix }) => `peers${suffix}`),
  ...["search-bench", "operators", "engines", "hosts", "bytes"],
];
const isWritten = (page: string): boolean => written.some((name) => page === `docs/${name}.md`);
const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/host", "docs/live"].flatMap((folder) =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** A number with a unit of measured things: times, speeds, shares, ratios, bytes; or a rate, or a range of bare ratios. */
const figures = [
  /(?:^|[\s(≈~])\d[\d.,]*(?:\s(?:to|…|and)\s\d[\d.,]*)?\s?(?:ns|µs|ms|s|seconds?|minutes?|GFLOP\/s|TFLOP\/s|[GT]op\/s|GB\/s|[kKMG]i?B|GB|%|×(?!\s?\d)|times as)(?![\w/])/,
  /\d (?:times (?:faster|slower)|[a-z]* ?(?:a|per) second)\b/,
  /\d\.\d\d (?:to|…) \d+\.\d\d/,
];
const isFigure = (text: string): boolean => figures.some((figure) => figure.test(text));

/** Commands that leave rows, or print the figure wherever they are run. */
const commandsOfFigures = [
  ...[
    "bench",
    "bench:cuda-compiler",
    "bench:budgets",
    "bench:bundle",
    "bench:install",
    "bench:live",
    "bench:search",
    "bench:webgpu",
    "bench:webgpu-page",
    "bench:gpu-speed",
    "demo",
    "gpu-check",
    "test:cuda",
    "test:gpu",
  ],
  ...["test:drawn", "test:engines", "test:kill", "test:math-ulp", "test:node-versions", "test:operators"],
  ...["test:oracle", "test:planted", "test:removal", "test:soak", "test:starters", "test:zig", "test:avx512-emulated"],
];

const ownFiles = ["src", "test", "demo", "docs/.vitepress"].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => !name.includes("node_modules"))
    .map((name) => `/${folder}/${name.replaceAll("\\", "/")}`),
);
const isOwnFile = (name: string): boolean => ownFiles.some((path) => path.endsWith(`/${name}`));

/** Whether a block names what may stand behind a figure: a command, a test or source file of ours, or a page that a command writes. */
const isProven = (block: string): boolean =>
  [...block.matchAll(/npm run (?:-s )?([\w:-]+)/g)].some(([, name = ""]) => commandsOfFigures.includes(name)) ||
  /npx unplugin-kernel \w/.test(block) ||
  [...block.matchAll(/[\w./-]*[\w-]+\.tsx?\b/g)].some(([name]) => isOwnFile(name.replace(/^\.?\//, ""))) ||
  [...block.matchAll(/\]\((?:[\w./-]*\/)?([\w-]+)\.md/g)].some(([, name = ""]) => written.includes(name));

/** Settings that pages state, in words of the page, and how the source has them. */
const settings: readonly (readonly [page: string, said: string, source: string, code: string])[] = [
  ["bundlers", "up to 64 KB", "plugin/binding/module/place.ts", "inlineBytes: number = 64 * 1024"],
  ["recipes", "up to 64 KB", "plugin/binding/module/place.ts", "inlineBytes: number = 64 * 1024"],
  ["command-line", "2 ms or", "cli/bench/rounds.ts", "usualSampleMs = 2;"],
  ["constraints", "each has 20 seconds", "cli/actions/tune.ts", "proofMs = 20_000"],
  ["cost-model", "within 2 % of it", "tuner/search/state/convergence.ts", "expected: 1.02"],
  ["measurement", "as fill 200 µs", "native/runner/client.ts", "defaultSampleNs = 200_000"],
  ["measurement", "1.5 ms beyond 1.25 × the", "native/runner/time-kernel.ts", "coldNs = 1.5e6"],
  ["measurement", "(1.4 × on", "native/runner/time-kernel.ts", "checkGivenUpAt = { calm: 1.25, disturbed: 1.4 }"],
  ["measurement", "runs of 4 ms and", "native/runner/time-kernel.ts", "longRunNs = 4e6"],
  [
    "measurement",
    "more than 1.35 ×, after two, more than 1.2 ×",
    "native/runner/time-kernel.ts",
    "givenUpAt = [1.35, 1.2]",
  ],
  ["measurement", "within 1.5 % of", "tuner/measure/measure.ts", "agreement: 0.015"],
  ["measurement", "as 12 ms have", "tuner/measure/measure.ts", "budgetNs: 12e6"],
  ["measurement", "a run of 30 ms", "native/runner/yardstick.ts", "longestYardstickNs = 30e6"],
  ["measurement", "than 30 ms is not used", "native/runner/yardstick.ts", "longestYardstickNs = 30e6"],
  ["measurement", "median and 20 % quantile", "tuner/measure/statistics.ts", "quantile(samplesNs, 0.2)"],
  ["measurement", "shorter than 2 ms the probe", "native/runner/time-kernel.ts", "longestAwaitedNs = 2e6"],
  ["measurement", "1.5 ms more than 1.25 times", "native/runner/time-kernel.ts", "coldNs = 1.5e6"],
  ["measurement", "(1.4 times on", "native/runner/time-kernel.ts", "disturbed: 1.4"],
  ["measurement", "is 10 % slower in each", "tuner/measure/race.ts", "clearlySlower = Math.log(1.1)"],
  ["measurement", "t at 0.5 % on", "tuner/measure/race.ts", "close to Student's t at 0.5 %"],
  ["measurement", "by more than 1 %, and", "tuner/measure/race.ts", "tie: 0.01"],
  ["measurement", "its\n20 % quantile or", "tuner/measure/race.ts", "[0, 0.2].every("],
  ["measurement", "(within 4 %)", "native/runner/visit.ts", "hardlySlower = 1.04"],
  ["measurement", "if that follows within 50 ms", "native/runner/yardstick.ts", "recentMs = 50"],
  ["measurement", "within 20 % of the best", "tuner/measure/finalists.ts", "withinNoise = 1.2"],
  ["measurement", "within 2 %.", "../test/bench/choice.ts", "allowed = 1.02"],
  ["search", "a clock adds 1.5 %", "../test/bench/landscapes/landscapes.ts", 'default: "0.015"'],
  ["report", "16 KB to 64 MB", "native/limits/machine-limits.ts", "2 ** (14 + at)"],
  ["search", "saved less than 2 %", "tuner/search/strategy/default.ts", "gainOfTrials(state, 24) < 0.02"],
  ["search", "saved less\nthan 1 %", "tuner/search/state/convergence.ts", "leastGain: 0.01"],
  ["search", "last 96 trials (240", "tuner/search/state/convergence.ts", "built: 96, asTheyAre: 240"],
  ["store", "does not come back in 20 seconds", "tuner/workbench/too-slow.ts", "checkDeadlineMs = 20_000"],
  ["store", "would take longer than 5 seconds", "tuner/workbench/reference.ts", "mostAnswersMs = 5_000"],
  ["store", "not used for 30 days", "cli/actions/cache.ts", "days = 30"],
  ["store", "at most 256 MiB", "tuner/store/exchange-file.ts", "mostExchangeBytes: number = 2 ** 28"],
  ["fleet", "goes to another after 30 s", "plugin/fleet/run-worker.ts", "lockMs = 30_000"],
  ["threads", "for more work for 50 µs,", "native/load/threads.c", "UK_SPIN_NS = 50000"],
];

/** What the history says of bytes that rows and pages have. */
const history: readonly (readonly [said: string, figures: () => string])[] = [
  [
    "an install adds 41 to 54 MB, z3 is 36 of them",
    () => {
      const rows = readLines<{ bytes: number; largest: readonly string[] }>(
        join(repository, "test/bench/install.jsonl"),
      );
      const [least, most] = [Math.min, Math.max].map((pick) =>
        (pick(...rows.map((row) => row.bytes)) / 1e6).toFixed(0),
      );
      const solver = Number.parseFloat(/z3-solver ([\d.]+) MB/.exec(rows[0]!.largest.join())![1]!);
      return `an install adds ${least} to ${most} MB, z3 is ${solver.toFixed(0)} of them`;
    },
  ],
  [
    // The last is of the version before.
    "13 kB for the first kernel of a page and 0.6 kB for each further one, where each took 14 kB",
    () => {
      const [, first, further] = /([\d.]+) kB for the first kernel, ([\d.]+) kB for each/.exec(read("README.md"))!;
      return `${Number(first).toFixed(0)} kB for the first kernel of a page and ${further} kB for each further one, where each took 14 kB`;
    },
  ],
];

test.each(history)("CHANGELOG.md: %j is what rows and pages have", (said, figuresOf) => {
  expect(flat(read("CHANGELOG.md"))).toContain(said);
  expect(figuresOf()).toBe(said);
});

/** Made-up output of programs. */
const examples = [
  "`3 kernels from kernels.lock.json, 0 measured, 0 compiler runs, 9 ms`",
  '"82 % of what this core can do; 1.60 × the schedule predicted without measuring"',
  "no kernel is above 100 %",
  "1 KiB of memory",
  "tuned, 97.1 GFLOP/s",
  "`--max-size 500MB`",
];

/** A page without line breaks inside of paragraphs, so that settings are found wherever they are broken. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

/** A block without the figures that are no measurements. */
function measuredPart(page: string, block: string): string {
  const own =
    page === "CHANGELOG.md"
      ? history.map(([said]) => said)
      : settings.filter(([name]) => page === `docs/${name}.md`).map(([, said]) => flat(said));
  return [...own, ...examples].reduce((text, said) => text.replaceAll(said, "…"), flat(block));
}

/** What tests write into pages. */
const writtenPart = /^<!-- (?:missed bars|sweeps) -->[\s\S]*?^<!-- end -->/gm;

/** Paragraphs, items of lists and whole tables, each with its first line's number; code is no text. */
function blocksOf(text: string): readonly string[] {
  const prose = text
    .replaceAll(writtenPart, "")
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "")
    .replaceAll(/^ {4,}\S.*$/gm, "");
  return prose.split(/\n\s*\n|\n(?=- |\d+\. )/).map((block) => block.trim());
}

/** A table of measured figures may have its source in the paragraph before it, and a paragraph its in the table after it. */
function unproven(page: string, text: string): readonly string[] {
  const blocks = blocksOf(text);
  return blocks.filter((block, at) => {
    if (!isFigure(measuredPart(page, block)) || isProven(block)) return false;
    return !(block.startsWith("|") && at > 0 && isProven(blocks[at - 1]!));
  });
}

test("each block with measured figures says what shows them", () => {
  const wrong = pages
    .filter((page) => !isWritten(page))
    .flatMap((page) => unproven(page, read(page)).map((block) => `${page}: ${block}`));
  expect(wrong).toEqual([]);
});

test("a block without what shows its figures would be seen", () => {
  const seen = (text: string) => unproven("docs/a.md", text).length;
  expect(seen("A kernel takes 3 to 4 ms.")).toBe(1);
  expect(seen("It is 1.3 × as fast.\n\nSee `npm run bench`.")).toBe(1);
  expect(seen("Text\n\n| a | b |\n|---|---|\n| x | 5 kB |")).toBe(1);
  expect(seen("It solves 27,000 a second, and is 3 times faster.")).toBe(1);
  expect(seen("Ratios are 0.88 to 0.94.")).toBe(1);
  // None of these shows a figure: a command that measures nothing, a file and a page that are not there.
  expect(seen("A kernel takes 3 ms (`npm run check`).")).toBe(1);
  expect(seen("A kernel takes 3 ms (`no-such-file.ts`).")).toBe(1);
  expect(seen("A kernel takes 3 ms ([rows](peers-of-nobody.md)).")).toBe(1);
  expect(seen("A kernel takes 3 ms (`npm run bench`).")).toBe(0);
  expect(seen("A kernel takes 3 ms (`src/compiler/codegen-version.ts`).")).toBe(0);
  expect(seen("A kernel takes 3 ms ([rows](peers.md)).")).toBe(0);
  expect(seen("`npm run bench` says:\n\n| a | b |\n|---|---|\n| x | 5 kB |")).toBe(0);
  expect(seen("Of 512 × 512 numbers, 30 kernels.\n\n```\n5 ms\n```")).toBe(0);
});

test.each(settings)("docs/%s.md: %j is what src/%s has", (page, said, source, code) => {
  expect(flat(read(`docs/${page}.md`))).toContain(flat(said));
  expect(read(`src/${source}`)).toContain(code);
});

/** Commands that leave no rows: their figures change with the machine that runs them. */
const withoutRows = [
  "choice",
  "compilers",
  "convolution",
  "cost-model",
  "dev",
  "landscapes",
  "lowering",
  "measuring",
  "new-shape",
  "sampling",
  "seeds",
].map((name) => `npm run bench:${name}`);

test("no figure stands on a bench that leaves no rows", () => {
  const wrong = pages.flatMap((page) =>
    blocksOf(read(page))
      .filter((block) => withoutRows.some((command) => block.includes(command)))
      .filter((block) => isFigure(measuredPart(page, block)))
      .map((block) => `${page}: ${block}`),
  );
  expect(wrong).toEqual([]);
});

test("npm scripts, tests and files of rows that pages name are there", () => {
  const { scripts } = JSON.parse(read("package.json"));
  // Of the documentation's package, and of the examples, which have the same.
  const others = ["docs", "fixtures/apps/semantic-search"].map((folder) => JSON.parse(read(`${folder}/package.json`)));
  const known = Object.assign({}, scripts, ...others.map((one) => one.scripts));
  const wrong = pages.flatMap((page) => {
    const text = read(page);
    const commands = [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
    const files = [
      ...text.matchAll(
        /(?<![\w./@-])((?:test|demo|fixtures|src\/(?:api|cli|compiler|native|plugin|tuner))\/[\w./-]*\.(?:ts|js|jsonl?|c))\b/g,
      ),
    ];
    return [
      ...commands.filter((name) => !(name in known)),
      ...files.flatMap(([, name = ""]) => (existsSync(join(repository, name)) ? [] : [name])),
    ].map((name) => `${page}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

/** Pages about the inside, whose file names are ours; those of other pages may be a user's. */
const inside = ["architecture", "constraints", "cost-model", "measurement", "scheduler", "search", "store", "threads"];
const sources = ["src", "test", "docs/.vitepress", "."].flatMap((folder) =>
  readdirSync(join(repository, folder), folder === "." ? {} : { recursive: true, encoding: "utf8" }).map(String),
);

test.each(inside)("docs/%s.md names files that are there", (page) => {
  const named = [...read(`docs/${page}.md`).matchAll(/`([\w./-]+\.(?:js|ts|c))`/g)].map(([, name = ""]) => name);
  const own = named.filter((name) => !name.includes(".op.") && !/^\.{0,2}\//.test(name));
  expect(
    own.filter((name) => !sources.some((path) => `/${path}`.endsWith(`/${name.replace(/^(src|test)\//, "")}`))),
  ).toEqual([]);
});
