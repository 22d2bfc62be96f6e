// A small project in a folder of its own, and the command line run in it as users run it.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export const gemm = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`;

/** A folder with these files, in which the package is installed. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "cli-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  mkdirSync(join(root, "node_modules"), { recursive: true });
  symlinkSync(repository, join(root, "node_modules/unplugin-kernel"), "junction");
  return root;
}

export interface Run {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** `npx unplugin-kernel …` in the project, where it is CI that runs it. */
export const runCli = (root: string, ...args: readonly string[]): Run => runCliWith({}, root, ...args);

/** Runs the command line with variables of its own in the environment. */
export function runCliWith(env: NodeJS.ProcessEnv, root: string, ...args: readonly string[]): Run {
  const cli = join(repository, "dist/cli.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, CI: "1", ...env },
  });
  return { exitCode: status, output: stdout, errors: stderr };
}
