// An addon as a file under the cache directory, for dev servers, which emit nothing and load it from there.

import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../compiler/index.ts";
import { renameOver } from "../../../native/file/rename-over.ts";
import type { CompileServices } from "../compile-services.ts";

export const addonsFolder = (cacheDir: string): string => join(cacheDir, "addons");

/** Name of an addon's file: that of its kernel, and the beginning of its digest. */
export const addonFileName = (kernel: string, bytes: Uint8Array): string => `${kernel}-${digestIn(bytes)}.node`;

const digestIn = (bytes: Uint8Array): string => sha256(bytes).slice(0, 16);

/** Says whether the bytes of a file are those that its name tells of. */
export const isOfItsName = (name: string, bytes: Uint8Array): boolean => name.endsWith(`-${digestIn(bytes)}.node`);

/**
 * Returns the path of a file with these bytes. A file of that name with other bytes, cut short by a power cut or planted, is
 * replaced. Null: it cannot be written, and there is a warning.
 */
export async function addonFile(
  { options, log }: Pick<CompileServices, "options" | "log">,
  kernel: string,
  bytes: Uint8Array,
): Promise<string | null> {
  const folder = addonsFolder(options.cacheDir);
  const path = join(folder, addonFileName(kernel, bytes));
  try {
    if (await holds(path, bytes)) return path;
    await mkdir(folder, { recursive: true });
    await replaceFlushed(path, bytes);
    return path;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    log.warn(`${path} could not be written: ${error.message}`);
    return null;
  }
}

/** Says whether a file has exactly these bytes. What is no file, or cannot be read, has not: nobody might ever write into a pipe. */
async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await lstat(path)).isFile() && (await readFile(path)).equals(bytes);
  } catch {
    return false;
  }
}

/**
 * Writes a file under another name, flushes it, and renames it: a kill or a power cut leaves no part of an addon under its
 * name, and a program that has the old one mapped keeps that.
 */
async function replaceFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, "wx", 0o644);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
