// Files with one JSON value a line, only ever appended to. A torn line is skipped.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export function readLines<T>(path: string): readonly T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").flatMap((line) => parseLine<T>(line));
}

function parseLine<T>(line: string): T[] {
  try {
    return [JSON.parse(line) as T];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** One write, on a line of its own whatever was torn before. */
export function appendLine(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, "utf8"));
  appendFileSync(path, `${isTorn ? "\n" : ""}${JSON.stringify(value)}\n`);
}
