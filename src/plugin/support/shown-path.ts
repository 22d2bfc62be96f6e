// Paths as messages and names write them: with forward slashes on every system, relative to a folder. A chain of ../../.. would say nothing, and
// the name of a kernel is the same on Windows as on Linux.

import { isAbsolute, relative, sep } from "node:path";

/** A file that lies below the folder relative to it, another one absolute. @example shownPath("/app/build/kernels.html", "/app") // "build/kernels.html" */
export function shownPath(file: string, folder: string): string {
  return isBelow(file, folder) ? slashPath(folder, file) : file;
}

/** Whether a file is the folder or lies below it. On Windows a file of another drive has no relative path. */
export function isBelow(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** The path from a folder to a file, with forward slashes. @example slashPath("C:\\app", "C:\\app\\src\\a.op.ts") // "src/a.op.ts" */
export const slashPath = (folder: string, file: string): string => relative(folder, file).split(sep).join("/");
