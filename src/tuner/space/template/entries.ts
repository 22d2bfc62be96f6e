// How a space comes to its templates: by rules, by templates that someone wrote, or by both.

import { mistakeAt } from "./author-mistake.ts";
import type { AuthoredTemplate } from "./template.ts";

/** "generated" stands for what the rules make. */
export type SpaceEntry = AuthoredTemplate | "generated";

/** The search tells templates by their names. */
export function requireDistinctNames(entries: readonly SpaceEntry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    if (entry === "generated") continue;
    const message = `there are two templates "${entry.name}"`;
    if (seen.has(entry.name)) throw mistakeAt(entry.loc, { code: "template.twice", message, hint: null, detail: null });
    seen.add(entry.name);
  }
}
