// Golden files: one a case, with titled sections. `UPDATE_GOLDENS=1 npx vitest run test/golden` writes them anew; a change
// of theirs is read in the diff and goes into a commit of its own.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

export interface Section {
  readonly title: string;
  readonly text: string;
}

const width = 100;

/** Compares with test/golden/NAME.expect.txt. */
export function expectGolden(name: string, sections: readonly Section[]): void {
  const url = new URL(`../golden/${name}.expect.txt`, import.meta.url);
  const text = sections.map(printSection).join("\n");
  if (process.env.UPDATE_GOLDENS === "1") writeFileSync(url, text);
  const wanted = existsSync(url) ? readFileSync(url, "utf8") : "";
  expect(text, "UPDATE_GOLDENS=1 npx vitest run test/golden").toBe(wanted);
}

const printSection = ({ title, text }: Section): string =>
  `── ${title} ${"─".repeat(width - title.length)}\n${text.trimEnd()}\n`;
