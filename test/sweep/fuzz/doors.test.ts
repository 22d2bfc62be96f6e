// The list of doors.ts is complete and true: a file that begins to parse text fails this test until a parser is fuzzed for it or a reason is given.

import { Session } from "node:inspector/promises";
import { describe, expect, test } from "vitest";
import { sourceFiles } from "../../support/source-files.ts";
import { door, fuzzed, handsOn, unfuzzed } from "./doors.ts";
import { parsers } from "./parsers/index.ts";

/** The compiler works on its own texts; JSON alone comes from outside. */
const doorOf = (path: string): RegExp => (path.startsWith("src/compiler/") ? /\bJSON\s*\.\s*parse\b/ : door);

const withDoors = sourceFiles()
  .filter(({ path, code }) => path.endsWith(".ts") && code.some((line) => doorOf(path).test(line)))
  .map(({ path }) => path);

const listed = [...Object.keys(fuzzed), ...Object.keys(handsOn), ...Object.values(unfuzzed).flat()];
const names = new Set(parsers.map(({ name }) => name));

test("every file that parses text is listed, once, and no other", () => {
  expect([...listed].sort()).toEqual([...withDoors].sort());
});

test("the list names parsers that there are, and each parser has another name", () => {
  expect(
    Object.values({ ...fuzzed, ...handsOn })
      .flat()
      .filter((name) => !names.has(name)),
  ).toEqual([]);
  expect(names.size).toBe(parsers.length);
});

describe("the seeds of a parser run the code that it is listed for", () => {
  /** Files of src in which a function ran, by the engine's own count. */
  async function filesRunBy(run: () => Promise<void>): Promise<ReadonlySet<string>> {
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      await session.post("Profiler.takePreciseCoverage");
      await run();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const ran = result.filter(({ functions }) =>
        functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
      );
      return new Set(ran.flatMap(({ url }) => /src\/[^?]*\.ts/.exec(url)?.[0] ?? []));
    } finally {
      session.disconnect();
    }
  }

  const filesOf = (name: string): readonly string[] =>
    Object.entries(fuzzed).flatMap(([file, by]) => (by.includes(name) ? [file] : []));

  test.each(parsers.filter(({ name }) => filesOf(name).length > 0))("$name", async ({ name, seeds, read }) => {
    const ran = await filesRunBy(async () => {
      for (const seed of seeds()) await read(seed);
    });
    expect(filesOf(name).filter((file) => !ran.has(file))).toEqual([]);
  });
});
