// Git's merge driver for lock files: the line of .gitattributes, which is committed, and the command that each clone needs once, since a
// repository may not bring programs that git runs.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PackageManager } from "../../plugin/support/package-manager.ts";

const driver = "unplugin-kernel";
const attribute = `kernels.lock.json merge=${driver}`;

/** Folder that has the repository's .git; null: the project is in no repository. */
function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, ".git"))) return folder;
  const above = dirname(folder);
  return above === folder ? null : repositoryOf(above);
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Says whether one of the files of attributes from the project up to its repository names the driver. */
function isNamed(folder: string, repository: string): boolean {
  if (textOf(join(folder, ".gitattributes")).includes(`merge=${driver}`)) return true;
  return folder !== repository && isNamed(dirname(folder), repository);
}

/** Text of the project's .gitattributes with the driver; null: it is named already, or there is no repository. */
export function attributesWithDriver(root: string): string | null {
  const repository = repositoryOf(root);
  if (repository === null || isNamed(root, repository)) return null;
  const text = textOf(join(root, ".gitattributes"));
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${attribute}\n`;
}

/** Says whether there is nothing to tell git: no repository, or its own configuration has the driver. */
export function isMergeWired(root: string): boolean {
  const repository = repositoryOf(root);
  // In a worktree .git is a file; its configuration is elsewhere, and telling git twice does no harm.
  return repository === null || textOf(join(repository, ".git/config")).includes(`[merge "${driver}"]`);
}

export const driverCommand = (manager: PackageManager): string =>
  `git config merge.${driver}.driver "${manager.execute("unplugin-kernel merge-lock %O %A %B")}"`;
