// Warnings of a build about its store: each once, however many kernels it compiles.

import { chmodSync, mkdirSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sayIfLarge, warnOfPlace } from "../../../../src/plugin/kernel/context/store-warnings.ts";
import type { Topic } from "../../../../src/plugin/support/say-once.ts";

function project() {
  const root = mkdtempSync(join(tmpdir(), "store-warnings-"));
  const cacheDir = join(root, "store");
  mkdirSync(cacheDir);
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(`! ${line}`) };
  const build = () => ({ options: { root, cacheDir }, log: { ...log }, tunings: { told: new Set<Topic>() } });
  return { build, cacheDir, lines };
}

test.skipIf(process.platform === "win32")("a store that everybody may write is one warning", () => {
  const { build, cacheDir, lines } = project();
  chmodSync(cacheDir, 0o777);
  const services = build();
  warnOfPlace(services);
  // Another order of the same build has a log of its own.
  warnOfPlace({ ...build(), tunings: services.tunings });
  expect(lines).toEqual([
    `! ${cacheDir} can be written by everybody: whoever writes there may put kernels into your builds; take a folder of your own (cacheDir), or chmod -R go-w it`,
  ]);
});

test("a store of one's own is none", () => {
  const { build, cacheDir, lines } = project();
  chmodSync(cacheDir, 0o755);
  warnOfPlace(build());
  expect(lines).toEqual([]);
});

test("a store above a gigabyte is said once, with the command that makes it smaller", () => {
  const { build, cacheDir, lines } = project();
  mkdirSync(join(cacheDir, "content-v2/sha256/00"), { recursive: true });
  const file = join(cacheDir, "content-v2/sha256/00/large");
  writeFileSync(file, "");
  sayIfLarge(build());
  expect(lines).toEqual([]);
  const later = build();
  truncateSync(file, 1.2e9);
  sayIfLarge(later);
  sayIfLarge(later);
  expect(lines).toEqual([
    `the store in ${cacheDir} has 1.2 GB: npx unplugin-kernel cache gc --max-size 500MB removes what was not used for longest`,
  ]);
});
