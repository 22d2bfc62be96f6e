// Inputs that broke a parser once.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { parsePackageJson, withEntries } from "../../../src/cli/init/package-json.ts";
import { wireConfig } from "../../../src/cli/init/wire-config.ts";
import { cachesOfSys, cachesOfSysctl } from "../../../src/native/toolchain/machine.ts";
import { resolveOptions } from "../../../src/plugin/options.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/store/lockfile.ts";
import { parseIndexLine } from "../../../src/tuner/store/read-cacache.ts";
import { lockEntry } from "../../tuner/store/sample-entry.ts";

const entries = { "unplugin-kernel": "1" };

test("a line of the index whose hash is right and whose JSON is none, or no object, is none", () => {
  for (const json of ["null", "{", "7", '"key"', '{"key":1}']) {
    expect(parseIndexLine(`${createHash("sha1").update(json).digest("hex")}\t${json}`)).toBeNull();
  }
});

test("of two sections of one name in package.json, the last counts, as for npm", () => {
  const edited = withEntries('{"devDependencies":{"a":"1"},"devDependencies":{"b":"1"}}', "devDependencies", entries);
  expect(JSON.parse(edited).devDependencies).toEqual({ b: "1", ...entries });
});

test("a byte order mark of package.json stays one, and is no indentation", () => {
  const edited = withEntries("\ufeff{}", "devDependencies", entries);
  expect(edited.startsWith("\ufeff{")).toBe(true);
  expect(JSON.parse(edited.slice(1))).toEqual({ devDependencies: entries });
});

test("a byte order mark of a lock file, which editors of Windows leave, is skipped", () => {
  const text = printLockfile(new Map([["src/a.op.ts?tune=avx2", lockEntry]]));
  const content = parseLockfile(`\ufeff${text}`, "kernels.lock.json");
  expect(content.kind === "ok" && printLockfile(content.entries)).toBe(text);
  expect(parseLockfile(`\ufeff\ufeff${text}`, "kernels.lock.json").kind).toBe("broken");
});

test("a list of processors that is none makes no cache of negative size", () => {
  const entry = (level: string, list: string) => ({ level, type: "Data", size: "64K", shared_cpu_list: list });
  for (const list of ["2-", "-", "3-0", "9".repeat(400), ""])
    expect(cachesOfSys([entry("1", "0"), entry("2", "0"), entry("3", list)])).toEqual({
      l1Bytes: 65536,
      l2Bytes: 65536,
      l3Bytes: 65536,
    });
});

test("a cache of more digits than any has is none", () => {
  const digits = "9".repeat(400);
  const entry = { type: "Data", size: digits, shared_cpu_list: "0" };
  expect(cachesOfSys(["1", "2"].map((level) => ({ level, ...entry })))).toBeNull();
  expect(cachesOfSysctl(`hw.l1dcachesize: ${digits}\nhw.l2cachesize: ${digits}\n`)).toBeNull();
});

test("options of null are those of nobody", () => {
  expect(resolveOptions(null, "/app", {}).cacheDir).toBe(resolveOptions({}, "/app", {}).cacheDir);
});

test("code behind the last import stays code of its own", () => {
  for (const [before, after] of [
    ['import { defineConfig } from "vite";', "export default defineConfig({ plugins: [] })"],
    ['const { defineConfig } = require("vite");', "module.exports = defineConfig({ plugins: [] })"],
  ]) {
    const wiring = wireConfig(`${before}-0\n${after}`, "vite");
    expect(wiring.kind === "edited" && wiring.text).toMatch(/\n.*unplugin-kernel\/vite.*;\n-0\n/);
  }
});

test("a package.json that names __proto__ twice is refused, as an edit cannot read it", () => {
  expect(() => parsePackageJson('{"__proto__":1,"__proto__":2}', "package.json")).toThrow(
    "package.json cannot be read",
  );
});

test("a name of a kernel that is no string of JSON's does not hide a conflict", () => {
  const text = '<<<<<<< ours\n    "\u001arc/a.op.ts": {\n=======\n    "src/b.op.ts": {\n>>>>>>> theirs\n';
  const content = parseLockfile(text, "kernels.lock.json");
  expect(content.kind === "broken" && JSON.stringify(content.diagnostic)).toContain("src/b.op.ts");
});
