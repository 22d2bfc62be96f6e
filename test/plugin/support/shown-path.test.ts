// Paths in names and messages: relative with forward slashes, and absolute where a relative one would say nothing.

import { join } from "node:path";
import { expect, test } from "vitest";
import { isBelow, shownPath, slashPath } from "../../../src/plugin/support/shown-path.ts";

const root = join("/", "app");

test("a file below a folder is named from there, another one by its whole path", () => {
  expect(shownPath(join(root, "src", "a.op.ts"), root)).toBe("src/a.op.ts");
  expect(shownPath(join(root, "..a"), root)).toBe("..a");
  expect(shownPath("/other/a.op.ts", root)).toBe("/other/a.op.ts");
});

test("a name may lead out of a folder, which is not below it", () => {
  expect(slashPath(root, join("/", "other", "a.op.ts"))).toBe("../other/a.op.ts");
  expect([root, join(root, "a"), "/", "/apple"].map((file) => isBelow(file, root))).toEqual([true, true, false, false]);
});
