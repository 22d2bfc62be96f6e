// A question to a module of ours in a process of its own, for callers that cannot wait for a promise.

import { execFileSync } from "node:child_process";

/** Most characters of an answer. */
const maxBuffer = 64 * 2 ** 20;

/**
 * Runs a script, gives it `question` on standard input, and returns what it writes to standard output. What it says on standard error is
 * seen by the user.
 *
 * @throws where the process cannot be started or ends with another code than 0
 */
export const askNow = (script: string, question: string): string =>
  execFileSync(process.execPath, [script], {
    input: question,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    maxBuffer,
  });
