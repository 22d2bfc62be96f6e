// Temporary directories of our own, named by machine and process, so that what a killed process left can be told from
// what another one is using: unplugin-kernel-3f2a9c01-4711-Xb3k9Q.

import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { unusableTemp } from "../machine/unusable.ts";
import { isRunning, processSpace } from "../process/process-identity.ts";

const anyName = /^unplugin-kernel-([0-9a-f]{8})-(\d+)-/;

/** Digest of what this process's number belongs to: others that share the directory may have the same number. */
const ownSpace = (): string => {
  const { host, boot, namespace } = processSpace();
  return sha256(`${host} ${boot} ${namespace}`).slice(0, 8);
};

/**
 * Age in milliseconds from which a directory is left over: no build lasts this long, so its process number is another's by
 * now. Of processes that cannot be asked nothing else is known.
 */
const longestUseMs = 86_400_000;

/**
 * Runs `work` with an empty directory that only this user can read, and removes it when the work ends or fails.
 *
 * @throws DiagnosticError `temp.unusable`
 */
export async function withPrivateDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await makeDirectory();
  try {
    return await work(directory);
  } catch (error) {
    throw isFull(error) || isBelow(error, directory) ? unusableTemp((error as Error).message, error) : error;
  } finally {
    await remove(directory);
    await removeHeld();
  }
}

/** Path of no directory: the system refuses a name with a NUL, so that nothing is written where nobody looks for it. */
const noDirectory = "\0";

/** Runs `work` with a private directory where it is needed, else with none: no temporary directory can be in its way. */
export const withDirectoryIf = <T>(isNeeded: boolean, work: (directory: string) => Promise<T>): Promise<T> =>
  isNeeded ? withPrivateDirectory(work) : work(noDirectory);

async function makeDirectory(): Promise<string> {
  try {
    await removeHeld();
    await removeLeftovers();
    return await mkdtemp(join(tmpdir(), `unplugin-kernel-${ownSpace()}-${process.pid}-`));
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw unusableTemp(error.message, error);
  }
}

/** Errors of writing have no path. What is written elsewhere meanwhile is caught there. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

const isBelow = (error: unknown, directory: string): boolean =>
  error instanceof Error && "syscall" in error && ((error as NodeJS.ErrnoException).path ?? "").startsWith(directory);

/** Removes what killed processes left behind. Another process, or another user's rights, may be in the way: no harm done. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, space, pid] = anyName.exec(name) ?? [];
    if (!space || !(await isLeftover(join(tmpdir(), name), space, Number(pid)))) continue;
    await remove(join(tmpdir(), name)).catch(() => undefined);
  }
}

/** A process of another space cannot be asked whether it runs: what is its may go only when it is old. */
async function isLeftover(directory: string, space: string, pid: number): Promise<boolean> {
  const isOurs = space === ownSpace();
  if (isOurs && pid === process.pid) return false;
  if (isOurs && !isRunning(pid)) return true;
  const facts = await stat(directory).catch(() => null);
  return facts !== null && Date.now() - facts.mtimeMs > longestUseMs;
}

/**
 * Directories that Windows does not let go of: a process that measures for others too has an addon in them loaded. They are removed with a later
 * one, or when this process ends; what is left even then, the next process removes.
 */
const held = new Set<string>();

const isHeld = (error: unknown): boolean =>
  process.platform === "win32" &&
  ["EPERM", "EBUSY", "EACCES", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "");

async function remove(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
    held.delete(directory);
  } catch (error) {
    if (!isHeld(error)) throw error;
    if (held.size === 0) process.once("exit", removeAtTheEnd);
    held.add(directory);
  }
}

async function removeHeld(): Promise<void> {
  for (const directory of held) await remove(directory);
}

function removeAtTheEnd(): void {
  for (const directory of held) {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 2 });
    } catch {
      // The next process finds that this one has ended.
    }
  }
}
