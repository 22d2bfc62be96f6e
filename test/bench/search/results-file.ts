// results.jsonl: one finished run a line, only ever appended to; of one run the last line counts. A torn line is skipped.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type RunResult, runKey } from "./run-result.ts";

export function readResults(path: string): readonly RunResult[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  const results = lines.filter((line) => line !== "").flatMap(parseLine);
  return [...new Map(results.map((result) => [runKey(result.cpu, result), result])).values()];
}

function parseLine(line: string): RunResult[] {
  try {
    return [JSON.parse(line) as RunResult];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** One write, on a line of its own whatever was torn before. */
export function appendResult(path: string, result: RunResult): void {
  mkdirSync(dirname(path), { recursive: true });
  const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, "utf8"));
  appendFileSync(path, `${isTorn ? "\n" : ""}${JSON.stringify(result)}\n`);
}
