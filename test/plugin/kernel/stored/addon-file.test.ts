// Addons as files for dev servers: one that is not what it should be is never used.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { addonFile, isOfItsName } from "../../../../src/plugin/kernel/stored/addon-file.ts";
import { resolveOptions } from "../../../../src/plugin/options/options.ts";

const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 251);
let warnings: string[] = [];
const log = { debug: () => {}, info: () => {}, warn: (line: string) => void warnings.push(line) };
beforeEach(() => {
  warnings = [];
});

const fileIn = (cacheDir: string): Promise<string | null> =>
  addonFile({ options: resolveOptions({ cacheDir }, cacheDir, {}), log }, "gemm_avx2", bytes);

describe("the file of an addon", () => {
  test("has its bytes, under a name with their digest, and nothing lies beside it", async () => {
    const path = (await fileIn(mkdtempSync(join(tmpdir(), "addon-"))))!;
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    expect(isOfItsName(basename(path), readFileSync(path))).toBe(true);
    expect(readdirSync(join(path, ".."))).toEqual([basename(path)]);
  });

  test("that is there is left alone: a program has it loaded", async () => {
    const folder = mkdtempSync(join(tmpdir(), "addon-"));
    const path = (await fileIn(folder))!;
    const { ino } = statSync(path);
    expect([await fileIn(folder), statSync(path).ino]).toEqual([path, ino]);
  });

  test.each<[string, (path: string) => void]>([
    ["cut short, as after a power cut", (path) => truncateSync(path, 8000)],
    ["full of zeros", (path) => writeFileSync(path, new Uint8Array(bytes.length))],
    ["somebody else's", (path) => writeFileSync(path, "planted")],
  ])("that is %s is replaced, by another file", async (_, damage) => {
    const folder = mkdtempSync(join(tmpdir(), "addon-"));
    const path = (await fileIn(folder))!;
    const { ino } = statSync(path);
    damage(path);
    expect(isOfItsName(basename(path), readFileSync(path))).toBe(false);
    expect(await fileIn(folder)).toBe(path);
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    expect(statSync(path).ino).not.toBe(ino);
    expect(warnings).toEqual([]);
  });

  test.skipIf(process.platform === "win32").each<[string, (path: string) => void]>([
    ["a pipe, into which nobody writes", (path) => execFileSync("mkfifo", [path])],
    ["a link to a file that is right so far", (path) => writeFileSync(`${path}.right`, bytes)],
  ])("is never %s", async (_, plant) => {
    const path = (await fileIn(mkdtempSync(join(tmpdir(), "addon-"))))!;
    rmSync(path);
    plant(path);
    if (existsSync(`${path}.right`)) symlinkSync(`${path}.right`, path);
    expect(await fileIn(dirname(dirname(path)))).toBe(path);
    expect(lstatSync(path).isFile()).toBe(true);
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    expect(warnings).toEqual([]);
  });

  test("is none where the cache directory lies below a file: a warning", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "addon-")), "file");
    writeFileSync(file, "");
    expect(await fileIn(join(file, "cache"))).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/gemm_avx2-[0-9a-f]{16}\.node could not be written: ENOTDIR/)]);
  });
});
