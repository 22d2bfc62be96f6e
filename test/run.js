// Runs the tests, then says what was skipped and why, and ends with one line that programs can read:
//
//     tests: 812 passed, 0 failed, 3 skipped
//
// Arguments go to vitest: `npm test -- test/plugin`. A test that a machine cannot run has the reason in its name.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { hostTable, hostTests } from "./host-table.js";

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

/** Whether docs/hosts.md says what these tests found; where some could not be run nobody knows. */
function isHostTableRight(report) {
  const tests = hostTests(report);
  if (tests.some((test) => test.status !== "passed")) {
    console.log("\ndocs/hosts.md was not looked at: some bundlers were not tested here, or failed");
    return true;
  }
  const file = join(root, "docs/hosts.md");
  const text = hostTable(tests);
  if (process.env.UPDATE_HOSTS === "1") writeFileSync(file, text);
  if (readFileSync(file, "utf8") === text) return true;
  console.error("\ndocs/hosts.md is not what these tests found: UPDATE_HOSTS=1 npm test");
  return false;
}

const args = process.argv.slice(2);
const { status, report } = runVitest(args);
const isRight = (args.length > 0 && process.env.UPDATE_HOSTS !== "1") || isHostTableRight(report);
const { passed, failed, skipped } = countOf(report);
if (skipped.length > 0) console.log("\nskipped, with the reason in the name:");
for (const { name, fullName } of skipped) console.log(`  ${relative(root, name)}: ${fullName}`);
console.log(`\ntests: ${passed} passed, ${failed + (isRight ? 0 : 1)} failed, ${skipped.length} skipped`);
process.exitCode = status !== 0 || failed > 0 || !isRight ? 1 : 0;
