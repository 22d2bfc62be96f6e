// What a build says of its store: once, however many kernels it compiles.

import { chmodSync, mkdirSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sayIfLarge, warnOfPlace } from "../../src/plugin/store-warnings.ts";

function project() {
  const root = mkdtempSync(join(tmpdir(), "store-warnings-"));
  const cacheDir = join(root, "store");
  mkdirSync(cacheDir);
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(`! ${line}`) };
  return { options: { root, cacheDir }, cacheDir, lines, log };
}

test.skipIf(process.platform === "win32")("a store that everybody may write is one warning", () => {
  const { options, cacheDir, lines, log } = project();
  chmodSync(cacheDir, 0o777);
  warnOfPlace(options, log);
  warnOfPlace(options, log);
  expect(lines).toEqual([
    `! ${cacheDir} can be written by everybody: whoever writes there may put kernels into your builds; take a folder of your own (cacheDir), or chmod -R go-w it`,
  ]);
});

test("a store of one's own is none", () => {
  const { options, cacheDir, lines, log } = project();
  chmodSync(cacheDir, 0o755);
  warnOfPlace(options, log);
  expect(lines).toEqual([]);
});

test("a store above a gigabyte is said once, with the command that makes it smaller", () => {
  const { options, cacheDir, lines, log } = project();
  mkdirSync(join(cacheDir, "content-v2/sha256/00"), { recursive: true });
  const file = join(cacheDir, "content-v2/sha256/00/large");
  writeFileSync(file, "");
  sayIfLarge(options, log);
  expect(lines).toEqual([]);
  const later = { ...log };
  truncateSync(file, 1.2e9);
  sayIfLarge(options, later);
  sayIfLarge(options, later);
  expect(lines).toEqual([
    `the store in ${cacheDir} has 1.2 GB: npx unplugin-kernel cache gc --max-size 500MB removes what was not used for longest`,
  ]);
});
