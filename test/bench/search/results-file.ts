// results.jsonl: one finished run a line; of one run the last line counts, and the others are its earlier attempts.

import { codegenVersion } from "../../../src/compiler/index.ts";
import { appendLine, attemptsBy, readLines } from "../json-lines.ts";
import { type RunResult, runKey } from "./run-result.ts";

export function readResults(path: string): readonly RunResult[] {
  const attempts = attemptsBy(readLines<RunResult>(path), (result) => runKey(result.cpu, result));
  return attempts.map((all) => ({ ...all.at(-1)!, attempts: all.length }));
}

export const appendResult = (path: string, { attempts: _, ...result }: RunResult): void => appendLine(path, result);

/** Whether a run was of today's code generator. One of an older generator is missing. */
export const isOfToday = ({ codegen }: Pick<RunResult, "codegen">): boolean => codegen === codegenVersion;
