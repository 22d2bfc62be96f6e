// Files with one JSON object a line, only ever appended to: no attempt is lost. A torn line is skipped.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { provenance } from "./provenance.ts";

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

/** Lines with one key are attempts at one thing: of each key all of them, the oldest first; keys in the order of their first lines. */
export function attemptsBy<T>(lines: readonly T[], keyOf: (line: T) => string): readonly (readonly [T, ...T[]])[] {
  const attempts = new Map<string, [T, ...T[]]>();
  for (const line of lines) {
    const known = attempts.get(keyOf(line));
    if (known) known.push(line);
    else attempts.set(keyOf(line), [line]);
  }
  return [...attempts.values()];
}

/** Appends a value with one write, on a line of its own even after a torn one. The line says where it comes from. */
export function appendLine(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, "utf8"));
  appendFileSync(path, `${isTorn ? "\n" : ""}${JSON.stringify({ ...value, measured: provenance() })}\n`);
}
