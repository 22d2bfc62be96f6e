// The secret that binds entries to a user: who has it, how it comes to be, and what counts as none.

import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterEach, describe, expect, test, vi } from "vitest";
import { keyFile, storeKey } from "../../../src/tuner/store/store-key.ts";

afterEach(() => void vi.restoreAllMocks());

const folder = (): string => mkdtempSync(join(tmpdir(), "key-"));
const homeOf = (XDG_CONFIG_HOME: string) => ({ XDG_CONFIG_HOME });
const fileIn = (home: string): string => join(home, "unplugin-kernel/store.key");
const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex");

/** A home with a file in place of the secret, and whose it is. */
function homeWith(bytes: Uint8Array, mode = 0o600): string {
  const home = folder();
  mkdirSync(dirname(fileIn(home)), { recursive: true });
  writeFileSync(fileIn(home), bytes);
  chmodSync(fileIn(home), mode);
  return home;
}

describe("the secret", () => {
  test("is made at its first use, for its user alone, and is the same from then on", () => {
    const home = folder();
    const key = storeKey(homeOf(home));
    expect(key).toHaveLength(32);
    expect(hex(readFileSync(fileIn(home)))).toBe(hex(key));
    expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(fileIn(home))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(fileIn(home)))).toEqual(["store.key"]);
    expect(storeKey(homeOf(home))).toBe(key);
  });

  test("is one for processes that make it at once", async () => {
    const home = folder();
    const script = join(folder(), "print-key.mjs");
    const contents = `import { storeKey } from "./store-key.ts";
      process.stdout.write(Buffer.from(storeKey({ XDG_CONFIG_HOME: process.argv[2] })).toString("hex"));`;
    const resolveDir = join(import.meta.dirname, "../../../src/tuner/store");
    await build({ stdin: { contents, resolveDir }, bundle: true, platform: "node", format: "esm", outfile: script });
    const run = () => promisify(execFile)(process.execPath, [script, home]);
    const printed = await Promise.all(Array.from({ length: 6 }, run));
    expect(new Set(printed.map(({ stdout }) => stdout))).toEqual(new Set([hex(readFileSync(fileIn(home)))]));
    expect(readdirSync(dirname(fileIn(home)))).toEqual(["store.key"]);
  });

  test.each<[string, Uint8Array, number]>([
    ["cut short", new Uint8Array(7).fill(1), 0o600],
    ["zeroed by a power cut", new Uint8Array(32), 0o600],
    ["one that others may read", new Uint8Array(32).fill(1), 0o644],
    ["one that others may write", new Uint8Array(32).fill(1), 0o620],
  ])("is made anew where the file is %s", (_, bytes, mode) => {
    const home = homeWith(bytes, mode);
    const key = storeKey(homeOf(home));
    expect(hex(key)).not.toBe(hex(bytes));
    expect(hex(readFileSync(fileIn(home)))).toBe(hex(key));
    expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
  });

  test.skipIf(process.platform === "win32")("is made anew where a pipe is in place of the file", () => {
    const home = homeWith(new Uint8Array());
    rmSync(fileIn(home));
    execFileSync("mkfifo", ["-m", "600", fileIn(home)]);
    const key = storeKey(homeOf(home));
    expect(hex(readFileSync(fileIn(home)))).toBe(hex(key));
  });

  test("is this process's alone where the file is another user's, which stays as it is", () => {
    const planted = new Uint8Array(32).fill(1);
    const home = homeWith(planted);
    vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(statSync(fileIn(home)).uid + 1);
    const key = storeKey(homeOf(home));
    expect(hex(key)).not.toBe(hex(planted));
    expect(hex(readFileSync(fileIn(home)))).toBe(hex(planted));
    expect(storeKey(homeOf(home))).toBe(key);
  });

  test("is this process's alone where no file can be made", () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    const key = storeKey(homeOf(file));
    expect(key).toHaveLength(32);
    expect(storeKey(homeOf(file))).toBe(key);
    expect(hex(storeKey(homeOf(join(file, "other"))))).not.toBe(hex(key));
  });
});

describe("in the environment", () => {
  test("64 hexadecimal digits take the place of the file, which is not made", () => {
    const home = folder();
    const UNPLUGIN_KERNEL_STORE_KEY = "0aF".repeat(21).concat("1");
    expect(hex(storeKey({ ...homeOf(home), UNPLUGIN_KERNEL_STORE_KEY }))).toBe(UNPLUGIN_KERNEL_STORE_KEY.toLowerCase());
    expect(readdirSync(home)).toEqual([]);
  });

  test("an empty text is none: that is what a job of a fork gets for a secret", () => {
    const home = folder();
    const key = storeKey({ ...homeOf(home), UNPLUGIN_KERNEL_STORE_KEY: "" });
    expect(hex(readFileSync(fileIn(home)))).toBe(hex(key));
  });

  test.each(["secret", "0".repeat(63), "g".repeat(64)])("%j is an error that does not repeat it", (text) => {
    expect(() => storeKey({ UNPLUGIN_KERNEL_STORE_KEY: text })).toThrow(
      `options.bad-value: UNPLUGIN_KERNEL_STORE_KEY is no key: it has ${text.length} letters`,
    );
  });
});

test("its place is the user's folder for configuration, never one relative to a checkout", () => {
  const environment = { XDG_CONFIG_HOME: "/c", APPDATA: "/roaming" };
  expect(keyFile(environment, "linux")).toBe("/c/unplugin-kernel/store.key");
  expect(keyFile(environment, "win32")).toBe("/roaming/unplugin-kernel/store.key");
  expect(keyFile({ XDG_CONFIG_HOME: "relative" }, "linux")).toMatch(/^\/.*\/\.config\/unplugin-kernel\/store\.key$/);
  expect(keyFile({}, "darwin")).toMatch(/\/Library\/Application Support\/unplugin-kernel\/store\.key$/);
});
