// Result of a command outside CI → a line of test/runs.jsonl: { date, commit, node, cpu, command, result }. The file is committed,
// so that anybody sees when a command last ran, on which code, and how it ended.

import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { codeCommit } from "./code-commit.js";

/** Records are not code: a line of one makes no commit another. */
const code = [":/src", ":/test", ":/package.json", ":(top,exclude)*.jsonl"];

/** The last commit of what tests depend on, wherever in the repository this is asked. */
export const testedCommit = () => codeCommit(...code);

/**
 * Appends the line. A copy of the sources without git has no commit to name: there it says so and goes on.
 *
 * @param {string} command as it was typed: "npm run test:oracle -- --count 1000"
 * @param {string} result "passed: 1000 cases", "failed: …"
 */
export function recordRun(command, result) {
  try {
    const root = execFileSync("git", ["rev-parse", "--show-toplevel"], { encoding: "utf8" }).trim();
    const place = { node: process.version, cpu: cpus()[0]?.model.trim() ?? "unknown" };
    const line = { date: new Date().toISOString(), commit: testedCommit(), ...place, command, result };
    appendFileSync(join(root, "test/runs.jsonl"), `${JSON.stringify(line)}\n`);
  } catch (error) {
    console.error(`not recorded in test/runs.jsonl: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}

/** The command that this process is, with its own arguments: npmRun("test:kill") → "npm run test:kill -- --count 3". */
export function npmRun(script, args = process.argv.slice(2)) {
  const quoted = args.map((arg) => (/^[\w./:=,-]+$/.test(arg) ? arg : JSON.stringify(arg)));
  return [`npm run ${script}`, ...(quoted.length > 0 ? ["--", ...quoted] : [])].join(" ");
}

/** "passed", or "failed: exit code 3". */
export const resultOf = (status) => (status === 0 ? "passed" : `failed: exit code ${status ?? "none"}`);
