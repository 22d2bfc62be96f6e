// The recipes for CI: their commands, taken from docs/recipes.md and run as shell in a project, from a store that somebody
// poisoned. `npm ci` is the one that is not run, as it would ask a registry: it empties the cache in node_modules, as the real one does.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../src/compiler/index.ts";
import { runCli, writeProject } from "../cli/project.ts";
import { skipReason } from "../native/compiled.ts";
import { outputFiles } from "../support/build-app.ts";
import { plants } from "../support/foreign-store.ts";
import { inTurn, isLong, longNote } from "../support/long.ts";

const turn = inTurn(2);

const repository = join(import.meta.dirname, "../..");
const page = readFileSync(join(repository, "docs/recipes.md"), "utf8");
const why = skipReason ? ` (${skipReason})` : "";

/** The file of this name on the page. */
function recipe(name: string): readonly string[] {
  const text = [...page.matchAll(/^```yaml\n(# (\S+)\n[\s\S]*?)^```/gm)].find(([, , found]) => found === name)?.[1];
  return (text ?? "").split("\n");
}

const withoutComment = (command: string): string => command.replace(/\s+#.*$/, "").trim();

/** Commands of a workflow of GitHub: each `run:`. */
const githubCommands = recipe(".github/workflows/build.yml").flatMap((line) => {
  const command = /^\s+- run: (.+)$/.exec(line)?.[1];
  return command ? [withoutComment(command)] : [];
});

/** Commands of a job of GitLab: the list under `script:`. */
const gitlabLines = recipe(".gitlab-ci.yml");
const gitlabCommands = gitlabLines
  .slice(gitlabLines.indexOf("  script:") + 1)
  .flatMap((line) => (line.startsWith("    - ") ? [withoutComment(line.slice(6))] : []));

const services = [
  { name: "GitHub", commands: githubCommands, store: "node_modules/.cache/unplugin-kernel" },
  { name: "GitLab", commands: gitlabCommands, store: ".kernels" },
] as const;

test("the page has the commands of two services, and says whom it trusts", () => {
  for (const { commands } of services) {
    expect(commands[0]).toMatch(/^npm ci/);
    expect(commands).toContain("npm run build");
    expect(commands.at(-1)).toMatch(/^npx unplugin-kernel verify .*--output dist$/);
  }
  for (const file of [recipe(".github/workflows/build.yml"), gitlabLines]) {
    expect(file.join("\n")).toContain("UNPLUGIN_KERNEL_STORE_KEY");
  }
  // A pull request saves no cache.
  expect(recipe(".github/workflows/build.yml").join("\n")).toMatch(/cache\/save@v4\n\s+if: github\.ref_protected\n/);
  expect(page).not.toMatch(/uses: actions\/cache@/);
});

const esbuild = createRequire(import.meta.url).resolve("esbuild");

const files = (store: string) => ({
  "package.json": JSON.stringify({ name: "app", private: true, type: "module", scripts: { build: "node build.mjs" } }),
  "build.mjs": `import { createRequire } from "node:module";
import kernel from "unplugin-kernel/esbuild";
const { build } = createRequire(import.meta.url)(${JSON.stringify(esbuild)});
await build({ entryPoints: ["src/main.js"], bundle: true, format: "esm", platform: "node", outdir: "dist",
  plugins: [kernel({ cacheDir: ${JSON.stringify(store)} })], logLevel: "error" });
`,
  "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`,
  "src/main.js": `import native from "./gemm.op.ts?tune=avx2";
import wasm from "./gemm.op.ts?tune=wasm";
const ones = () => new Float32Array(256).fill(1);
console.log(JSON.stringify([native(ones(), ones())[0], wasm(ones(), ones())[0]]));
`,
});

/** Scripts for the PATH: npm, which does all but install, and the package's own. */
function toolsOf(root: string): string {
  const tools = mkdtempSync(join(tmpdir(), "tools-"));
  const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
  const script = (path: string, text: string): void => {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  };
  script(join(tools, "npm"), `if [ "$1" = ci ]; then rm -rf node_modules/.cache; else exec ${npm} "$@"; fi`);
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  script(
    join(root, "node_modules/.bin/unplugin-kernel"),
    `exec "${process.execPath}" "${join(repository, "dist/cli.js")}" "$@"`,
  );
  return tools;
}

interface Job {
  readonly root: string;
  readonly commands: readonly string[];
  /** Called after the first command, `npm ci`: where a service restores its cache. */
  readonly restore: () => void;
  readonly key?: string;
}

/** Runs the commands as a job on a fresh runner, which has a home of its own; what they printed, and their exit codes. */
function runJob({ root, commands, restore, key = "" }: Job) {
  const tools = toolsOf(root);
  const home = mkdtempSync(join(tmpdir(), "home-"));
  const { XDG_CONFIG_HOME: _, ...environment } = process.env;
  const env = {
    ...environment,
    CI: "1",
    HOME: home,
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    UNPLUGIN_KERNEL_STORE_KEY: key,
  };
  return commands.map((command, at) => {
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", command], { cwd: root, encoding: "utf8", env });
    if (at === 0) restore();
    return { command, status, output: stdout + stderr };
  });
}

const shipped = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(outputFiles(root, "dist").map((file) => [file, sha256(readFileSync(join(root, "dist", file)))]));

const failures = (steps: ReturnType<typeof runJob>) => steps.filter(({ status }) => status !== 0);

type Service = (typeof services)[number];
const [github, gitlab] = services;

describe.skipIf(skipReason)(`${github.name}${why}`, () => testJobs(github));
// It differs in where the store lies.
describe.skipIf(skipReason || !isLong)(`${gitlab.name}${why || longNote}`, () => testJobs(gitlab));

function testJobs({ commands, store }: Service): void {
  const key = "ab".repeat(32);
  let root = "";
  let honest: Readonly<Record<string, string>> = {};
  let saved = "";
  beforeAll(() => {
    root = writeProject(files(store));
    expect(runCli(root, "tune", "--trials", "2", "--cache-dir", mkdtempSync(join(tmpdir(), "own-"))).exitCode).toBe(0);
    expect(runCli(root, "types").exitCode).toBe(0);
    rmSync(join(root, store), { recursive: true, force: true });
    expect(failures(runJob({ root, commands, restore: () => undefined, key }))).toEqual([]);
    honest = shipped(root);
    saved = mkdtempSync(join(tmpdir(), "saved-"));
    cpSync(join(root, store), saved, { recursive: true });
  });

  turn("a job that shares its secret takes what is in its store, and ships the same", () => {
    rmSync(join(root, "dist"), { recursive: true });
    rmSync(join(root, store), { recursive: true, force: true });
    const restore = () => cpSync(saved, join(root, store), { recursive: true });
    const steps = runJob({ root, commands, restore, key });
    expect(failures(steps)).toEqual([]);
    expect(steps.find(({ command }) => command === "npm run build")!.output).toContain(" 0 compiler runs,");
    expect(shipped(root)).toEqual(honest);
  });

  turn("a job without the secret, such as a fork's, ships nothing of a poisoned store", async () => {
    const poisoned = mkdtempSync(join(tmpdir(), "poisoned-"));
    const marker = join(root, "planted.txt");
    cpSync(saved, poisoned, { recursive: true });
    for (const plant of Object.values(plants)) expect(await plant(poisoned, marker)).toBeGreaterThan(0);
    rmSync(join(root, "dist"), { recursive: true, force: true });
    rmSync(join(root, store), { recursive: true, force: true });
    const restore = () => cpSync(poisoned, join(root, store), { recursive: true });
    const steps = runJob({ root, commands, restore });
    expect(failures(steps)).toEqual([]);
    expect(steps.find(({ command }) => command === "npm run build")!.output).toContain(
      "entries of the store are not of this user's builds",
    );
    expect(steps.at(-1)!.output).toContain("foreign  ");
    expect(shipped(root)).toEqual(honest);
    expect(existsSync(marker)).toBe(false);
  });
}
