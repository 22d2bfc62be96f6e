// Paths as messages write them: relative to a folder if the file lies below it, else absolute. A chain of ../../..
// would say nothing.

import { isAbsolute, relative, sep } from "node:path";

/** @example shownPath("/app/build/kernels.html", "/app") // "build/kernels.html" */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path;
}
