// docs/adding: each page is followed to the letter in a copy of the sources. The files that it shows are made, its changes are applied where
// their other lines stand, everything is type-checked, and its commands are run.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTurn, longTest } from "../support/long.ts";

const repository = resolve(import.meta.dirname, "../..");
const pages = readdirSync(join(repository, "docs/adding"))
  .filter((name) => name !== "index.md")
  .map((name) => name.replace(/\.md$/, ""));

interface Step {
  readonly language: string;
  /** File that the block shows or changes; "" for commands. */
  readonly file: string;
  readonly text: string;
}

const stepsOf = (page: string): readonly Step[] =>
  [
    ...readFileSync(join(repository, `docs/adding/${page}.md`), "utf8").matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm),
  ].map(([, language = "", file = "", text = ""]) => ({ language, file, text }));

const sidesOf = (text: string, leftOut: "+" | "-"): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith(leftOut))
    .map((line) => line.slice(1))
    .join("\n");

const commandsOf = (page: string): readonly string[] =>
  stepsOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));

let copy = "";

function follow({ language, file, text }: Step): void {
  const path = join(copy, file);
  if (language === "ts" || language === "json") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  }
  if (language === "diff") {
    const before = readFileSync(path, "utf8");
    const [old, made] = [sidesOf(text, "+"), sidesOf(text, "-")];
    expect(before.split(old).length - 1, `places in ${file} that look like\n${old}`).toBe(1);
    writeFileSync(
      path,
      before.replace(old, () => made),
    );
  }
}

/** Runs a command in the copy; its words have no spaces but in quotes. */
function run(command: string): string {
  const [program = "", ...words] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
  const options = { cwd: copy, encoding: "utf8", stdio: "pipe", env: { ...process.env, NO_COLOR: "1" } } as const;
  try {
    return execFileSync(program, words, options);
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command}\n${stdout}${stderr}`);
  }
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "uk-adding-"));
  const leftOut = /[\\/](node_modules|\.git|out|dist|cache)$/;
  cpSync(repository, copy, { recursive: true, filter: (path) => !leftOut.test(path) });
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("the index has every page", () => {
  const index = readFileSync(join(repository, "docs/adding/index.md"), "utf8");
  const linked = [...index.matchAll(/^\| .* \| \[(.*)\]\(\1\.md\) \|$/gm)].map(([, name]) => name);
  expect(linked.toSorted()).toEqual(pages.toSorted());
});

describe.each(pages)("the page %s", (page) => {
  const steps = stepsOf(page);

  test("is followed", () => {
    expect(commandsOf(page)).not.toEqual([]);
    for (const step of steps) follow(step);
  });
});

interface TestRun {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Each command of a page runs some tests of one or more files. They all run at once here, which loads the compiler and starts Vitest once. */
longTest("all of them together lead to what their commands say", () => {
  const commands = pages.flatMap(commandsOf);
  const asked = commands.map((command) => {
    const [, files = "", quoted, word] = /^npx vitest run (.+) -t (?:"([^"]*)"|(\S+))$/.exec(command) ?? [];
    return { command, files: files.split(" "), pattern: quoted ?? word ?? "" };
  });
  for (const { command, files, pattern } of asked) expect([...files, pattern], command).not.toContain("");
  const report = join(copy, "report.json");
  const files = asked.flatMap(({ files }) => files);
  const patterns = asked.map(({ pattern }) => pattern).join("|");
  // Vitest fails where a test does; the report says which one, and why.
  spawnSync("npx", ["vitest", "run", ...files, "-t", patterns, "--reporter=json", `--outputFile=${report}`], {
    cwd: copy,
  });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as TestRun;
  for (const { command, files, pattern } of asked)
    for (const file of files) {
      const results = testResults
        .filter(({ name }) => resolve(name).endsWith(join("/", file)))
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ fullName }) => new RegExp(pattern).test(fullName));
      // Some ask for a tool that is not here.
      const ran = results.filter(({ status }) => status !== "skipped");
      const why = ran.flatMap(({ failureMessages }) => failureMessages).join("\n");
      expect(new Set(ran.map(({ status }) => status)), `${command}: ${file}\n${why}`).toEqual(new Set(["passed"]));
    }
});

inTurn(2)("all of them together type-check", () => {
  expect(run("npx tsc --noEmit -p .")).toBe("");
});
