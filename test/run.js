// Runs the tests, then says what was skipped and why, and ends with one line that programs can read:
//
//     tests: 812 passed, 0 failed, 3 skipped
//
// TEST_LINE_FILE in the environment is a file for that line, for a script that prints more after it.
//
// TEST_SEED draws the tests that a run has of those that take long (support/long.ts); the run says it before that line.
//
// All that tests leave in the temporary directory goes with them: each run has one of its own, which is removed behind it.
//
// Arguments go to vitest: `npm test -- test/plugin`. A test that a machine cannot run has the reason in its name. The run fails
// on any skip that skips/skips.json does not list for what this machine lacks, and in CI on those of what CI has to have.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { hostTable, hostTests } from "./host-table.js";
import { complaintOf, stalePatterns } from "./skips/check.js";
import * as environment from "./skips/environment.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.env.TEST_SEED ||= String(Math.floor(Math.random() * 1_000_000));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** Vitest's exit code, and its report if it got as far as writing one. */
function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  // As a system has its own: some tests run programs as another user.
  chmodSync(folder, 0o1777);
  const file = join(folder, "report.json");
  try {
    const config = ["--config", "test/vitest.suite.config.ts"];
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { status, error } = spawnSync(process.execPath, [vitest, "run", ...config, ...reporters, ...args], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
    });
    if (error) throw error;
    return { status: status ?? 1, report: JSON.parse(readFileSync(file, "utf8")) };
  } finally {
    removeLater(folder);
  }
}

/** Removes thousands of folders, beside what the caller does next. */
function removeLater(folder) {
  const program = `require("node:fs").rmSync(${JSON.stringify(folder)}, { recursive: true, force: true, maxRetries: 3 })`;
  spawn(process.execPath, ["-e", program], { detached: true, stdio: "ignore" }).unref();
}

/** The tests of a report, each with its file as skips.json spells files. */
const testsOf = ({ testResults }) =>
  testResults.flatMap(({ name: path, assertionResults }) => {
    const file = relative(root, path).split(sep).join("/");
    return assertionResults.map(({ status, fullName, failureMessages }) => ({
      file,
      name: fullName,
      status,
      why: failureMessages?.[0],
    }));
  });

/** A file that fails with none of its tests, as it cannot be loaded or set up, counts as one that failed. */
function countOf({ testResults }, tests) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  );
  const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
  const failed = [
    ...broken.map(({ name, message }) => ({
      file: relative(root, name).split(sep).join("/"),
      name: "as a whole",
      why: message,
    })),
    ...tests.filter(({ status }) => status === "failed"),
  ];
  return { passed: tests.filter(({ status }) => status === "passed").length, failed, skipped };
}

/** Says whether docs/hosts.md agrees with these tests. If one of them did not pass or was skipped, it cannot be checked. */
function isHostTableRight(report) {
  const tests = hostTests(report);
  // A part of the suite that tests no bundler says nothing of them.
  if (tests.length === 0) return true;
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

/** Mistakes in the skips of a run, a line each. With `-t` the user leaves out tests, so nothing is checked. */
function wrongSkips(skipped, tests, args) {
  if (args.some((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg))) return [];
  const wrong = skipped.flatMap(({ file, name }) => {
    const complaint = complaintOf({ file, name }, environment);
    return complaint ? [`${file}: ${name}: ${complaint}`] : [];
  });
  const stale = args.length > 0 ? [] : stalePatterns(tests);
  return [...wrong, ...stale.map(({ files, names }) => `test/skips/skips.json lists ${files}: ${names}: no such test`)];
}

/** The skips, a line each; those that a long run has are counted, a line for each file. */
function skipLines(skipped) {
  const isLong = ({ name }) => name.includes("(npm run test:long)");
  const files = new Map();
  for (const { file } of skipped.filter(isLong)) files.set(file, (files.get(file) ?? 0) + 1);
  return [
    ...skipped.filter((test) => !isLong(test)).map(({ file, name }) => `${file}: ${name}`),
    ...[...files].map(([file, count]) => `${file}: ${count} more (npm run test:long)`),
  ];
}

const args = process.argv.slice(2);
const { status, report } = runVitest(args);
const tests = testsOf(report);
const isRight = (args.length > 0 && process.env.UPDATE_HOSTS !== "1") || isHostTableRight(report);
const { passed, failed, skipped } = countOf(report, tests);
if (skipped.length > 0) console.log("\nskipped, with the reason in the name:");
for (const line of skipLines(skipped)) console.log(`  ${line}`);
const wrong = wrongSkips(skipped, tests, args);
// Said once more behind the skips: whoever sees only the end of a log sees what failed.
if (failed.length > 0) console.error("\nfailed:");
for (const { file, name, why = "" } of failed)
  console.error(`  ${file}: ${name}\n    ${why.split("\n").slice(0, 3).join("\n    ")}`);
if (wrong.length > 0) console.error("\nshould not have been skipped (test/skips/skips.json):");
for (const line of wrong) console.error(`  ${line}`);
const isFailed = failed.length > 0 || !isRight || wrong.length > 0;
const line = `tests: ${passed} passed, ${failed.length + (isRight ? 0 : 1) + wrong.length} failed, ${skipped.length} skipped`;
if (process.env.TEST_LONG !== "1") console.log(`\nTEST_SEED=${process.env.TEST_SEED} draws the same tests again`);
console.log(`\n${line}`);
if (process.env.TEST_LINE_FILE) writeFileSync(process.env.TEST_LINE_FILE, `${line}\n`);
process.exitCode = status !== 0 || isFailed ? 1 : 0;
