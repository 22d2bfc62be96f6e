// Runs vitest for a command outside CI, and counts what it ran: a run in which all was skipped is none.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/**
 * @param {readonly string[]} args of `vitest run`
 * @param {Readonly<Record<string, string>>} environment beside that of this process
 * @returns {{ status: number, result: string }} the exit code, and a line's result: "passed: 3 passed, 0 failed, 1 skipped"
 */
export function runVitest(args, environment) {
  const folder = mkdtempSync(join(tmpdir(), "run-vitest-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const run = spawnSync(process.execPath, [vitest, "run", ...reporters, ...args], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...environment },
    });
    const status = run.status ?? 1;
    if (!existsSync(file)) return { status, result: `failed: exit code ${run.status ?? run.signal}, no report` };
    const {
      numPassedTests: passed,
      numFailedTests: failed,
      numTotalTests: all,
    } = JSON.parse(readFileSync(file, "utf8"));
    const word = status !== 0 ? "failed" : passed === 0 ? "not run" : "passed";
    return { status, result: `${word}: ${passed} passed, ${failed} failed, ${all - passed - failed} skipped` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
