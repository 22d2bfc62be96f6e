// A lock between processes that share a folder and nothing else: containers, users, machines. It is a file that can be
// created once, which names its holder.
//
//   released     the holder removes the file
//   left over    its process is dead; where that cannot be asked (another PID namespace, another machine), nobody touched
//                the file for `staleAfterMs`. Who waits sees that by his own clock, since those of machines differ
//   taken over   by renaming it away: of two thieves one gets it, and the other finds another file than he saw, and puts it
//                back. In the moment between, a third may come: a holder asks `isHeld` before what cannot be undone

import { randomUUID } from "node:crypto";
import { futimes } from "node:fs";
import { type FileHandle, link, open, rename, rm, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { readRegularFile } from "../file/regular-file.ts";
import { processSpace } from "../process/process-identity.ts";
import { describeHolder, type Holder, holderOf, isDead } from "./lock-holder.ts";
import { type WaitOptions, waitForLock } from "./lock-wait.ts";

export interface FileLock {
  /** Whether the file is this holder's still. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface FileLockOptions extends WaitOptions {
  /** Milliseconds after which a file that nobody touched is left over; default: 10,000. */
  readonly staleAfterMs?: number | undefined;
}

/** A lock file as it was seen. */
interface Seen {
  /** Changes with every other file of that name, and with every touch. */
  readonly identity: string;
  /** Null where the file cannot be read, or is not written yet. */
  readonly holder: Holder | null;
}

const pollMs = 10;

/**
 * Milliseconds in which a refusal may be of the moment. On Windows a file that is being removed stays for as long as somebody looks at it, and until
 * then the system refuses all who ask for its name; a folder that cannot be written it refuses in the same words.
 */
const refusalMs = process.platform === "win32" ? 2_000 : 0;

const isRefusal = (error: unknown): boolean =>
  ["EPERM", "EACCES", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Returns what makes an attempt of an attempt that may be refused: null, as if somebody held the lock, but not for long. */
function patient<T>(attempt: () => Promise<T | null>): () => Promise<T | null> {
  let sinceMs: number | null = null;
  return async () => {
    try {
      const result = await attempt();
      sinceMs = null;
      return result;
    } catch (error) {
      sinceMs ??= performance.now();
      if (!isRefusal(error) || performance.now() - sinceMs >= refusalMs) throw error;
      return null;
    }
  };
}

/**
 * Waits for the lock and takes it. Not reentrant.
 *
 * @throws LockTimeout, and errors of the system where the file cannot be made
 */
export function acquireFileLock(path: string, options: FileLockOptions = {}): Promise<FileLock> {
  const { staleAfterMs = 10_000 } = options;
  const watch = { identity: "", sinceMs: 0 };
  let last: Seen | null = null;

  async function attempt(): Promise<FileLock | null> {
    const lock = await create(path, staleAfterMs);
    if (lock) return lock;
    last = await look(path);
    if (!last) return create(path, staleAfterMs);
    if (last.identity !== watch.identity) {
      watch.identity = last.identity;
      watch.sinceMs = performance.now();
    }
    const isStale = isDead(last.holder) || performance.now() - watch.sinceMs > staleAfterMs;
    return isStale && (await takeAway(path, last)) ? create(path, staleAfterMs) : null;
  }
  return waitForLock(
    { attempt: patient(attempt), holder: async () => describeHolder(last?.holder ?? null), pollMs },
    options,
  );
}

async function create(path: string, staleAfterMs: number): Promise<FileLock | null> {
  const holder: Holder = {
    token: randomUUID(),
    pid: process.pid,
    since: new Date().toISOString(),
    ...processSpace(),
  };
  let handle: FileHandle;
  try {
    handle = await open(path, "wx", 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    throw error;
  }
  try {
    await handle.writeFile(`${JSON.stringify(holder)}\n`);
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  return held(path, handle, holder.token, staleAfterMs);
}

function held(path: string, handle: FileHandle, token: string, staleAfterMs: number): FileLock {
  // By the file's number: the name may be another holder's by then.
  const touch = (): Promise<void> => promisify(futimes)(handle.fd, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(touch, staleAfterMs / 4);
  timer.unref();
  const isHeld = async (): Promise<boolean> => (await look(path))?.holder?.token === token;
  return {
    isHeld,
    async release() {
      clearInterval(timer);
      await handle.close();
      if (await isHeld()) await rm(path, { force: true, maxRetries: 5, retryDelay: 20 });
    },
  };
}

/** Looks at a lock file; null: there is none. */
async function look(path: string): Promise<Seen | null> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    const holder = holderAt(path);
    return { identity: `${ino} ${mtimeMs} ${size} ${holder?.token ?? ""}`, holder };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function holderAt(path: string): Holder | null {
  try {
    return holderOf(readRegularFile(path).toString("utf8"));
  } catch {
    return null;
  }
}

/** Takes a file away that was seen to be left over. Says whether it was that one. */
async function takeAway(path: string, seen: Seen): Promise<boolean> {
  const away = `${path}.${randomUUID()}.tmp`;
  try {
    await rename(path, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const isThat = (await look(away))?.identity === seen.identity;
  if (!isThat) await link(away, path).catch(() => undefined);
  await rm(away, { force: true });
  return isThat;
}
