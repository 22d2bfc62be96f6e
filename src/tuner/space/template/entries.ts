// Entries of a space, from which it gets its templates: the rules, templates that a user wrote, or both.

import { mistakeAt } from "./author-mistake.ts";
import type { AuthoredTemplate } from "./template.ts";

/** A template that a user wrote, or "generated" for those that the rules make. */
export type SpaceEntry = AuthoredTemplate | "generated";

/** Checks that names differ: the search tells templates by their names. */
export function requireDistinctNames(entries: readonly SpaceEntry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    if (entry === "generated") continue;
    const message = `there are two templates "${entry.name}"`;
    if (seen.has(entry.name)) throw mistakeAt(entry.loc, { code: "template.twice", message, hint: null, detail: null });
    seen.add(entry.name);
  }
}
