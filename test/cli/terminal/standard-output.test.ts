// Standard output that takes nothing: a reader that has left, and a full device.

import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { writeProject } from "../project.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");
const root = writeProject({});
const inShell = (words: string) =>
  spawnSync("bash", ["-c", `set -o pipefail; "${process.execPath}" "${cli}" ${words}`], {
    cwd: root,
    encoding: "utf8",
  });

test("a full device is an error of one line", () => {
  const { status, stderr } = inShell("cache ls > /dev/full");
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^standard output cannot be written: ENOSPC[^\n]*\n$/)]);
});

test("a reader that has left is none", () => {
  const { status, stderr } = inShell("cache ls | true");
  expect([status, stderr]).toEqual([0, ""]);
});

test("a pipe is written to, and stays one", () => {
  const { status, stdout } = inShell(`cache ls > /dev/null && mkfifo "${join(root, "pipe")}"
    cat pipe & "${process.execPath}" "${cli}" cache export pipe > /dev/null && test -p pipe && wait`);
  expect([status, stdout]).toEqual([0, expect.stringContaining('"decisions":0')]);
});
