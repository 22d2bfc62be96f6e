// The records of the cache directory, for a tuning that goes on when they cannot be read or written: a full or read-only
// disk costs one warning, and memory keeps what was measured.

import { join } from "node:path";
import { memoryDatabase, openDatabase, type RecordDatabase } from "../../../tuner/record/database.ts";
import { appendTuning, type LoggedTuning } from "../../../tuner/tuning/tuning-log.ts";

export const recordsFile = (cacheDir: string): string => join(cacheDir, "records.jsonl");
export const tuningsFile = (cacheDir: string): string => join(cacheDir, "tunings.jsonl");

/** Logs a tuning. The log is not needed to build a kernel: what cannot be written is left out. */
export function logTuning(path: string, tuning: LoggedTuning): void {
  try {
    appendTuning(path, tuning);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

export function openRecords(path: string, warn: (line: string) => void): RecordDatabase {
  let isWarned = false;
  const orWarn = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (!isWarned) warn(`measurements are not kept: ${error.message}`);
      isWarned = true;
      return otherwise;
    }
  };
  const database = orWarn(() => openDatabase(path), memoryDatabase());
  return { ...database, append: (record) => orWarn(() => database.append(record), undefined) };
}

/** Says whether an error is the file system's. Our own errors do not have both `syscall` and `code`. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error;
