// Every parser of outside data takes some thousand damaged inputs; `npm run test:fuzz` takes a million for each. And the harness sees what it
// is there for: parsers that crash, accept what they print otherwise, hang, or pollute.

import { describe, expect, test } from "vitest";
import { isLong } from "../../support/long.ts";
import { fuzzParser, inputOf, tryInput } from "./fuzz-parser.ts";
import type { FuzzedParser } from "./parser.ts";
import { parsers } from "./parsers/index.ts";

/** Few, as a suite beside others has a minute for all of them. Inputs of a megabyte, one of five thousand, are the sweep's. */
const inputs = isLong ? 2000 : 300;

test.each(parsers.map((parser) => [parser.name, parser] as const))("%s takes damaged inputs", async (_, parser) => {
  const wanted = Math.ceil(inputs * (parser.share ?? 1));
  const {
    problems,
    accepted,
    inputs: done,
  } = await fuzzParser(parser, {
    seed: 20_261_125,
    from: 0,
    inputs: wanted,
  });
  expect(problems).toEqual([]);
  expect(done).toBe(wanted);
  // Seeds as they are come again and again: a parser that refuses all would show nothing.
  expect(accepted).toBeGreaterThan(wanted / 20);
});

describe("a parser is found out that", () => {
  const seeds = (): readonly string[] => ["seed"];
  const bad: readonly [string, FuzzedParser["read"], string][] = [
    ["crashes", () => JSON.parse("{"), "it throws SyntaxError"],
    ["crashes later", async () => JSON.parse("{"), "it throws SyntaxError"],
    ["prints what it refuses", (text) => (text === "seed" ? "other" : null), "is refused when it is printed"],
    ["prints something else", (text) => `${text}.`, "is another when it is read again"],
    [
      "pollutes",
      (text) => {
        Object.assign(Object.prototype, { polluted: 1 });
        return text;
      },
      "Object.prototype has polluted",
    ],
    [
      "hangs",
      (text) => {
        const start = process.cpuUsage();
        for (let left = 1e5; ; left--) {
          const { user, system } = process.cpuUsage(start);
          if (left < 0 || user + system > 60_000) break;
        }
        return text;
      },
      "it takes ",
    ],
  ];

  test.each(bad)("%s", async (_, read, what) => {
    expect((await tryInput({ name: "bad", seeds, read }, "seed", 20)).what).toContain(what);
    expect("polluted" in {}).toBe(false);
  });
});

test("an input is a function of seed and number", () => {
  const seeds = parsers[0]!.seeds();
  const all = Array.from({ length: 50 }, (_, at) => inputOf(seeds, 7, at));
  expect(all).toEqual(Array.from({ length: 50 }, (_, at) => inputOf(seeds, 7, at)));
  expect(new Set(all).size).toBeGreaterThan(30);
  expect(all).not.toEqual(Array.from({ length: 50 }, (_, at) => inputOf(seeds, 8, at)));
});
