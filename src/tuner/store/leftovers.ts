// Files in a cache directory that nobody will use: halves that a killed build left, and addons that no built kernel names any more.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { youngMs } from "./garbage.ts";
import { ifReadable } from "./if-readable.ts";
import type { StoredItem } from "./store-contents.ts";

export interface Leftover {
  readonly path: string;
  readonly bytes: number;
}

/** Digits of an addon's digest that its file is called by. */
const addonFile = /-([0-9a-f]{16})\.node$/;

/**
 * Finds them; what is younger than an hour may be in use, and is none. `kept`: items of the store that stay. While one of them cannot be read,
 * all addons stay: it may name any.
 */
export function leftovers(directory: string, kept: readonly StoredItem[], now: number): readonly Leftover[] {
  const areNamesKnown = kept.every(({ kind }) => kind !== "unreadable");
  const named = new Set(
    kept.flatMap(({ names }) => names.map((name) => name.slice("blob:".length, "blob:".length + 16))),
  );
  const isLeft = (folder: string, name: string): boolean => {
    if (folder === "tmp" || name.endsWith(".tmp")) return true;
    const digits = folder === "addons" && areNamesKnown ? addonFile.exec(name)?.[1] : undefined;
    return digits !== undefined && !named.has(digits);
  };
  return ["", "tmp", "addons"].flatMap((folder) =>
    namesIn(join(directory, folder))
      .filter((name) => isLeft(folder, name))
      .flatMap((name) => leftover(join(directory, folder, name), now)),
  );
}

/** Removes them; returns those that the system did not let us remove, as Windows does while an addon is loaded. */
export function removeLeftovers(found: readonly Leftover[]): readonly Leftover[] {
  return found.filter(({ path }) => {
    try {
      rmSync(path, { recursive: true, force: true });
      return false;
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      return true;
    }
  });
}

function namesIn(folder: string): readonly string[] {
  return ifReadable(() => readdirSync(folder)) ?? [];
}

function leftover(path: string, now: number): readonly Leftover[] {
  const file = ifReadable(() => statSync(path));
  return file && file.mtimeMs < now - youngMs ? [{ path, bytes: file.size }] : [];
}
