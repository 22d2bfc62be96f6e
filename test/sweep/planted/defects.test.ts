// The list of defects stays as the sources are: each names a text that its file has once, and tests that there are.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import defects from "./defects.json" with { type: "json" };

test.each(defects)("$name", ({ file, now, then, ...rest }) => {
  expect(readFileSync(file, "utf8").split(now), `${file} has this text once: ${now}`).toHaveLength(2);
  expect(then).not.toBe(now);
  if ("tests" in rest) expect(existsSync(rest.tests!)).toBe(true);
});

test("names are all different: they are what is asked for", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
});
