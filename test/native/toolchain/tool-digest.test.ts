// The identity of a compiler knows its bytes: those of its driver and of the compiler proper. A program is read once.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { toolDigest } from "../../../src/native/toolchain/tool-digest.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tools-"));
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A compiler that says the same of itself, whatever its bytes. */
function writeCompiler(remark: string, proper: string): void {
  writeFileSync(join(folder, "cc1"), proper);
  const script = `#!/bin/sh
# ${remark}
case "$1" in
  --version) echo "gcc (Test 1.0) 12.2.0";;
  -dumpmachine) echo x86_64-linux-gnu;;
  -print-prog-name=cc1) echo ${folder}/cc1;;
esac
`;
  writeFileSync(join(folder, "gcc"), script, { mode: 0o755 });
}

const identity = async (): Promise<string> => (await detectToolchains({ path: folder }, ["gcc"]))[0]!.identity;

it.skipIf(process.platform === "win32")(
  "a driver or a compiler proper of other bytes is another toolchain",
  async () => {
    writeCompiler("one", "cc1 of one");
    const one = await identity();
    expect(one).toMatch(/^gcc 12\.2\.0 x86_64-linux-gnu [0-9a-f]{8}$/);
    expect(await identity()).toBe(one);
    writeCompiler("one", "cc1, patched");
    const patched = await identity();
    writeCompiler("two", "cc1 of one");
    expect(new Set([one, patched, await identity()]).size).toBe(3);
    writeCompiler("one", "cc1 of one");
    expect(await identity()).toBe(one);
  },
);

it("the same bytes elsewhere, of another time, are the same; what cannot be read is not known", async () => {
  const kept = join(folder, "kept/tools.json");
  mkdirSync(join(folder, "b"));
  const paths = ["a", "b/c"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, "program");
  utimesSync(paths[1]!, 1, 1);
  const [one, other] = [await toolDigest([paths[0]!], kept), await toolDigest([paths[1]!], kept)];
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(other).toBe(one);
  expect(await toolDigest([join(folder, "none")], kept)).toBeNull();
});

it("a program is not read again until it changes; damage to what is kept costs a reading", async () => {
  const kept = join(folder, "tools.json");
  const path = join(folder, "program");
  writeFileSync(path, "program");
  const digest = await toolDigest([path], kept);
  const [[key = ""] = []] = Object.entries(JSON.parse(readFileSync(kept, "utf8")));
  // What is kept is believed: so the program was not read.
  writeFileSync(kept, JSON.stringify({ [key]: "0".repeat(64) }));
  expect(await toolDigest([path], kept)).not.toBe(digest);
  const tooLarge = `${JSON.stringify({ [key]: "0".repeat(64) })}${" ".repeat(1 << 20)}`;
  for (const damage of ["", "{", "null", "[1]", JSON.stringify({ [key]: 5 }), tooLarge]) {
    writeFileSync(kept, damage);
    expect(await toolDigest([path], kept)).toBe(digest);
  }
});
