// results.jsonl: one finished run a line; of one run the last line counts.

import { appendLine, readLines } from "../json-lines.ts";
import { type RunResult, runKey } from "./run-result.ts";

export function readResults(path: string): readonly RunResult[] {
  const results = readLines<RunResult>(path);
  return [...new Map(results.map((result) => [runKey(result.cpu, result), result])).values()];
}

export const appendResult = (path: string, result: RunResult): void => appendLine(path, result);
