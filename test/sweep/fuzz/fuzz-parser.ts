// Damaged inputs through one parser. Each input is a function of seed and number alone, so a run may be taken apart, or one input repeated.

import { createRng } from "../../../src/tuner/support/rng.ts";
import { cutSeed, drawInput } from "./mutate.ts";
import type { FuzzedParser, Read } from "./parser.ts";

/** No input may take longer: the largest have a megabyte, and a parser that is linear takes some milliseconds for it. */
export const mostMs = 500;

/** Bytes that the process may grow by beyond what it has when it begins. */
export const mostBytes = 1e9;

export interface Problem {
  /** Number of the input; `--from` repeats it. */
  readonly at: number;
  readonly what: string;
  readonly input: string;
}

export interface Fuzzed {
  readonly inputs: number;
  readonly accepted: number;
  readonly slowest: { readonly at: number; readonly ms: number; readonly length: number };
  /** Most resident bytes seen. */
  readonly residentBytes: number;
  readonly problems: readonly Problem[];
}

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first input. */
  readonly from: number;
  readonly inputs: number;
  /** The run ends after so many problems. Default: 20. */
  readonly mostProblems?: number;
  /** Told of each input before it is read. */
  readonly onInput?: (at: number) => void;
}

/** One input in so many is a seed cut short: they go through all seeds and all their bytes, one by one. */
const cutEvery = 16;

export const inputOf = (seeds: readonly string[], seed: number, at: number): string =>
  at % cutEvery === cutEvery - 1
    ? cutSeed(seeds, seed + Math.floor(at / cutEvery))
    : drawInput(createRng(((seed * 0x9e3779b1) ^ (at * 0x85ebca6b)) >>> 0), seeds);

export async function fuzzParser(
  parser: FuzzedParser,
  { seed, from, inputs, mostProblems = 20, onInput }: FuzzOptions,
): Promise<Fuzzed> {
  const seeds = parser.seeds();
  if (seeds.length === 0) throw new Error(`${parser.name} has no seeds`);
  for (const text of seeds)
    if ((await parser.read(text)) === null) throw new Error(`${parser.name} refuses its own seed: ${text}`);
  const problems: Problem[] = [];
  const first = process.memoryUsage.rss();
  let [accepted, done, residentBytes] = [0, 0, first];
  let slowest = { at: from, ms: 0, length: 0 };
  for (let at = from; at < from + inputs && problems.length < mostProblems; at++, done++) {
    onInput?.(at);
    const input = inputOf(seeds, seed, at);
    const { what, ms, isAccepted } = await tryInput(parser, input);
    if (isAccepted) accepted += 1;
    if (ms > slowest.ms) slowest = { at, ms, length: input.length };
    if (what !== null) problems.push({ at, what, input });
    if (at % 1000 === 0) residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
  }
  if (residentBytes - first > mostBytes)
    problems.push({ at: from, what: `the process grew by ${residentBytes - first} bytes`, input: "" });
  return { inputs: done, accepted, slowest, residentBytes, problems };
}

interface Tried {
  readonly what: string | null;
  readonly ms: number;
  readonly isAccepted: boolean;
}

export async function tryInput(
  { read, isPrinted = true }: FuzzedParser,
  input: string,
  limitMs = mostMs,
): Promise<Tried> {
  const start = performance.now();
  try {
    const answer = read(input);
    const printed = answer instanceof Promise ? await answer : answer;
    const ms = performance.now() - start;
    const what =
      polluted() ??
      (ms > limitMs ? await tooSlow(read, input, limitMs) : null) ??
      (isPrinted ? await otherOf(read, printed) : null);
    return { what, ms, isAccepted: printed !== null };
  } catch (error) {
    const what = `it throws ${error instanceof Error ? error.stack : String(error)}`;
    return { what, ms: performance.now() - start, isAccepted: false };
  }
}

/** Another program may have had the processor: an input is slow if it takes that much of the processor every time. */
async function tooSlow(read: FuzzedParser["read"], input: string, limitMs: number): Promise<string | null> {
  let least = Number.POSITIVE_INFINITY;
  for (let again = 0; again < 3; again++) {
    const start = process.cpuUsage();
    await read(input);
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least > limitMs ? `it takes ${least.toFixed(0)} ms` : null;
}

/** What was accepted prints, and reads again as the same. */
async function otherOf(read: FuzzedParser["read"], printed: Read): Promise<string | null> {
  if (printed === null) return null;
  const again = await read(printed);
  if (again === null) return `what was accepted is refused when it is printed: ${printed}`;
  return again === printed ? null : `what was accepted is another when it is read again: ${printed} → ${again}`;
}

function polluted(): string | null {
  for (const name in {}) {
    delete (Object.prototype as Record<string, unknown>)[name];
    return `Object.prototype has ${name}`;
  }
  return null;
}
