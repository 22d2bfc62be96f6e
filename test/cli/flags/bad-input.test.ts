// Every command, with every option and argument it takes given something it cannot use: a line that says so, an exit code of the table,
// and with --json a JSON value, never a stack. The list of commands is the command line's own, so a new command is tried, too.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { nameOfFlag } from "../../../src/cli/flags/typed-values.ts";
import { commands, commonOptionsOf, main } from "../../../src/cli/main.ts";
import type { Command } from "../../../src/cli/project/command.ts";
import { printExchange } from "../../../src/tuner/store/exchange.ts";
import { inTurn } from "../../support/long.ts";
import { writeProject } from "../project.ts";

const turn = inTurn(10);

// Adds a listener at each run, and has a test of its own.
vi.mock("../../../src/cli/terminal/standard-output.ts", () => ({ watchStandardOutput: () => {} }));
// Where the user's own keys would lie: a key that a command makes goes nowhere else.
const home = mkdtempSync(join(tmpdir(), "bad-input-home-"));
beforeEach(() => {
  for (const name of ["HOME", "XDG_CONFIG_HOME", "APPDATA"]) vi.stubEnv(name, home);
});
afterAll(() => rmSync(home, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const op = 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 4, N: 4, K: 4 });\n';
const own = "kept as it is\n";

/** A project with a file of each kind that a name may lead to. */
function project(): string {
  const root = writeProject({
    "package.json": '{ "name": "app", "type": "module" }\n',
    "src/gemm.op.ts": op,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
    "own/file.txt": own,
    "empty.json": "",
    "list.json": "[1, 2]",
    "null.json": "null",
    "decisions.jsonl": printExchange([]),
  });
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "bytes.json"), Buffer.from([0xff, 0xfe, 0, 1, 2, 0x7b]));
  return root;
}

/** Values that are paths, at most: of no file, of a folder, below a file, too long for any system. */
const paths = [
  "folder",
  "own/file.txt/below",
  "absent/folder/x",
  "l".repeat(300),
  "empty.json",
  "bytes.json",
  "list.json",
  "null.json",
];
const numbers = ["-1", "0x", "NaN", "1e999", "", "1,5"];
const words = ["💥", "a b", "-", "__proto__", "constructor", "x".repeat(5_000), "http://", "1/0"];

/** Values for an argument or option by the name that its help gives it: "--out <file>". */
function valuesFor(placeholder: string): readonly string[] {
  if (/file|folder|import|kernels|glob|peer/.test(placeholder)) return paths;
  if (/count|number|seconds/.test(placeholder)) return numbers;
  return words;
}

/** "cache <ls|gc> [file]" → "cache ls", "cache gc"; and what else the command takes: "[file]". */
function callsOf({ usage }: Command): readonly { readonly words: readonly string[]; readonly takes: string | null }[] {
  const [name = "", ...rest] = usage.split(" ");
  const ways = rest[0]?.includes("|") ? rest.shift()!.replace(/[<>]/g, "").split("|") : null;
  return (ways?.map((way) => [name, way]) ?? [[name]]).map((words) => ({ words, takes: rest[0] ?? null }));
}

/** Options that let a command end soon, where it has them: what is tried here is not how well it measures. */
const quick: Readonly<Record<string, string>> = { trials: "1", seconds: "1" };

function quickly(command: Command, tried: string | null): readonly string[] {
  const names = command.options.map(({ flags }) => nameOfFlag(flags));
  return Object.entries(quick)
    .filter(([name]) => names.includes(name) && name !== tried)
    .flatMap(([name, value]) => [`--${name}`, value]);
}

interface Ended {
  readonly exitCode: unknown;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command in this process: a second for each would be too long. */
async function run(args: readonly string[]): Promise<Ended> {
  const [output, errors]: [string[], string[]] = [[], []];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
  vi.spyOn(console, "warn").mockImplementation((text) => void errors.push(String(text)));
  process.exitCode = undefined;
  try {
    await main(["node", "unplugin-kernel", ...args], "0.0.0");
    return { exitCode: process.exitCode ?? 0, output: output.join(""), errors: errors.join("") };
  } finally {
    vi.restoreAllMocks();
  }
}

/** Says what is wrong with the way a command ended; null: nothing. */
async function mistake(args: readonly string[]): Promise<string | null> {
  const shown = args.map((word) => (word.length > 40 ? `${word.slice(0, 20)}…` : word)).join(" ");
  try {
    const { exitCode, output, errors } = await run([...args, "--json"]);
    if (![0, 1, 2, 3].includes(exitCode as number)) return `${shown}: exit code ${exitCode}`;
    if (/\n\s+at .*:\d+/.test(errors)) return `${shown}: a stack: ${errors}`;
    const value: unknown = JSON.parse(output);
    return typeof value === "object" && value !== null ? null : `${shown}: printed ${output}`;
  } catch (error) {
    return `${shown}: ${error instanceof Error ? error.stack : error}`;
  }
}

/** Things that may lie in a project in place of what a command looks for. */
const broken: Readonly<Record<string, (root: string) => void>> = {
  "package.json is a folder": (root) => replaceByFolder(join(root, "package.json")),
  "package.json is empty": (root) => writeFileSync(join(root, "package.json"), ""),
  "package.json is a list": (root) => writeFileSync(join(root, "package.json"), "[]"),
  "tsconfig.json is a folder": (root) => mkdirSync(join(root, "tsconfig.json")),
  "tsconfig.json is no JSON": (root) => writeFileSync(join(root, "tsconfig.json"), "{"),
  "the lock is a folder": (root) => mkdirSync(join(root, "kernels.lock.json")),
  "the lock is empty": (root) => writeFileSync(join(root, "kernels.lock.json"), ""),
  "the lock is no text": (root) => writeFileSync(join(root, "kernels.lock.json"), Buffer.from([0xff, 0, 0xfe])),
  "the store is a file": (root) => {
    mkdirSync(join(root, "node_modules/.cache"));
    writeFileSync(join(root, "node_modules/.cache/unplugin-kernel"), "");
  },
  "the operator is a folder": (root) => replaceByFolder(join(root, "src/gemm.op.ts")),
  "the operator is empty": (root) => writeFileSync(join(root, "src/gemm.op.ts"), ""),
  "the operator throws text": (root) => writeFileSync(join(root, "src/gemm.op.ts"), 'throw "text";'),
  "the program is no program": (root) =>
    writeFileSync(join(root, "src/main.ts"), 'import x from "./gemm.op.ts?tune=wasm"; }'),
  "the types are a folder": (root) => mkdirSync(join(root, "src/kernel-imports.d.ts")),
  "the report is a folder": (root) => mkdirSync(join(root, "unplugin-kernel-report.html")),
};

function replaceByFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

describe.each(commands.flatMap((command) => callsOf(command).map((call) => ({ command, ...call }))))(
  "$words",
  ({ command, words: called, takes }) => {
    const root = project();
    const all = [...command.options, ...commonOptionsOf(command)];
    const given = all.flatMap(({ flags }) => {
      const [, placeholder] = /<([^>]+)>/.exec(flags) ?? [];
      return placeholder === undefined ? [] : [{ name: nameOfFlag(flags), placeholder }];
    });

    turn.each(given)("--$name with what is no $placeholder", async ({ name, placeholder }) => {
      const found: (string | null)[] = [];
      for (const value of valuesFor(placeholder)) {
        // A path is relative to the root, or to the working directory for --root itself.
        const flags =
          name === "root"
            ? [`--root=${join(root, value)}`]
            : [`--root=${root}`, `--${name}=${inRoot(root, name, value)}`];
        const argument = takes?.startsWith("<") ? ["src/gemm.op.ts?tune=wasm"] : [];
        found.push(await mistake([...called, ...argument, ...quickly(command, name), ...flags]));
      }
      expect(found.filter((it) => it !== null)).toEqual([]);
      expect(readFileSync(join(root, "own/file.txt"), "utf8")).toBe(own);
    });

    if (takes !== null)
      turn(`${takes} that it cannot use`, async () => {
        const found: (string | null)[] = [];
        for (const value of [...paths, ...words])
          found.push(await mistake([...called, value, ...quickly(command, null), `--root=${root}`]));
        expect(found.filter((it) => it !== null)).toEqual([]);
        expect(readFileSync(join(root, "own/file.txt"), "utf8")).toBe(own);
      });

    turn.each(Object.entries(broken))("%s", async (_, spoil) => {
      const spoilt = project();
      spoil(spoilt);
      for (const rest of takes === null ? [[]] : [[], ["decisions.jsonl"], ["src/gemm.op.ts?tune=wasm"]])
        expect(await mistake([...called, ...rest, ...quickly(command, null), `--root=${spoilt}`])).toBe(null);
    });

    test("an option that nobody knows, and one without its value", async () => {
      const value = all.find(({ flags }) => flags.includes("<"))!;
      for (const flag of ["--nobody-knows", `--${nameOfFlag(value.flags)}`]) {
        const { exitCode, output } = await run([...called, "--json", flag]);
        expect([exitCode, JSON.parse(output).error.code]).toEqual([2, "command.bad-argument"]);
      }
    });
  },
);

describe("what is no folder, or nothing at all", () => {
  const root = project();
  const error = async (...args: readonly string[]) => {
    const { exitCode, output } = await run([...args, "--json"]);
    return [exitCode, JSON.parse(output).error.message];
  };

  test("is no root and no output of a build", async () => {
    const file = join(root, "own/file.txt");
    expect(await error("tune", `--root=${file}`)).toEqual([2, `${file} is no folder`]);
    expect(await error("verify", `--root=${root}`, "--output=own/file.txt")).toEqual([2, "own/file.txt is no folder"]);
    expect(await error("verify", `--root=${root}`, "--output=absent")).toEqual([2, "there is no absent"]);
  });

  test("is no argument", async () => {
    expect(await error("pack", "", `--root=${root}`)).toEqual([2, "an argument is empty"]);
  });

  turn("an output without a kernel is named by verify", async () => {
    await run(["tune", "--trials=1", `--root=${root}`]);
    const { exitCode, output } = await run(["verify", "--output=folder", `--root=${root}`]);
    expect([exitCode, output]).toEqual([
      0,
      expect.stringContaining("none     of the files in folder is of a kernel, so nothing was compared there"),
    ]);
  });
});

test("a full disk is a line", async () => {
  const { exitCode, output } = await run(["types", "--out=/dev/full", "--json", `--root=${project()}`]);
  expect([exitCode, JSON.parse(output).error]).toEqual([
    1,
    expect.objectContaining({ code: "command.no-access", message: expect.stringContaining("ENOSPC") }),
  ]);
});

/** Options that write a file where they are told to, from the working directory: those are kept within the project. */
const fromHere = ["describe", "job"];
const inRoot = (root: string, name: string, value: string): string =>
  fromHere.includes(name) && value !== "" ? join(root, value) : value;
