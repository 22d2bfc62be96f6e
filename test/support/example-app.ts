// A copy of an example of fixtures/apps as its user has it: its packages installed, those of this repository, and its own commands.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
export const exampleFolder = (name: string): string => join(repository, "fixtures/apps", name);

/** Links a package into a project: this one, or one that this repository has. */
function link(root: string, name: string): void {
  const path = join(root, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(name === "unplugin-kernel" ? repository : join(repository, "node_modules", name), path, "junction");
}

/** @returns the copy's folder */
export function copyExample(name: string): string {
  const root = mkdtempSync(join(tmpdir(), `${name}-`));
  const isSource = (path: string): boolean => !/[\\/](node_modules|dist)$/.test(path);
  cpSync(exampleFolder(name), root, { recursive: true, filter: isSource });
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(devDependencies)) link(root, name);
  return root;
}

/** The file behind a command that a package brings. */
function binOf(root: string, command: string): string {
  const folder = join(root, "node_modules", command);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

/**
 * Runs `scripts.build` of the example, in CI, where nothing is measured.
 *
 * @returns what it printed
 * @throws Error with its messages
 */
export function buildExample(root: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [command, ...args] = scripts.build.split(" ");
  const script = command === "node" ? [] : [binOf(root, command)];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...script, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, CI: "1", NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error(`${scripts.build}:\n${stdout}${stderr}`);
  return stdout + stderr;
}
