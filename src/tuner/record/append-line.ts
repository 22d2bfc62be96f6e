// Appends a line to a file that several processes append to. Each line is one write to a file opened for appending, so a kill -9
// costs at most the line being written, and the next one starts after it.

import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFile, refuseIrregular } from "../../native/file/regular-file.ts";

/**
 * Appends a line. Throws what the file system throws. O_APPEND makes one write land whole, behind what other processes
 * wrote.
 */
export function appendLine(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "a+");
  try {
    refuseIrregular(path, fstatSync(file));
    const bytes = Buffer.from(`${endsInsideLine(file) ? "\n" : ""}${line}\n`);
    const written = writeSync(file, bytes);
    if (written < bytes.length) throw tornWrite(path, written, bytes.length);
  } finally {
    closeSync(file);
  }
}

/** Reads a file; a missing one is empty. */
export function readOrEmpty(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Makes an error like the system's own for a full disk. */
const tornWrite = (path: string, written: number, wanted: number): NodeJS.ErrnoException =>
  Object.assign(new Error(`ENOSPC: only ${written} of ${wanted} bytes could be written to ${path}`), {
    code: "ENOSPC",
    syscall: "write",
  });

/** Says whether the last line was torn by a kill or a full disk. */
function endsInsideLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() !== "\n";
}
