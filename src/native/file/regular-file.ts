// Reads files that others may have put there. A pipe has no end until somebody writes into it, opening one waits for that, and some devices
// have no end at all: none of them is read.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** Reads a regular file. Throws what the file system throws, or an error like its own: EINVAL. */
export const readRegularFile = (path: string): Buffer => withRegularFile(path, (file) => readFileSync(file));

/** Opens a regular file for `read`, and closes it again. Throws as `readRegularFile` does. */
export function withRegularFile<T>(path: string, read: (file: number, stats: Stats) => T): T {
  const file = openAtOnce(path);
  try {
    const stats = fstatSync(file);
    refuseIrregular(path, stats);
    return read(file, stats);
  } finally {
    closeSync(file);
  }
}

/** Opens a file to read, and waits for nobody: a pipe is open at once, and empty. Windows has neither such files nor the flag. */
export const openAtOnce = (path: string): number => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));

/** @throws an error like the system's own for a folder, a pipe, a socket or a device */
export function refuseIrregular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw Object.assign(new Error(`${path} is no regular file`), { code: "EINVAL", syscall: "read", path });
}
