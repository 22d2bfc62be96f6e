// A schedule that nobody would write: a drawn one with a few of its instructions changed, left out, doubled or elsewhere. Locks, stores
// and hand-written schedules may hold such.

import { decodeTrace, type Trace, traceSchema } from "../../src/compiler/index.ts";
import type { Rng } from "../../src/tuner/support/rng.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Values of each key in all instructions, of which a changed one takes another. */
type Vocabulary = ReadonlyMap<string, readonly Json[]>;

function vocabularyOf(trace: Trace): Vocabulary {
  const words = new Map<string, Json[]>();
  const note = (key: string, value: Json): void => {
    if (Array.isArray(value)) for (const each of value as readonly Json[]) note(key, each);
    else if (value !== null && typeof value === "object")
      for (const [inner, each] of Object.entries(value)) note(inner, each);
    else words.set(key, [...(words.get(key) ?? []), value]);
  };
  for (const { kind: _, ...fields } of trace) note("", fields as unknown as Json);
  return words;
}

const otherNumber = (value: number, rng: Rng): number =>
  rng.pick([value + 1, value - 1, value * 2, Math.floor(value / 2), 0, 1, 2, 3, 64, -1]);

/** Tails are named by few schedules, and loops by all. */
const tails = ["perfect", "shift", "guard", "cut", "mask"];

function otherOf(key: string, value: Json, words: Vocabulary, rng: Rng): Json {
  if (Array.isArray(value)) {
    const all = value as readonly Json[];
    if (all.length === 0) return all;
    const at = rng.below(all.length);
    const how = rng.below(4);
    if (how === 0) return all.toSpliced(at, 1);
    if (how === 1) return all.toSpliced(at, 0, all[rng.below(all.length)]!);
    return all.with(at, otherOf(key, all[at]!, words, rng));
  }
  if (value !== null && typeof value === "object") {
    const [inner, old] = rng.pick(Object.entries(value));
    return { ...value, [inner]: otherOf(inner, old, words, rng) };
  }
  if (typeof value === "number") return otherNumber(value, rng);
  if (typeof value === "boolean") return !value;
  return rng.pick(key === "tail" ? tails : (words.get(key) ?? [value]));
}

/** Another tail for a split, or other factors of the same product: such a schedule is mostly legal, and goes through all passes. */
function changedSplit(trace: readonly Json[], rng: Rng): readonly Json[] {
  const splits = (trace as unknown as Trace).filter((each) => each.kind === "split");
  if (splits.length === 0) return trace;
  const split = rng.pick(splits);
  const at = (trace as unknown as Trace).indexOf(split);
  if (rng.below(2) === 0) return trace.with(at, { ...split, tail: rng.pick(tails) });
  const [from, to] = [rng.below(split.factors.length), rng.below(split.factors.length)];
  const factor = split.factors[from]!;
  const part = factor % 2 === 0 ? 2 : factor;
  const factors = split.factors.with(from, factor / part).with(to, split.factors[to]! * part);
  return trace.with(at, { ...split, factors: from === to ? split.factors : factors });
}

/** Changes one thing. */
function changed(trace: readonly Json[], words: Vocabulary, rng: Rng): readonly Json[] {
  const at = rng.below(trace.length);
  const old = trace[at] as { readonly [key: string]: Json };
  switch (rng.below(12)) {
    case 0:
      return trace.toSpliced(at, 1);
    case 1:
      return trace.toSpliced(rng.below(trace.length + 1), 0, old);
    case 2:
      return trace.toSpliced(at, 1).toSpliced(rng.below(trace.length), 0, old);
    case 3:
    case 4:
    case 5: {
      const keys = Object.keys(old).filter((key) => key !== "kind");
      if (keys.length === 0) return trace;
      const key = rng.pick(keys);
      return trace.with(at, { ...old, [key]: otherOf(key, old[key]!, words, rng) });
    }
    default:
      return changedSplit(trace, rng);
  }
}

/** Changes one to three things; null: it is no trace any more. */
export function mutateTrace(trace: Trace, rng: Rng): Trace | null {
  const words = vocabularyOf(trace);
  let mutated = trace as unknown as readonly Json[];
  for (let left = 1 + rng.below(3); left > 0 && mutated.length > 0; left--) mutated = changed(mutated, words, rng);
  const parsed = decodeTrace({ schema: traceSchema, trace: mutated });
  return parsed.kind === "ok" ? parsed.trace : null;
}
