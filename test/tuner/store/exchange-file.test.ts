// Files of decisions that others have written: what is no file, or too large for a text, is refused at once.

import { execFileSync } from "node:child_process";
import { ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mostExchangeBytes, readExchangeFile } from "../../../src/tuner/store/exchange-file.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a file is read", () => {
  const file = join(folder, "decisions.jsonl");
  writeFileSync(file, "{}\n");
  expect(readExchangeFile(file)).toEqual({ kind: "read", text: "{}\n" });
});

test("a file larger than a text can be is refused unread, and says how large it may be", () => {
  const file = join(folder, "huge.jsonl");
  // Without content on the disk.
  ftruncateSync(openSync(file, "w"), 600e6);
  expect(readExchangeFile(file)).toEqual({
    kind: "unreadable",
    why: `it has 600000000 bytes, and ${mostExchangeBytes} are the most`,
  });
});

test("a folder, a device and nothing at all are no files", () => {
  expect(readExchangeFile(folder)).toMatchObject({ kind: "unreadable" });
  expect(readExchangeFile(join(folder, "missing"))).toMatchObject({ why: expect.stringMatching(/^ENOENT/) });
  expect(readExchangeFile(join(folder, "decisions.jsonl/x"))).toMatchObject({ why: expect.stringMatching(/^ENO/) });
});

test.skipIf(process.platform === "win32")("a pipe that nobody writes and an endless device do not hang it", () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of [pipe, "/dev/zero"])
    expect(readExchangeFile(path)).toEqual({ kind: "unreadable", why: `${path} is no regular file` });
});
