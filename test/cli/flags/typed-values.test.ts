// Values of options count as they were typed: an empty one is refused, and a name that looks like a number stays a name.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sizeOf } from "../../../src/cli/flags/size-text.ts";
import { withTypedValues } from "../../../src/cli/flags/typed-values.ts";
import { runCli, writeProject } from "../project.ts";

const root = writeProject({});

test.each([
  ["cache", "gc", "--days", ""],
  ["cache", "gc", "--max-size", ""],
  ["cache", "ls", "--cache-dir", ""],
  ["tune", "--remote", ""],
])("%s %s: an empty value, as of a variable that is not set, is a mistake", (...args) => {
  const { exitCode, errors } = runCli(root, ...args);
  const flag = args.find((word) => word.startsWith("--"));
  expect([exitCode, errors]).toEqual([2, expect.stringContaining(`command.bad-argument: ${flag} is empty`)]);
});

test("an id of digits keeps its zeros", () => {
  expect(runCli(root, "cache", "keygen", "--id", "007", "--out", "key").output).toContain("ed25519:007:");
  expect(readFileSync(join(root, "key"), "utf8")).toMatch(/^ed25519-private:007:/);
});

test("both spellings of a value, repeated options, and words behind -- ", () => {
  const read = { cacheDir: 7, pack: [1, 2], json: true };
  const argv = ["tune", "--cache-dir=007", "--pack", "1", "--pack", "2", "--json", "--", "--pack", "3"];
  expect(withTypedValues(read, ["cache-dir", "pack", "root"], argv)).toEqual({
    cacheDir: "007",
    pack: ["1", "2"],
    json: true,
  });
});

describe("- in place of a file", () => {
  test.each([[["cache", "export", "-"]], [["cache", "import", "-"]], [["pack", "-"]]])("%j is a mistake", (args) => {
    const { exitCode, errors } = runCli(root, ...args);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining("command.bad-argument: - is no file here")]);
  });
});

test.each([
  ["0", 0],
  ["500MB", 5e8],
  ["500mb", 5e8],
  ["500M", 5e8],
  ["5 GB", 5e9],
  ["1.5g", 1.5e9],
  ["1TB", 1e12],
  ["1TiB", 2 ** 40],
  ["12B", 12],
  ["", null],
  ["-1", null],
  ["1e3", null],
  ["1iB", null],
  ["5 XB", null],
  ["99999999999TB", null],
])("the size %s", (text, bytes) => {
  expect(sizeOf(text)).toBe(bytes);
});

describe("cache", () => {
  test.each([
    [["sign", "d.jsonl", "--lock"], "cache sign is given both d.jsonl and --lock"],
    [["sign", "--lock", "--keyless"], "cache sign --lock has no use for --keyless"],
    [["push", "--remote", "http://127.0.0.1:9/", "--key", "k"], "cache push has no use for --key without --sign"],
    [["push", "--protocol", "turborepo"], "TURBO_API"],
  ])("%j is a mistake", (args, message) => {
    const { exitCode, errors } = runCli(root, "cache", ...args);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  test("push with nothing to send says what makes decisions", () => {
    const { exitCode, output } = runCli(root, "cache", "push", "--remote", "http://127.0.0.1:9/");
    expect([exitCode, output]).toEqual([0, expect.stringContaining("no measured decision: unplugin-kernel tune")]);
  });
});
