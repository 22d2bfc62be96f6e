// Committed records only grow: a line that is taken back, or replaced by a better one, would be an attempt that nobody sees.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const run = (...args: readonly string[]) =>
  spawnSync("git", args, { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 28 });
const git = (...args: readonly string[]): string => {
  const { status, stdout, stderr, error } = run(...args);
  if (status !== 0) throw error ?? new Error(stderr);
  return stdout;
};

/** Before it, records of commands that went on where they stopped were rewritten, and a row of the demo was replaced. */
const lastRewritten = "0e546a574aeb487fcd16f76b494b177bd5a18e4e";

/** The commit after which nothing may be removed; null: the history is not here. A copy with a history of its own begins with that. */
function firstCommit(): string | null {
  if (run("cat-file", "-e", `${lastRewritten}^{commit}`).status === 0) return lastRewritten;
  if (run("rev-parse", "--is-shallow-repository").stdout?.trim() !== "false") return null;
  return git("rev-list", "--max-parents=0", "HEAD").trim().split("\n").at(-1)!;
}
const since = firstCommit();

/** Records of what was measured or run; those of fixtures are inputs of tests. */
const isRecord = (path: string): boolean => path.endsWith(".jsonl") && !path.startsWith("fixtures/");

/** "3\t1\tdemo/results.jsonl" → those of which lines were removed. */
const shrunk = (numstat: string): readonly string[] =>
  numstat.split("\n").filter((line) => {
    const [, removed, path] = line.split("\t");
    return path !== undefined && isRecord(path) && removed !== "0";
  });

test("a record of which a line is removed would be seen", () => {
  expect(shrunk("abc1234\n\n3\t0\tdemo/results.jsonl\n1\t1\ttest/runs.jsonl\n0\t9\tfixtures/records/a.jsonl")).toEqual([
    "1\t1\ttest/runs.jsonl",
  ]);
});

const noHistory = since === null ? " (no history of git here)" : "";

test.skipIf(since === null)(`no commit removes a line of a record${noHistory}`, () => {
  // Merges against each of their parents: lines of both have to be there.
  expect(shrunk(git("log", "-m", "--no-renames", "--numstat", "--format=%h", `${since}..HEAD`))).toEqual([]);
  expect(shrunk(git("diff", "--no-renames", "--numstat", "HEAD"))).toEqual([]);
});

test.skipIf(since === null)(`no record is gone${noHistory}`, () => {
  const records = git("ls-tree", "-r", "--name-only", since!).split("\n").filter(isRecord);
  expect(records.length).toBeGreaterThan(10);
  expect(records.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});
