// Files that are replaced while somebody reads them: who has opened one has the old text whole.

import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replaceFile } from "../../../src/native/file/replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replace-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.skipIf(process.platform === "win32")("is not written in its place: a reader keeps the text that it opened", () => {
  const file = join(folder, "a.json");
  writeFileSync(file, "old");
  const reader = openSync(file, "r");
  replaceFile(file, "new text");
  expect([readFileSync(reader, "utf8"), readFileSync(file, "utf8")]).toEqual(["old", "new text"]);
  closeSync(reader);
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

it.skipIf(process.platform === "win32")("leaves a link one, and its permissions as they were", () => {
  const file = join(folder, "a.json");
  writeFileSync(file, "old", { mode: 0o640 });
  symlinkSync(file, join(folder, "link.json"));
  replaceFile(join(folder, "link.json"), "new");
  expect(lstatSync(join(folder, "link.json")).isSymbolicLink()).toBe(true);
  expect([lstatSync(file).mode & 0o777, readFileSync(file, "utf8")]).toEqual([0o640, "new"]);
});
