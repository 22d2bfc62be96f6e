// The figures of README.md: the newest committed rows → the lines of its tables, and where and when they were measured.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readLines } from "../bench/json-lines.ts";
import type { Measured, Provenance } from "../bench/provenance.ts";

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

/** A visit of a live page by `npm run bench:live`; the text of each row of its table. */
interface LiveRow {
  readonly measured: Provenance;
  readonly page: string;
  readonly browser: string;
  readonly rows: readonly string[];
}

/** A host of `npm run bench:install`. */
interface InstallRow extends Measured {
  readonly when: string;
  readonly host: string;
  readonly bytes: number;
  /** "z3-solver 35.8 MB", the largest first. */
  readonly largest: readonly string[];
}

export interface Rows {
  readonly demo: DemoRow;
  readonly live: LiveRow;
  readonly install: InstallRow;
  /** Text of docs/bytes.md, whose own test builds what it says. */
  readonly bytes: string;
  /** "1.30.0", of the documentation's package. */
  readonly onnx: string;
}

/** Budget of a kernel in the demo unless its command says another; rows of shorter searches are not for the front page. */
const usualSeconds = 20;
const repository = resolve(import.meta.dirname, "../..");

function newest<T>(file: string, fits: (row: T) => boolean, command: string): T {
  const row = readLines<T>(join(repository, file)).findLast(fits);
  if (row === undefined) throw new Error(`${file} has no row for the README: run \`${command}\` on a quiet machine`);
  return row;
}

export const readRows = (): Rows => ({
  demo: newest<DemoRow>(
    "demo/results.jsonl",
    ({ budgetSeconds }) => budgetSeconds >= usualSeconds,
    "npm run demo -- --record",
  ),
  live: newest<LiveRow>(
    "test/bench/live.jsonl",
    ({ page }) => page === "search",
    "npm run docs:build && npm run bench:live",
  ),
  install: newest<InstallRow>("test/bench/install.jsonl", ({ host }) => host === "vite 8", "npm run bench:install"),
  bytes: readFileSync(join(repository, "docs/bytes.md"), "utf8"),
  onnx: JSON.parse(readFileSync(join(repository, "docs/package.json"), "utf8")).devDependencies["onnxruntime-web"],
});

/** "2026-11-24T04:09:02Z" → "24 November 2026". */
function dayOf(date: string): string {
  const [year, month, day] = ["numeric", "long", "numeric"] as const;
  return new Intl.DateTimeFormat("en-GB", { year, month, day, timeZone: "UTC" }).format(new Date(date));
}

/** "gcc (Debian 12.2.0-14+deb12u1) 12.2.0" → "gcc 12.2.0". */
const compilerOf = (version: string): string => version.replace(/ \(.*\)/, "");

const placeOf = ({ cpu, codegen, date }: Provenance): string => `${cpu}, code generator ${codegen}, ${dayOf(date)}`;

/** The least and the greatest: "46 to 47", or "47" where they are one. */
function rangeOf(values: readonly number[], text: (value: number) => string): string {
  const [least, most] = [text(Math.min(...values)), text(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

const ones = (value: number): string => value.toFixed(0);
const tenths = (value: number): string => value.toFixed(1);
const milliseconds = (seconds: number): string => (seconds * 1000).toFixed(0);
/** "1.14 ms" → "1.1 ms", "19.3 kB" → "19 kB". */
const rounded = (figure: string): string =>
  figure.replace(/^[\d.]+/, (value) => String(Number(Number(value).toPrecision(2))));

function liveLines({ live, onnx }: Rows): readonly string[] {
  const cells = (name: string): readonly [bytes: string, time: string] => {
    const row = live.rows.find((text) => text.includes(name)) ?? "";
    const [, bytes = "", time = ""] =
      /(–|[\d.]+ [kM]B)([\d.]+ [mµn]?s)/.exec(row.slice(row.indexOf(name) + name.length)) ?? [];
    if (time === "") throw new Error(`the newest row of the live page has no times of ${name}`);
    return [bytes === "–" ? "0 kB" : bytes, rounded(time)];
  };
  const [script, foreign, ours] = [cells("plain JavaScript"), cells("onnxruntime-web"), cells("unplugin-kernel")];
  return [
    `| plain JavaScript, four sums at once | ${script.join(" | ")} |`,
    `| onnxruntime-web ${onnx.replace(/\.\d+$/, "")} | ${foreign.join(" | ")} |`,
    `| unplugin-kernel | ${rounded(ours[0])} ([by import](docs/bytes.md)) | ${ours[1]} |`,
  ];
}

interface TunedDemo {
  readonly gflops: string;
  /** GFLOP/s of the fastest app. */
  readonly most: number;
  /** Seconds of the build that tuned: the first of the first host. */
  readonly tuning: string;
  readonly fromLock: readonly number[];
}

function tunedIn({ runs }: DemoRow, isNative: boolean): TunedDemo | null {
  const own = runs.filter(({ variant, twin }) => variant === "tuned schedule" && (twin === "native") === isNative);
  if (own.length === 0) return null;
  const rates = own.map(({ gflops }) => gflops);
  return {
    gflops: rangeOf(rates, ones),
    most: Math.max(...rates),
    tuning: ones(Math.max(...own.map(({ first }) => first))),
    fromLock: own.map(({ second }) => second),
  };
}

function demoLines({ demo }: Rows): readonly string[] {
  const [wasm, native] = [tunedIn(demo, false), tunedIn(demo, true)];
  if (!wasm || !native) throw new Error("the newest row of the demo has no native kernels: it wants gcc or clang");
  const loops = demo.runs.filter(({ twin }) => twin === "reference").map(({ gflops }) => gflops);
  // A core that was disturbed while its limit was measured has a limit below the kernel: it says nothing then.
  const of = (core: number | null, { most }: TunedDemo): string =>
    core === null || core < most ? "" : `, of ${ones(core)} that the core can do`;
  const command = "`npm run demo`";
  const fromLock = rangeOf([...wasm.fromLock, ...native.fromLock], milliseconds);
  return [
    `| product of two 512 × 512 matrices of f32, WASM | ${wasm.gflops} GFLOP/s${of(demo.core.wasm, wasm)}; plain JavaScript loops ${rangeOf(loops, tenths)} | ${command} |`,
    `| the same, native | ${native.gflops} GFLOP/s${of(demo.core.native, native)} | ${command} |`,
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
  const further = (ten[0] - first[0]) / 9;
  const solver = install.largest.find((text) => text.startsWith("z3-solver "))?.split(" ")[1];
  if (solver === undefined) throw new Error("the newest row of the install does not name the solver");
  return [
    `| code of a page, minified, beside ${ones(first[1])} to ${ones(convolution[1])} kB of WASM a kernel | ${tenths(first[0])} kB for the first kernel, ${tenths(further)} kB for each further one | \`npx vitest run test/docs/bytes.test.ts\` |`,
    `| what an install adds to a Vite 8 project (${dayOf(install.when)}) | ${ones(install.bytes / 1e6)} MB, of which the solver z3 is ${ones(Number(solver))} | \`npm run bench:install\` |`,
  ];
}

/** The README with its figures replaced by those of the rows. */
export function withFigures(readme: string, rows: Rows): string {
  const { live, demo } = rows;
  const compiler = demo.measured.compiler ? `${compilerOf(demo.measured.compiler)}, ` : "";
  const put = (text: string, pattern: RegExp, lines: string): string => {
    if (!pattern.test(text)) throw new Error(`README.md has no ${pattern}`);
    return text.replace(pattern, () => lines);
  };
  const intro = `one thread, Chromium ${live.browser.split(".")[0]}, ${placeOf(live.measured)}\n`;
  const machine = `One thread of an ${placeOf(demo.measured)}, ${compiler}Node ${demo.measured.node.slice(1)}.\n`;
  let text = put(readme, /(?<=^A query over .* in a page,\n)one thread, .*\n/m, intro);
  text = put(text, /(?<=^\| \| the page loads \| one query \|\n.*\n)(\|.*\n){3}/m, `${liveLines(rows).join("\n")}\n`);
  text = put(text, /(?<=^## Five figures\n\n).*\n/m, machine);
  const figures = [...demoLines(rows), ...byteLines(rows)];
  return put(text, /(?<=^\| what \| figure \| command \|\n.*\n)(\|.*\n){5}/m, `${figures.join("\n")}\n`);
}
