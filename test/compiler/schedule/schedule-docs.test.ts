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

test("what is planned is no primitive yet, and what is called one is there", () => {
  const cells = section("What other schedulers have")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const named = cells.flatMap((line) =>
    [...line.matchAll(/\*\*primitive\*\* ((?:`[a-z-]+`(?:, )?)+)(\*planned\*)?/g)].flatMap(([, names, planned]) =>
      [...names!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => ({ name: name!, planned: planned !== undefined })),
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  for (const { name, planned } of named)
    expect({ name, planned: !Object.hasOwn(primitives, name) }).toEqual({ name, planned });
});
