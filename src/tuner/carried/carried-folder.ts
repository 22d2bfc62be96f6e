// A folder that is carried to another machine: the folders of kernels, and beside them the program that measures there.

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kernelsIn = (folder: string): string => join(folder, "kernels");

/** Path of a kernel's folder. @param name of letters that paths may have */
export const kernelFolder = (folder: string, name: string, task: string): string =>
  join(kernelsIn(folder), `${name}-${task.slice(0, 12)}`);

/** Paths of the kernels' folders, in their order; what a killed process left is none. */
export const kernelFolders = (folder: string): readonly string[] =>
  existsSync(kernelsIn(folder))
    ? readdirSync(kernelsIn(folder))
        .filter((name) => !name.endsWith(".new"))
        .sort()
        .map((name) => join(kernelsIn(folder), name))
    : [];

/** Names of all that such a folder may hold; a process that was killed leaves some of them out. */
const own: ReadonlySet<string> = new Set([
  ...["kernels", "measure.mjs", "native", "node_modules", "package.json", "package-lock.json", "LICENSES.txt"],
]);

/** Says whether a folder is one of these, or may become one. */
export function isCarriedFolder(folder: string): boolean {
  if (!existsSync(folder)) return true;
  return statSync(folder).isDirectory() && readdirSync(folder).every((name) => own.has(name));
}

/**
 * Puts the program into a folder.
 *
 * @param program folder with the program, as it was built
 * @param packages folders of packages that it imports, by name
 */
export function writeProgram(folder: string, program: string, packages: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  cpSync(program, folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
  for (const [name, from] of packages) {
    const to = join(folder, "node_modules", name);
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, dereference: true });
  }
}
