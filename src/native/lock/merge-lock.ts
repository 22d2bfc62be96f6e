// The lock under which a file is merged into. It holds between Node's versions, containers, users and machines:
//
//   outside   a lock of the machine, one a user and file: it is released by the kernel, and lets one in at a time. Another
//             user may squat its name, so after some seconds it is done without
//   inside    a file beside the file, which holds between all who see the folder

import { sha256 } from "../../compiler/index.ts";
import { acquireFileLock, type FileLockOptions } from "./file-lock.ts";
import { LockTimeout } from "./lock-wait.ts";
import { acquireMachineLock, type MachineLock } from "./machine-lock.ts";

export interface MergeLockOptions extends Omit<FileLockOptions, "signal"> {
  /** Milliseconds after which the outer lock is done without; default: 5,000. */
  readonly squattedAfterMs?: number;
}

const longestWaitMs = 60_000;

/** Times that work is done again after the lock was taken away: by a process that took this one for dead. */
const mostAttempts = 5;

/**
 * Runs `work` under the lock of a file, again where the lock was lost on the way.
 *
 * @param work asks `isHeld` before it replaces the file, and returns null if it is not
 * @throws LockTimeout, and errors of the system where no file can be made beside the file
 */
export async function withMergeLock<T extends object>(
  file: string,
  options: MergeLockOptions,
  work: (isHeld: () => Promise<boolean>) => Promise<T | null>,
): Promise<T> {
  const { giveUpAfterMs = longestWaitMs, squattedAfterMs = 5_000, ...said } = options;
  const outer = await unlessSquatted(`merge-${process.getuid?.() ?? 0}-${sha256(file).slice(0, 32)}`, squattedAfterMs);
  try {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const lock = await acquireFileLock(`${file}.lock`, { giveUpAfterMs, ...said });
      try {
        const result = await work(lock.isHeld);
        if (result && (await lock.isHeld())) return result;
      } finally {
        await lock.release();
      }
    }
    throw new LockTimeout("another process took it again and again, which", giveUpAfterMs);
  } finally {
    await outer?.release();
  }
}

/** Names that were not free for too long: they are asked for once a time, until they are free. */
const squatted = new Set<string>();

async function unlessSquatted(name: string, giveUpAfterMs: number): Promise<MachineLock | null> {
  try {
    const lock = await acquireMachineLock(name, { giveUpAfterMs: squatted.has(name) ? 0 : giveUpAfterMs });
    squatted.delete(name);
    return lock;
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error;
    squatted.add(name);
    return null;
  }
}
