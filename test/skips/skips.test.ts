// Skips that a run accepts: those that are listed for what the machine lacks, and in CI none of what CI has to have.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import picomatch from "picomatch";
import { expect, test } from "vitest";
import { complaintOf, type Environment, listed, type SkipList, stalePatterns } from "./check.js";
import { isHere, names } from "./environment.js";

const list: SkipList = {
  needs: { browser: { inCI: true, what: "apt-get install browser" }, tiles: { inCI: false, what: "another CPU" } },
  skips: [
    { lacks: ["browser"], reason: "", tests: [{ files: "test/page/*.test.ts", names: "" }] },
    { lacks: ["tiles"], reason: "", tests: [{ files: "test/{page,cpu}/**", names: "^on tiles" }] },
  ],
};

const machine = (has: readonly string[], isCI: boolean, declined: readonly string[] = []): Environment => ({
  isCI,
  isHere: (name) => has.includes(name),
  isDeclined: (name) => declined.includes(name),
});

const page = { file: "test/page/a.test.ts", name: "shows it" };
const tiles = { file: "test/cpu/deep/b.test.ts", name: "on tiles it is the same" };

test.each([
  ["a user's machine may lack both", page, machine([], false), null],
  ["a user's machine may lack what CI may lack", tiles, machine([], false), null],
  ["CI may lack some things", tiles, machine([], true), null],
  [
    "CI may not lack others",
    page,
    machine([], true),
    "CI has to have what it needs: browser (apt-get install browser)",
  ],
  ["but for those that somebody does without", page, machine([], true, ["browser"]), null],
  ["what is here is no reason", page, machine(["browser"], false), "what it needs is here: browser"],
  ["the list is by file", { ...tiles, file: "test/c.test.ts" }, machine([], false), "no skip of it is listed"],
  ["and by name", { ...tiles, name: "it is on tiles" }, machine([], false), "no skip of it is listed"],
  ["one reason of two is enough", { ...page, name: "on tiles" }, machine(["browser"], true), null],
] as const)("%s", (_, skipped, environment, complaint) => {
  expect(complaintOf(skipped, environment, list)).toBe(complaint);
});

test("a pattern that fits no test is told", () => {
  expect(stalePatterns([page, tiles], list)).toEqual([]);
  expect(stalePatterns([tiles], list)).toEqual([{ files: "test/page/*.test.ts", names: "" }]);
});

test("the list that is committed speaks of needs that it explains and that are looked for", () => {
  const used = listed.skips.flatMap(({ lacks }) => lacks);
  expect([...new Set(used)].sort()).toEqual(Object.keys(listed.needs).sort());
  expect(Object.keys(listed.needs).sort()).toEqual([...names].sort());
  for (const name of names) expect(isHere(name), name).toBeTypeOf("boolean");
});

/** The patterns that one with `{a,b}` stands for: `test/{a,b}.test.ts` → test/a.test.ts, test/b.test.ts. */
function alternatives(files: string): readonly string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(files) ?? [];
  return whole === undefined
    ? [files]
    : choices!.split(",").flatMap((choice) => alternatives(files.replace(whole, choice)));
}

test("each of its patterns, with each of its alternatives, is of a file that there is, and gives a reason", () => {
  const folders = readdirSync("test", { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "tools",
  );
  const found = folders.flatMap(({ name }) =>
    readdirSync(join("test", name), { recursive: true, encoding: "utf8" }).map((path) => `${name}/${path}`),
  );
  const paths = found.filter((path) => path.endsWith(".test.ts")).map((path) => `test/${path.replaceAll("\\", "/")}`);
  for (const { reason, tests } of listed.skips) {
    expect(reason).not.toBe("");
    for (const files of tests.flatMap((pattern) => alternatives(pattern.files))) {
      const isFile = picomatch(files);
      expect(
        paths.some((path) => isFile(path)),
        files,
      ).toBe(true);
    }
  }
});
