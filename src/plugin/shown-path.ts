// How messages write a path: short where it lies below a folder, else whole. A chain of ../../.. says nothing.

import { isAbsolute, relative, sep } from "node:path";

/** @example shownPath("/app/build/kernels.html", "/app") // "build/kernels.html" */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path;
}
