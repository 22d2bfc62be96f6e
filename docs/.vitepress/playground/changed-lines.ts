// Two texts → the lines of the second, each with whether the first lacks it.

import { diffLines } from "diff";

export interface Line {
  readonly text: string;
  readonly isNew: boolean;
}

/** @param before null: there is nothing to compare with, and nothing is new */
export function changedLines(before: string | null, after: string): readonly Line[] {
  const lines = (text: string): readonly string[] => text.replace(/\n$/, "").split("\n");
  if (before === null) return lines(after).map((text) => ({ text, isNew: false }));
  return diffLines(`${before}\n`, `${after}\n`)
    .filter(({ removed }) => !removed)
    .flatMap(({ value, added }) => lines(value).map((text) => ({ text, isNew: added })));
}
