// Runs the tests, then says what was skipped and why, and ends with one line that programs can read:
//
//     tests: 812 passed, 0 failed, 3 skipped
//
// Arguments go to vitest: `npm test -- test/plugin`. A test that a machine cannot run has the reason in its name.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** Vitest's exit code, and its report if it got as far as writing one. */
function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), "test-report-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { status, error } = spawnSync(process.execPath, [vitest, "run", ...reporters, ...args], {
      cwd: root,
      stdio: "inherit",
    });
    if (error) throw error;
    return { status: status ?? 1, report: JSON.parse(readFileSync(file, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that fails with none of its tests, as it cannot be loaded or set up, counts as one that failed. */
function countOf({ testResults }) {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, name })),
  );
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  );
  const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
  const failed = tests.filter(({ status }) => status === "failed").length + broken.length;
  return { passed: tests.filter(({ status }) => status === "passed").length, failed, skipped };
}

const { status, report } = runVitest(process.argv.slice(2));
const { passed, failed, skipped } = countOf(report);
if (skipped.length > 0) console.log("\nskipped, with the reason in the name:");
for (const { name, fullName } of skipped) console.log(`  ${relative(root, name)}: ${fullName}`);
console.log(`\ntests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = status !== 0 || failed > 0 ? 1 : 0;
