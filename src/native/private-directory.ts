// Temporary directories of our own, named by machine and process, so that what a killed process left can be told from
// what another one is using: unplugin-kernel-3f2a9c01-4711-Xb3k9Q.

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../compiler/index.ts";

/** Digest of the host's name: containers may share the directory, and each counts its processes from 1. */
const machine = sha256(hostname()).slice(0, 8);
const ownName = new RegExp(`^unplugin-kernel-${machine}-(\\d+)-`);

/**
 * Age in milliseconds from which a directory is left over: no build lasts this long, so its process number is another's by
 * now.
 */
const longestUseMs = 86_400_000;

/** Runs `work` with an empty directory that only this user can read, and removes it when the work ends or fails. */
export async function withPrivateDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `unplugin-kernel-${machine}-${process.pid}-`));
  try {
    return await work(directory);
  } finally {
    await remove(directory);
  }
}

/** Removes what killed processes left behind. Another process, or another user's rights, may be in the way: no harm done. */
async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names) {
    const [, pid] = ownName.exec(name) ?? [];
    if (pid && (await isLeftover(join(tmpdir(), name), Number(pid)))) {
      await remove(join(tmpdir(), name)).catch(() => undefined);
    }
  }
}

async function isLeftover(directory: string, pid: number): Promise<boolean> {
  if (pid === process.pid) return false;
  if (!isRunning(pid)) return true;
  const facts = await stat(directory).catch(() => null);
  return facts !== null && Date.now() - facts.mtimeMs > longestUseMs;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a directory, with retries: Windows holds loaded addons for a moment after their process has gone. */
const remove = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 3 });
