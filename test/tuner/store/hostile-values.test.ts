// Numbers, texts and depths that no program of ours writes, at each door by which decisions come in: the lock, a line of a file of
// decisions, an entry of the store, an entry of a remote store, a signature.

import { describe, expect, it } from "vitest";
import { parseActionResult } from "../../../src/plugin/remote/action-result.ts";
import { canonicalJson } from "../../../src/tuner/data/key.ts";
import { lockEntryJson } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { parseExchange, printExchange } from "../../../src/tuner/store/exchange.ts";
import { openEntry } from "../../../src/tuner/store/sealed-entry.ts";
import { parseBundle } from "../../../src/tuner/trust/bundle.ts";
import { decodeDecisionsStatement } from "../../../src/tuner/trust/statement.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { lockEntry } from "./sample-entry.ts";

const decision = decisionWith(key);
const { candidate, source, measured } = decision;
const stored = { kind: "schedule", schema: 1, candidate, source, measured };
const secret = Buffer.alloc(32, 1);
const line = printExchange([decision]).split("\n")[1]!;

/** What a door says of a text: null where it takes it, and what it made of the number in question. */
type Door = (text: string) => { readonly why: string | null; readonly medianNs?: number | undefined };

interface Place {
  readonly read: Door;
  /** A right text, with `"medianNs":…` in it. */
  readonly right: string;
}

const places: Readonly<Record<string, Place>> = {
  "the lock": {
    right: `{"schema":1,"kernels":{"a":${canonicalJson(lockEntryJson(lockEntry))}}}`,
    read(text) {
      const content = parseLockfile(text, "kernels.lock.json");
      if (content.kind === "broken") return { why: content.diagnostic.message };
      // What was read can be written again, with the same signature over it.
      const again = parseLockfile(printLockfile(content.entries), "kernels.lock.json");
      if (again.kind === "broken") throw new Error(again.diagnostic.message);
      expect(canonicalJson([...again.entries])).toBe(canonicalJson([...content.entries]));
      return { why: null, medianNs: content.entries.get("a")?.measured?.medianNs };
    },
  },
  "a file of decisions": {
    right: line,
    read(text) {
      const parsed = parseExchange(`{"format":"unplugin-kernel decisions","schema":1,"decisions":1}\n${text}\n`);
      if (parsed.kind === "wrong") return { why: parsed.problems.map(({ why }) => why).join() };
      return { why: null, medianNs: parsed.decisions[0]?.measured.medianNs };
    },
  },
  "the store": {
    right: canonicalJson(stored),
    read(text) {
      const opened = openEntry(secret, key, Buffer.from(text));
      if (!opened) return { why: "no entry" };
      return { why: null, medianNs: opened.entry.kind === "schedule" ? opened.entry.measured?.medianNs : undefined };
    },
  },
};

describe.each(Object.entries(places))("%s", (_, { right, read }) => {
  const withNumber = (text: string): string => right.replace(/"medianNs":[^,]+/, `"medianNs":${text}`);

  it("takes a number within its bounds, and zero of either sign as zero", () => {
    expect(read(withNumber("1.25e3"))).toEqual({ why: null, medianNs: 1250 });
    expect(read(withNumber("0")).why).toBeNull();
    const negative = read(withNumber("-0"));
    expect([negative.why, canonicalJson(negative.medianNs)]).toEqual([null, "0"]);
  });

  it.each(["1e999", "-1e999", "NaN", "Infinity", "-1", "1e300", "9".repeat(10_000), '"1"', "null", "0x10", "1n", "01"])(
    "refuses the number %.20s",
    (text) => {
      expect(read(withNumber(text)).why).toMatch(/./);
    },
  );

  it("refuses what is nested deeply, at the end or within a field", () => {
    const deep = "[".repeat(30_000);
    for (const text of [deep, deep + "]".repeat(30_000), withNumber(`${deep}${"]".repeat(30_000)}`)])
      expect(read(text).why).toMatch(/./);
  });

  it.each([
    ["a text", (long: string) => withNumber(`"${long}"`)],
    ["the name of a field", (long: string) => withNumber(`1,"${long}":1`)],
    ["a name that is there twice", (long: string) => withNumber(`1,"${long}":1,"${long}":1`)],
    ["a text full of escapes", () => withNumber(`"${"\\n".repeat(5_000_000)}"`)],
  ])("refuses %s of ten million letters, and does not repeat it", (_name, textOf) => {
    const { why } = read(textOf("x".repeat(10_000_000)));
    expect(why).toMatch(/./);
    expect(why!.length).toBeLessThan(1000);
  });

  it("repeats no name with what a terminal would obey, nor all of a long one", () => {
    const { why } = read(withNumber('1,"\\u001b]0;title\\u0007\\u202e":1'));
    expect(why).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(read(withNumber(`1,"${"y".repeat(50_000)}":1`)).why!.length).toBeLessThan(1000);
  });
});

it.each<[string, (text: string) => unknown]>([
  ["an entry of a remote store", (text) => parseActionResult(text)],
  ["a signature", (text) => ("value" in parseBundle(text) ? "taken" : null)],
  ["a statement", (text) => ("value" in decodeDecisionsStatement(Buffer.from(text)) ? "taken" : null)],
])("%s is refused where it is deep, long or no number", (_, read) => {
  const long = "x".repeat(10_000_000);
  for (const text of ["[".repeat(100_000), `{"outputFiles":"${long}"}`, `{"${long}":1}`, `"${long}"`, "1e999", "NaN"])
    expect(read(text)).toBeNull();
});

it.each(["1e999", "-1", "1.5", '"1e3"', "-0.1", "9007199254740993", '"1 "'])(
  "a file of a remote store's entry of %s bytes is refused",
  (bytes) => {
    const digest = `{"hash":"${"0".repeat(64)}","sizeBytes":${bytes}}`;
    expect(parseActionResult(`{"outputFiles":[{"path":"decision.jsonl","digest":${digest}}]}`)).toBeNull();
  },
);
