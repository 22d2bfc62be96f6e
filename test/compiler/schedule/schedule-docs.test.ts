// docs/schedule.md names every primitive in its table, and no others.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { primitives } from "../../../src/compiler/schedule/primitive/index.ts";

const text = readFileSync(new URL("../../../docs/schedule.md", import.meta.url), "utf8");
const section = (title: string): string => text.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;

test("every primitive has its row", () => {
  const rows = [...section("Primitives").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(Object.keys(primitives).toSorted());
});

test("what is called a primitive is there", () => {
  const cells = section("What other schedulers have")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const named = cells.flatMap((line) =>
    [...line.matchAll(/\*\*primitive\*\* ((?:`[a-z-]+`(?:, )?)+)/g)].flatMap(([, names]) =>
      [...names!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!),
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !Object.hasOwn(primitives, name))).toEqual([]);
});
