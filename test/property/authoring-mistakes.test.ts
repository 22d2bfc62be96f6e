// Mistakes planted in operator files: each is refused, at a line of the file, in words that help.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DiagnosticError, instantiate } from "../../src/compiler/index.ts";
import { loadOp } from "../../src/plugin/operator/load-op.ts";
import { mistakeNames, mistakesIn, type Planted } from "../support/authoring/mistakes.ts";
import { sources } from "../support/authoring/sources.ts";
import { inTurn } from "../support/long.ts";
import { inFolder } from "../support/op-file.ts";

const path = "src/x.op.ts";

/** What the build says to the text; null: nothing. */
const errorOf = (text: string): Promise<unknown> =>
  inFolder({ [path]: text }, async (root) => {
    try {
      const { op } = await loadOp(join(root, path), { root, store: null });
      instantiate(op, {}, "x");
      return null;
    } catch (error) {
      return error;
    }
  });

/** What is wrong with an error; null: it is as a user needs it. */
function complaintOf(error: unknown, text: string): string | null {
  if (error === null) return "it is accepted";
  if (!(error instanceof DiagnosticError))
    return `it is no diagnostic: ${error instanceof Error ? error.stack : error}`;
  const { loc, hint } = error.diagnostic;
  const line = loc?.file === path ? text.split("\n")[loc.line - 1] : undefined;
  if (loc === null || line === undefined || loc.column > line.length + 1)
    return `it has no place in the file: ${error}`;
  const isOfEngine = engineCodes.includes(error.diagnostic.code);
  if (hint === null && !isOfEngine) return `it has no hint: ${error}`;
  const leaked = leaks.exec(isOfEngine ? (hint ?? "") : `${error.diagnostic.message} ${hint}`)?.[0];
  return leaked === undefined || text.includes(leaked) ? null : `${leaked} is in its words: ${error}`;
}

/** Codes of errors that are told in the words of JavaScript or the bundler. */
const engineCodes = ["op.syntax", "op.threw"];

/** Marks of a value that became text by accident, or of a stack. */
const leaks = /\[object|Symbol\(|undefined|NaN|function ?\w*\(|\bat .*:\d+:\d+/;

/** Most texts of one mistake in one source that are built; AUTHORING_MOST=9999 builds all. */
const most = Number(process.env.AUTHORING_MOST ?? 12);

/** Every nth, so that there are `most`. */
const thinned = <T>(all: readonly T[]): readonly T[] => {
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, at) => at % step === 0);
};

/** Texts by the mistake that is planted in them. */
function grouped(planted: readonly Planted[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { what, text } of planted) groups.set(what, [...(groups.get(what) ?? []), text]);
  return groups;
}

const turn = inTurn(4);

describe.each(Object.entries(sources))("%s", (_, source) => {
  test("is right without a mistake", async () => {
    expect(await errorOf(source)).toBeNull();
  });

  const planted = grouped(mistakesIn(source));
  turn.each([...planted.keys()])("%s", async (what) => {
    const complaints: string[] = [];
    for (const text of thinned(planted.get(what)!)) {
      const complaint = complaintOf(await errorOf(text), text);
      if (complaint !== null) complaints.push(`${complaint}\n${text}`);
    }
    expect(complaints).toEqual([]);
  });
});

test("each mistake fits one of the sources", () => {
  const planted = new Set(Object.values(sources).flatMap((source) => mistakesIn(source).map(({ what }) => what)));
  expect(mistakeNames.filter((name) => !planted.has(name))).toEqual([]);
});
