// Lists what lies in a store and is not of this user's builds: for people. Builds use none of it unchecked.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../../native/file/regular-file.ts";
import { ifReadable } from "./if-readable.ts";
import { isForged } from "./read-cacache.ts";
import { storedItems } from "./store-contents.ts";

export interface ForeignItem {
  /** Name for people: "addon, facts", "decision", "index line". */
  readonly what: string;
  /** Key that leads to it; null: it is an index line without one. */
  readonly key: string | null;
}

const codeRoles = ["code", "map", "guards", "inputs"];

/** Names the content of an artifact by the roles of its blobs. */
const nameOf = (roles: readonly string[]): string =>
  roles.includes("code") && roles.every((role) => codeRoles.includes(role)) ? "bundled operator" : roles.join(", ");

export async function foreignItems(directory: string): Promise<readonly ForeignItem[]> {
  const items = (await storedItems(directory)).flatMap(({ key, kind, isForeign, roles }): ForeignItem[] => {
    if (kind === "unreadable") return [{ what: "entry of no known form", key }];
    if (!isForeign) return [];
    return [{ what: kind === "schedule" ? "decision" : nameOf(roles), key }];
  });
  const lines = forgedLines(join(directory, "index-v5")).map((): ForeignItem => ({ what: "index line", key: null }));
  return [...items, ...lines];
}

/** Lines of the index that have a right hash, and that cacache did not write. Torn lines are accidents. */
const forgedLines = (folder: string): readonly string[] =>
  pathsBelow(folder).flatMap((path) => linesOf(path).filter(isForged));

// A folder, and what the system does not let us read, has no lines: `storedItems` tells of it.
const linesOf = (path: string): readonly string[] =>
  ifReadable(() => readRegularFile(path).toString("utf8").split("\n")) ?? [];

const pathsBelow = (folder: string): readonly string[] =>
  (ifReadable(() => readdirSync(folder, { recursive: true, encoding: "utf8" })) ?? []).map((name) =>
    join(folder, name),
  );
