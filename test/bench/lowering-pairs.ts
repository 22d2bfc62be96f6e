// Lowering of this checkout beside that of another one: a process loads both compilers and lowers the same candidates with
// them in turns, so that what else the machine does falls on both. Which compiler is loaded first has a part in what V8 makes
// of either, as has chance: processes take turns at it, and there are several of them.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Op, opLibrary } from "../../src/compiler/index.ts";

export interface LoweredOperator {
  readonly name: string;
  readonly make: (library: Pick<typeof opLibrary, "gemm" | "conv2d">) => Op;
}

/** Checkout whose compiler it is. */
type Side = "this" | "other";
export const sides: readonly Side[] = ["this", "other"];

/** Processes of each order of loading. */
const rounds = 3;
/** Candidates of a process; the first ones are left out, as in `lowering.ts`. */
const [unmeasured, lowered] = [20, 300];

interface Candidate {
  readonly key: string;
  /** Lowers it, and says how long that took. */
  readonly lower: () => number;
}

interface Compiler {
  /** A function that draws the next candidate of an operator for a target. */
  readonly candidates: (make: LoweredOperator["make"], target: string) => () => Candidate;
}

/** Text of a compiler's module, behind the imports that the checkout's own bench has: files have other places in others. */
const compilerText = `
export function candidates(make, target) {
  const task = { op: instantiate(make(opLibrary), {}, "bench"), target: targets[target], numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const search = searchSpace(space);
  const rng = createRng(1);
  let next = 0;
  return () => {
    const { key, candidate } = drawPoint(search, search.templates[next++ % search.templates.length], rng, {});
    const lower = () => {
      const start = performance.now();
      const { kind } = candidateKernel(task, space, candidate);
      const ms = performance.now() - start;
      if (kind !== "ok") throw new Error(key + " is illegal");
      return ms;
    };
    return { key, lower };
  };
}`;

const bundleOf = (side: Side): string => join(process.cwd(), `dist/test/lowering-${side}.mjs`);

async function bundle(side: Side, checkout: string): Promise<void> {
  const folder = join(checkout, "test/bench");
  const bench = join(folder, "lowering.ts");
  if (!existsSync(bench))
    throw new Error(`${checkout} is no checkout of this project: it has no test/bench/lowering.ts`);
  const imports = readFileSync(bench, "utf8").match(/^import [^;]*"\.\.\/\.\.\/src\/[^;]*;$/gm) ?? [];
  await build({
    stdin: { contents: `${imports.join("\n")}\n${compilerText}`, resolveDir: folder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: bundleOf(side),
    logLevel: "warning",
  });
}

/** Ratios of this checkout's time to the other's, by operator and target. */
type Ratios = Readonly<Record<string, readonly number[]>>;

/** Measures in this process, which has loaded neither compiler before. Prints `Ratios`. */
export async function measureInTurns(
  first: string,
  operators: readonly LoweredOperator[],
  targets: readonly string[],
): Promise<void> {
  const compilers: Partial<Record<Side, Compiler>> = {};
  for (const side of sides.toSorted((a, b) => Number(b === first) - Number(a === first))) {
    compilers[side] = await import(pathToFileURL(bundleOf(side)).href);
  }
  const ratios: Record<string, number[]> = {};
  for (const { name, make } of operators) {
    for (const target of targets) {
      const [ours, theirs] = sides.map((side) => compilers[side]!.candidates(make, target)) as [Next, Next];
      ratios[`${name.padEnd(34)} ${target.padEnd(7)}`] = ratiosOf(ours, theirs);
    }
  }
  console.log(JSON.stringify(ratios));
}

type Next = ReturnType<Compiler["candidates"]>;

function ratiosOf(ours: Next, theirs: Next): number[] {
  const ratios: number[] = [];
  for (let at = 0; at < lowered; at++) {
    const [our, their] = [ours(), theirs()];
    if (our.key !== their.key)
      throw new Error(`candidate ${at} is ${our.key} here and ${their.key} in the other checkout`);
    const early = at % 2 === 0 ? our.lower() : their.lower();
    const late = at % 2 === 0 ? their.lower() : our.lower();
    if (at >= unmeasured) ratios.push(at % 2 === 0 ? early / late : late / early);
  }
  return ratios;
}

function ratiosOfProcess(first: Side): Ratios {
  const { status, stdout } = spawnSync(process.execPath, [process.argv[1]!, "--first", first], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("the compilers could not be compared");
  return JSON.parse(stdout);
}

/** Prints the median ratios for each operator and target, by which compiler was loaded first, and for all of them together. */
export async function compareWith(checkout: string): Promise<void> {
  await bundle("this", process.cwd());
  await bundle("other", resolve(checkout));
  const found: Record<Side, Record<string, number[]>> = { this: {}, other: {} };
  for (let round = 0; round < rounds; round++) {
    for (const first of sides) {
      for (const [name, ratios] of Object.entries(ratiosOfProcess(first))) {
        for (const key of [name, all]) found[first][key] = [...(found[first][key] ?? []), ...ratios];
      }
    }
  }
  console.log(`time of this checkout to that of ${checkout}: medians by which of them was loaded first, and of both`);
  for (const name of Object.keys(found.this).sort((a, b) => Number(a === all) - Number(b === all))) {
    const [ours, theirs] = [found.this[name]!, found.other[name]!];
    const [a, b, both] = [ours, theirs, [...ours, ...theirs]].map((each) => median(each).toFixed(3));
    console.log(`${name} this ${a}, the other ${b}, both ${both}`);
  }
}

const all = "all".padEnd(42);

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
