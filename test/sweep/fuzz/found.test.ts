// Inputs that broke a parser once.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { NotUnderstood } from "../../../src/cli/init/config-objects.ts";
import { wireJestJson } from "../../../src/cli/init/jest-json.ts";
import { parsePackageJson, withEntries } from "../../../src/cli/init/package-json.ts";
import { wireConfig } from "../../../src/cli/init/wire-config.ts";
import { packFiles } from "../../../src/cli/pack/pack-files.ts";
import { cachesOfSys, cachesOfSysctl } from "../../../src/native/machine/caches.ts";
import { kernelSpecifiers } from "../../../src/plugin/jest/imports.ts";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import { isRemoteOption, resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { parseRequest } from "../../../src/plugin/request/request.ts";
import { kernelsInConflict } from "../../../src/tuner/lock/lock-conflict.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
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

test("a parameter that is printed as what a bundler adds is what a bundler adds", () => {
  const { query } = parseRequest("./a.op.ts?tune=avx2&v=012641264")!;
  expect(parseRequest(`./a.op.ts${query}`)!.query).toBe(query);
  expect(parseRequest("./a.op.ts?tune=avx2&v=00012345")!.query).toBe("?tune=avx2");
});

test("options of null are those of nobody", () => {
  expect(resolveOptions(null, "/app", {}).cacheDir).toBe(resolveOptions({}, "/app", {}).cacheDir);
});

test("a conflict in a lock around a kernel whose name is no JSON names the others", () => {
  const entry = (name: string): string => `    ${name}: {\n      "codegen": "1"\n    },`;
  const text = ["<<<<<<< ours", entry('"a\\x41"'), "=======", entry('"b"'), ">>>>>>> theirs"].join("\n");
  expect(kernelsInConflict(text)).toEqual(["b"]);
  expect(parseLockfile(`{\n  "kernels": {\n${text}\n  }\n}\n`, "kernels.lock.json").kind).toBe("broken");
});

test("a package.json that is nested too deeply to be edited is refused as one that cannot be read", () => {
  const deep = `{"name": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  expect(() => parsePackageJson(deep, "package.json")).toThrow("init.broken-package");
});

test("a script of package.json that is no text is named", () => {
  expect(() => parsePackageJson('{"scripts":{"a":"b","start":7}}', "package.json")).toThrow(
    'script "start" is no text',
  );
});

test("a configuration of Jest that is no JSON, or no object, is one to be moved by hand", () => {
  for (const text of ["{", "null", "[]", '"jest"', "7"])
    for (const section of [null, "jest"]) expect(() => wireJestJson(text, section)).toThrow(NotUnderstood);
});

test("a bucket and a region that make no host are refused, or are those of nobody", () => {
  for (const bucket of ["bucket\ud800", "bu%20cket", "-", "a..."])
    expect(isRemoteOption(`s3://${bucket}/folder`)).toBe(false);
  expect(isRemoteOption("s3://my.bucket-1/folder")).toBe(true);
  const at = (environment: Readonly<Record<string, string>>) => resolveRemote("s3://bucket/folder", environment)?.url;
  expect(at({ AWS_REGION: "eu central", AWS_DEFAULT_REGION: "eu-west-1" })).toBe(
    "https://bucket.s3.eu-west-1.amazonaws.com/folder",
  );
  expect(at({ AWS_ENDPOINT_URL: "file:///etc" })).toBe("https://bucket.s3.us-east-1.amazonaws.com/folder");
});

test("Turborepo's address in the environment is one by http", () => {
  expect(resolveRemote({ protocol: "turborepo" }, { TURBO_API: "file:///etc" })).toBeNull();
  expect(resolveRemote({ protocol: "turborepo" }, { TURBO_API: "https://a.example" })?.url).toBe("https://a.example");
});

test("the version of a pack whose last number is too long to be counted stays", () => {
  const version = `1.0.${"9".repeat(40)}`;
  const written = packFiles({
    name: "kernels",
    license: "MIT",
    kernels: [],
    before: { manifest: { version }, decisions: "" },
  });
  expect(JSON.parse(written["package.json"]!).version).toBe(version);
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

test("an import with a megabyte of spaces, or of question marks without an end, is read in one pass", () => {
  const many = 1_000_000;
  // Each took hours: the square of its length.
  for (const text of [`from${" ".repeat(many)}x`, `from "${"?".repeat(many)}`])
    expect(kernelSpecifiers(text)).toEqual([]);
  expect(kernelSpecifiers(`require ( "./a.op.ts?tune=wasm" )`)).toEqual(["./a.op.ts?tune=wasm"]);
});
