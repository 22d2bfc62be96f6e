// The lines that commands outside CI leave.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { npmRun, resultOf } from "./record-run.js";

test("a run is named as it was typed", () => {
  expect(npmRun("test:kill", [])).toBe("npm run test:kill");
  expect(npmRun("test:oracle", ["--only", "conv2d: bias, gelu", "--count", "1"])).toBe(
    'npm run test:oracle -- --only "conv2d: bias, gelu" --count 1',
  );
});

test("its result has the exit code where it failed", () => {
  expect([0, 3, null].map(resultOf)).toEqual(["passed", "failed: exit code 3", "failed: exit code none"]);
});

const noGit = spawnSync("git", ["--version"]).status === 0 ? "" : " (no git here)";

test.skipIf(noGit !== "")(`a line names the commit of the code, and makes it no other${noGit}`, () => {
  const root = mkdtempSync(join(tmpdir(), "record-run-"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: root, encoding: "utf8" }).trim();
  const helper = JSON.stringify(new URL("record-run.js", import.meta.url).href);
  const script = `const { recordRun } = await import(${helper}); recordRun("npm run test:x", "passed");`;
  const record = () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: join(root, "test") });
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "test"));
  writeFileSync(join(root, "src/a.ts"), "");
  writeFileSync(join(root, "test/a.test.ts"), "");
  writeFileSync(join(root, "package.json"), "{}");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "all");
  record();
  record();
  writeFileSync(join(root, "src/a.ts"), "1;");
  record();
  const lines = readFileSync(join(root, "test/runs.jsonl"), "utf8").trim().split("\n");
  const commit = git("log", "-1", "--abbrev=12", "--format=%h");
  expect(lines.map((line) => JSON.parse(line).commit)).toEqual([commit, commit, `${commit}-dirty`]);
  expect(JSON.parse(lines[0]!)).toMatchObject({ node: process.version, command: "npm run test:x", result: "passed" });
  rmSync(root, { recursive: true });
});
