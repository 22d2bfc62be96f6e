// The programs of README.md, docs/first-kernel.md and docs/shapes.md: each page's files are one project, which is built with the plugin and run.
// The output of each is the one on the page.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inTurn } from "../support/long.ts";

const turn = inTurn(3);

const repository = resolve(import.meta.dirname, "../..");
const cacheDir = mkdtempSync(join(tmpdir(), "store-"));
// The plugin is frozen where CI is set, and these projects have no lock.
vi.stubEnv("CI", undefined);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(cacheDir, { recursive: true, force: true });
});

interface Page {
  /** Path → text, of the blocks whose first line is a path. */
  readonly files: ReadonlyMap<string, string>;
  /** Text that follows "It prints:". */
  readonly printed: string;
}

function readPage(name: string): Page {
  const text = readFileSync(join(repository, "docs", name), "utf8");
  const blocks = [...text.matchAll(/^```ts\n\/\/ (src\/\S+)\n([\s\S]+?)^```/gm)];
  const [, printed = ""] = /It prints:\n\n```text\n([\s\S]+?)```/.exec(text) ?? [];
  return { files: new Map(blocks.map(([, path, code]) => [path!, code!])), printed };
}

/** A project on disk in which the package is installed. */
function projectOf({ files }: Page): string {
  const root = mkdtempSync(join(tmpdir(), "docs-"));
  const options = `{ mode: "predict", logLevel: "silent", cacheDir: ${JSON.stringify(cacheDir)} }`;
  const written = {
    "package.json": '{ "private": true, "type": "module" }',
    "vite.config.js": `import kernel from "unplugin-kernel/vite";\nexport default { plugins: [kernel(${options})] };\n`,
    ...Object.fromEntries(files),
  };
  for (const [path, text] of Object.entries(written)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, "node_modules"));
  symlinkSync(repository, join(root, "node_modules/unplugin-kernel"), "junction");
  return root;
}

const node = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd, encoding: "utf8", stdio: "pipe" });

/** Output of a program of the project, built by Vite for Node. */
function outputOf(root: string, entry: string): string {
  const vite = join(repository, "node_modules/vite/bin/vite.js");
  node(root, vite, "build", "--ssr", entry, "--logLevel", "error");
  return node(root, join("dist", `${basename(entry, ".ts")}.js`));
}

turn.each(["../README.md", "first-kernel.md", "shapes.md"])("docs/%s prints what it says", (name) => {
  const page = readPage(name);
  expect(page.printed).not.toBe("");
  const root = projectOf(page);
  try {
    expect(outputOf(root, "src/main.ts")).toBe(page.printed);
    const others = [...page.files.keys()].filter((path) => !/\.op\.ts$|main\.ts$/.test(path));
    for (const entry of others) expect(outputOf(root, entry)).not.toBe("");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("the front page has at most 150 lines", () => {
  const readme = readFileSync(join(repository, "README.md"), "utf8");
  expect(readme.split("\n").length).toBeLessThanOrEqual(151);
});
