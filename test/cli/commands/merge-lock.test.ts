// `merge-lock` as git's merge driver, in real repositories, and `--resolve` where git merged without it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codegenVersion, targets } from "../../../src/compiler/index.ts";
import type { LockEntry } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { inTurn } from "../../support/long.ts";
import { lockEntry } from "../../tuner/store/sample-entry.ts";

const turn = inTurn(5);

const hasGit = spawnSync("git", ["--version"]).status === 0;
const cli = resolve(import.meta.dirname, "../../../dist/cli.js");

const made = (medianNs: number, machine = "one", threads = 1): LockEntry => ({
  ...lockEntry,
  codegen: codegenVersion,
  target: targets.avx2,
  threads,
  source: medianNs.toString(16).padStart(64, "0"),
  measured: { ...lockEntry.measured!, medianNs, machine },
});

type Lock = Readonly<Record<string, LockEntry>>;
const [b, d, f] = [made(20), made(40), made(60)];
const base: Lock = { b, d, f };

let root = "";
const lockfile = (): string => join(root, "kernels.lock.json");
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "merge-lock-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: readonly string[]): { status: number | null; output: string } {
  const own = [
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "merge.conflictStyle=merge",
  ];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: join(root, "none"), GIT_CONFIG_NOSYSTEM: "1" };
  const { status, stdout, stderr } = spawnSync("git", [...own, ...args], { cwd: root, encoding: "utf8", env });
  return { status, output: stdout + stderr };
}

const merge = (...args: readonly string[]) =>
  spawnSync(process.execPath, [cli, "merge-lock", ...args], { cwd: root, encoding: "utf8" });

function commit(lock: Lock): void {
  writeFileSync(lockfile(), printLockfile(new Map(Object.entries(lock))));
  git("add", "-A");
  git("commit", "-qm", "a lock");
}

/** Makes a repository with the lock of two branches, and merges the one into the other. */
function mergeBranches(ours: Lock, theirs: Lock, hasDriver: boolean): { status: number | null; output: string } {
  git("init", "-qb", "main");
  writeFileSync(join(root, ".gitattributes"), "kernels.lock.json merge=unplugin-kernel\n");
  if (hasDriver) git("config", "merge.unplugin-kernel.driver", `"${process.execPath}" "${cli}" merge-lock %O %A %B`);
  commit(base);
  git("checkout", "-qb", "other");
  commit(theirs);
  git("checkout", "-q", "main");
  commit(ours);
  return git("merge", "-q", "-m", "merged", "other");
}

function lockNow(): Lock | string {
  const content = parseLockfile(readFileSync(lockfile(), "utf8"), "kernels.lock.json");
  return content.kind === "ok" ? Object.fromEntries(content.entries) : content.diagnostic.message;
}

describe.skipIf(!hasGit)("git merges locks of two branches with the driver", () => {
  const [one, two] = [made(1), made(2)];
  turn.each([
    ["both add a last entry", { ...base, g: one }, { ...base, h: two }, { ...base, g: one, h: two }],
    ["both add adjacent entries", { ...base, c: one }, { ...base, cc: two }, { ...base, c: one, cc: two }],
    ["both add a first entry", { a: one, ...base }, { aa: two, ...base }, { ...base, a: one, aa: two }],
    ["both change neighbours", { ...base, b: one }, { ...base, d: two }, { ...base, b: one, d: two }],
    ["one drops what the other leaves", { b, f }, { ...base, e: one }, { b, f, e: one }],
  ])("%s", (_, ours: Lock, theirs: Lock, merged: Lock) => {
    expect(mergeBranches(ours, theirs, true).status).toBe(0);
    expect(lockNow()).toEqual(merged);
    expect(git("status", "--porcelain").output).toBe("");
  });

  turn("both tuned one kernel: the faster of one machine is kept", () => {
    expect(mergeBranches({ ...base, d: made(30) }, { ...base, d: made(10) }, true).status).toBe(0);
    expect(lockNow()).toEqual({ ...base, d: made(10) });
  });

  turn("both tuned one kernel on two machines: a conflict that names it, and one side or the other resolves it", () => {
    const [ours, theirs] = [made(30, "one"), made(10, "two")];
    const { status, output } = mergeBranches(
      { ...base, d: ours, x: made(5) },
      { ...base, d: theirs, y: made(6) },
      true,
    );
    expect(status).toBe(1);
    expect(output).toContain("CONFLICT (content): Merge conflict in kernels.lock.json");
    expect(output).toContain("conflict d\n  ours: 186.2 GFLOP/s on one");
    expect(readFileSync(lockfile(), "utf8")).toContain("<<<<<<< ours: d: 186.2 GFLOP/s on one");
    expect(lockNow()).toBe("kernels.lock.json cannot be read: a merge conflict is not resolved");
    const refused = merge("--resolve");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("conflict d\n")]);
    // A lock in conflict is read by no other command.
    expect(refused.stderr).toContain("takes one side for these kernels; after that, tune --update measures them again");
    expect(merge("--resolve", "--theirs").status).toBe(0);
    expect(lockNow()).toEqual({ ...base, d: theirs, x: made(5), y: made(6) });
  });
});

describe.skipIf(!hasGit)("without the driver", () => {
  turn("git leaves a conflict where both add a last entry, and --resolve keeps both", () => {
    expect(mergeBranches({ ...base, g: made(1) }, { ...base, h: made(2) }, false).status).toBe(1);
    const read = parseLockfile(readFileSync(lockfile(), "utf8"), "kernels.lock.json");
    expect(read).toMatchObject({
      kind: "broken",
      diagnostic: { code: "lock.broken", detail: expect.stringMatching(/ {2}g\n {2}h/) },
    });
    const { status, stdout } = merge("--resolve");
    expect([status, stdout]).toEqual([0, "the merged lock has 5 entries\n"]);
    expect(lockNow()).toEqual({ ...base, g: made(1), h: made(2) });
    expect(merge("--resolve").stdout).toBe("kernels.lock.json has no conflict\n");
  });
});

describe("what merge-lock refuses", () => {
  test.each([
    [["a", "b"], "merge-lock is given 2 files"],
    [["a", "b", "c"], "a cannot be read: ENOENT"],
    [["--resolve", "--ours", "--theirs"], "--ours and --theirs are both given"],
  ])("%j", (args, message) => {
    const { status, stderr } = merge(...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`command.bad-argument: ${message}`)]);
  });

  test("a side that is no lock, by its line; our file stays", () => {
    const good = printLockfile(new Map(Object.entries(base)));
    for (const [name, text] of [
      ["base", ""],
      ["ours", good],
      ["theirs", good.replace('"schema": 1', '"schema": 9')],
    ] as const)
      writeFileSync(join(root, name), text);
    const { status, stderr } = merge("base", "ours", "theirs");
    expect([status, stderr]).toEqual([1, expect.stringContaining("lock.version: their side has schema 9")]);
    expect(readFileSync(join(root, "ours"), "utf8")).toBe(good);
  });
});
