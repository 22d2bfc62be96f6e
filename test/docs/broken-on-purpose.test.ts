// The table of docs/store.md on what was broken on purpose names tests: those are there.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const rows = [
  ...readFileSync(join(repository, "docs/store.md"), "utf8").matchAll(
    /^\| ([^|]+) \|[^|]+\| `(test\/[^`]+)`: ([^|]+) \|$/gm,
  ),
].map(([, what = "", file = "", name = ""]) => ({ what: what.trim(), file, name: name.trim() }));

function mistakeIn({ file, name }: { readonly file: string; readonly name: string }): string | null {
  if (!existsSync(join(repository, file))) return `there is no ${file}`;
  return readFileSync(join(repository, file), "utf8").includes(name) ? null : `${file} has no test "${name}"`;
}

test("each row names a test that is there", () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.map(mistakeIn).filter((mistake) => mistake !== null)).toEqual([]);
});

test("a test that is not there would be seen", () => {
  expect(mistakeIn({ file: "test/none.test.ts", name: "x" })).toBe("there is no test/none.test.ts");
  const file = "test/tuner/store/store.test.ts";
  expect(mistakeIn({ file, name: "a flipped coin" })).toBe(`${file} has no test "a flipped coin"`);
});
