// The figures of README.md: committed rows → the lines of its tables, and where and when they were measured. Of the newest row's machine and
// code generator all rows count, with their least and their most: no attempt is chosen.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readLines } from "../bench/json-lines.ts";
import { isDirty, type Measured, type Provenance } from "../bench/provenance.ts";
import { type LivePages, type LiveVisit, liveLines, livePages } from "./live-table.ts";

/** A run of `npm run demo -- --record`. */
interface DemoRow {
  readonly measured: Provenance;
  /** Seconds that each tuning had at most. */
  readonly budgetSeconds: number;
  readonly runs: readonly DemoRun[];
  /** Limit of one core in f32, in GFLOP/s. */
  readonly core: { readonly wasm: number | null; readonly native: number | null };
}

interface DemoRun {
  readonly host: string;
  readonly variant: "plain JS loops" | "default schedule" | "tuned schedule";
  readonly twin: "native" | "wasm" | "wasm-relaxed" | "reference";
  readonly gflops: number;
  /** Seconds of the first build, and of a second one that finds the lock. */
  readonly first: number;
  readonly second: number;
}

interface LiveRow extends LiveVisit {
  readonly measured: Provenance;
}

/** A host of `npm run bench:install`. */
interface InstallRow extends Measured {
  /** Date and commit of rows from before they had `measured`. */
  readonly when?: string;
  readonly commit?: string;
  readonly host: string;
  readonly bytes: number;
  /** "z3-solver 35.8 MB", the largest first. */
  readonly largest: readonly string[];
}

/** Rows of one machine and code generator, the newest last. */
type Attempts<T> = readonly [T, ...T[]];

export interface Rows {
  readonly demo: Attempts<DemoRow>;
  readonly live: LivePages<LiveRow>;
  readonly install: InstallRow;
  /** Text of docs/bytes.md, whose own test builds what it says. */
  readonly bytes: string;
}

/** Budget of a kernel in the demo unless its command says another; rows of shorter searches are not for the front page. */
const usualSeconds = 20;
const repository = resolve(import.meta.dirname, "../..");

function newest<T>(file: string, fits: (row: T) => boolean, command: string): T {
  const row = readLines<T>(join(repository, file)).findLast(fits);
  if (row === undefined) throw new Error(`${file} has no row for the README: run \`${command}\` on a quiet machine`);
  return row;
}

/** Those of the newest one's machine, code generator and libraries. */
function attempts<T extends { readonly measured: Provenance; readonly versions?: LiveRow["versions"] }>(
  file: string,
  fits: (row: T) => boolean,
  command: string,
): Attempts<T> {
  const surroundings = ({ measured: { cpu, codegen }, versions }: T): string =>
    JSON.stringify([cpu, codegen, versions]);
  const wanted = surroundings(newest(file, fits, command));
  const isSame = (row: T): boolean => surroundings(row) === wanted;
  return readLines<T>(join(repository, file)).filter((row) => fits(row) && isSame(row)) as [T, ...T[]];
}

const visitsOf = (name: string): Attempts<LiveRow> =>
  attempts<LiveRow>("test/bench/live.jsonl", ({ page }) => page === name, "npm run docs:build && npm run bench:live");

export const readRows = (): Rows => ({
  demo: attempts<DemoRow>(
    "demo/results.jsonl",
    ({ budgetSeconds }) => budgetSeconds >= usualSeconds,
    "npm run demo -- --record",
  ),
  live: Object.fromEntries(livePages.map((page) => [page, visitsOf(page)])) as unknown as LivePages<LiveRow>,
  install: newest<InstallRow>("test/bench/install.jsonl", ({ host }) => host === "vite 8", "npm run bench:install"),
  bytes: readFileSync(join(repository, "docs/bytes.md"), "utf8"),
});

/** "2026-11-24T04:09:02Z" → "24 November 2026". */
function dayOf(date: string): string {
  const [year, month, day] = ["numeric", "long", "numeric"] as const;
  return new Intl.DateTimeFormat("en-GB", { year, month, day, timeZone: "UTC" }).format(new Date(date));
}

/** "gcc (Debian 12.2.0-14+deb12u1) 12.2.0" → "gcc 12.2.0". */
const compilerOf = (version: string): string => version.replace(/ \(.*\)/, "");

/** Machine, code generator and days of some rows. */
function placeOf(rows: Attempts<{ readonly measured: Provenance }>): string {
  const { cpu, codegen } = rows[0].measured;
  const days = [...new Set(rows.map(({ measured }) => dayOf(measured.date)))].join(" and ");
  return `${cpu}, code generator ${codegen}, ${days}`;
}

/** How many rows there are, and how many of them nobody could check out; nothing for one that is committed. */
function attemptsText(rows: readonly { readonly measured: Provenance }[]): string {
  const dirty = rows.filter(({ measured }) => isDirty(measured)).length;
  const of = rows.length > 1 ? `${dirty} of them ` : "";
  return [
    ...(rows.length > 1 ? [`least and most of ${rows.length} records`] : []),
    ...(dirty > 0 ? [`${of}on a tree with uncommitted changes`] : []),
  ].join(", ");
}

const newestOf = <T>(rows: Attempts<T>): T => rows.at(-1)!;

/** The least and the greatest: "46 to 47", or "47" where they are one. */
function rangeOf(values: readonly number[], text: (value: number) => string): string {
  const [least, most] = [text(Math.min(...values)), text(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

const ones = (value: number): string => value.toFixed(0);
const tenths = (value: number): string => value.toFixed(1);
const milliseconds = (seconds: number): string => (seconds * 1000).toFixed(0);
interface TunedDemo {
  readonly gflops: string;
  /** GFLOP/s of the fastest app. */
  readonly most: number;
  /** Seconds of the builds that tuned, the first of each row's first host. */
  readonly tuning: string;
  readonly fromLock: readonly number[];
}

function tunedIn(rows: Attempts<DemoRow>, isNative: boolean): TunedDemo | null {
  const each = rows.map(({ runs }) =>
    runs.filter(({ variant, twin }) => variant === "tuned schedule" && (twin === "native") === isNative),
  );
  const own = each.flat();
  if (own.length === 0) return null;
  const rates = own.map(({ gflops }) => gflops);
  const tunings = each.filter((runs) => runs.length > 0).map((runs) => Math.max(...runs.map(({ first }) => first)));
  return {
    gflops: rangeOf(rates, ones),
    most: Math.max(...rates),
    tuning: rangeOf(tunings, ones),
    fromLock: own.map(({ second }) => second),
  };
}

function demoLines({ demo }: Rows): readonly string[] {
  const [wasm, native] = [tunedIn(demo, false), tunedIn(demo, true)];
  if (!wasm || !native) throw new Error("no row of the demo has native kernels: it wants gcc or clang");
  const { core } = newestOf(demo);
  const loops = demo
    .flatMap(({ runs }) => runs)
    .filter(({ twin }) => twin === "reference")
    .map(({ gflops }) => gflops);
  // A core that was disturbed while its limit was measured has a limit below the kernel: it says nothing then.
  const of = (limit: number | null, { most }: TunedDemo): string =>
    limit === null || limit < most ? "" : `, of ${ones(limit)} that the core can do`;
  const command = "`npm run demo`";
  const fromLock = rangeOf([...wasm.fromLock, ...native.fromLock], milliseconds);
  return [
    `| product of two 512 × 512 matrices of f32, WASM | ${wasm.gflops} GFLOP/s${of(core.wasm, wasm)}; plain JavaScript loops ${rangeOf(loops, tenths)} | ${command} |`,
    `| the same, native | ${native.gflops} GFLOP/s${of(core.native, native)} | ${command} |`,
    `| a build that tunes it | ${wasm.tuning} s for WASM, ${native.tuning} s native; with the lock ${fromLock} ms, bundler included | ${command} |`,
  ];
}

/** The code and the WASM of a row of docs/bytes.md, in kB. */
function bytesOf(page: string, what: string): readonly [code: number, wasm: number] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${what} |`));
  const [code, wasm] = (row ?? "").split(" | ").slice(1).map(Number.parseFloat);
  if (!code || !wasm) throw new Error(`docs/bytes.md has no row on ${what}`);
  return [code, wasm];
}

function byteLines({ bytes, install }: Rows): readonly string[] {
  const first = bytesOf(bytes, "a product of matrices, `?tune=wasm`");
  const ten = bytesOf(bytes, "ten products of other sizes");
  const convolution = bytesOf(bytes, "a 3×3 convolution, 56×56×64 to 64");
  const installed = install.measured ?? { date: install.when!, commit: install.commit! };
  const further = (ten[0] - first[0]) / 9;
  const solver = install.largest.find((text) => text.startsWith("z3-solver "))?.split(" ")[1];
  if (solver === undefined) throw new Error("the newest row of the install does not name the solver");
  return [
    `| code of a page, minified, beside ${ones(first[1])} to ${ones(convolution[1])} kB of WASM a kernel | ${tenths(first[0])} kB for the first kernel, ${tenths(further)} kB for each further one | \`npx vitest run test/docs/bytes.test.ts\` |`,
    `| what an install adds to a Vite 8 project (${dayOf(installed.date)}${isDirty(installed) ? ", on a tree with uncommitted changes" : ""}) | ${ones(install.bytes / 1e6)} MB, of which the solver z3 is ${ones(Number(solver))} | \`npm run bench:install\` |`,
  ];
}

/** The README with its figures replaced by those of the rows. */
export function withFigures(readme: string, rows: Rows): string {
  const { demo } = rows;
  const live = livePages.flatMap((page) => rows.live[page]) as unknown as Attempts<LiveRow>;
  const surroundings = live.map(({ measured: { cpu, codegen }, versions }) => [cpu, codegen, versions?.tfjs].join());
  if (new Set(surroundings).size > 1)
    throw new Error("the live pages were visited on several machines: npm run bench:live");
  const { compiler, node } = newestOf(demo).measured;
  const tools = [...(compiler ? [compilerOf(compiler)] : []), `Node ${node.slice(1)}`].join(", ");
  const [visits, runs] = [attemptsText(rows.live.search), attemptsText(demo)];
  const put = (text: string, pattern: RegExp, lines: string): string => {
    if (!pattern.test(text)) throw new Error(`README.md has no ${pattern}`);
    return text.replace(pattern, () => lines);
  };
  const browser = `Chromium ${newestOf(live).browser.split(".")[0]}`;
  const intro = `one thread, ${browser}, ${placeOf(live)}${visits && `, ${visits}`}\n`;
  const machine = `One thread of an ${placeOf(demo)}, ${tools}${runs && `; ${runs}`}.\n`;
  let text = put(readme, /(?<=^Three computations in a page,\n)one thread, .*\n/m, intro);
  text = put(text, /(?<=^\| \| the page loads \|.*\n.*\n)(\|.*\n){4}/m, `${liveLines(rows.live).join("\n")}\n`);
  text = put(text, /(?<=^## Five figures\n\n).*\n/m, machine);
  const figures = [...demoLines(rows), ...byteLines(rows)];
  return put(text, /(?<=^\| what \| figure \| command \|\n.*\n)(\|.*\n){5}/m, `${figures.join("\n")}\n`);
}
