// A lock between processes that the kernel releases when its holder dies, however it dies. No file is left to go stale.
//
//   Linux            listening on an abstract unix socket: one listener a name and network namespace. Containers that share
//                    nothing but a disk do not see each other's: where that matters, file-lock.ts is taken too
//   macOS, Windows   opening a file in the temporary directory with the system's own exclusive flag
//
// Every user of the machine may take any name, and keep it: who waits does so to a limit.

import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WaitOptions, waitForLock } from "./lock-wait.ts";
import { inodeOf, socketHolder } from "./socket-holder.ts";

export interface MachineLock {
  release(): Promise<void>;
}

/** Milliseconds between a waiting process's attempts. An attempt costs 0.1 ms. */
const pollMs = 5;

/**
 * A holder that takes the lock again in a loop must pause this many milliseconds now and then, or waiting processes starve.
 */
export const pauseForOthersMs: number = pollMs + 3;

/**
 * Waits for the lock called `name` ([a-z0-9-], at most 80 characters) and takes it. Not reentrant.
 *
 *     const lock = await acquireMachineLock("measure");
 *     try { … } finally { await lock.release(); }
 *
 * @throws LockTimeout
 */
export const acquireMachineLock = (name: string, options: WaitOptions = {}): Promise<MachineLock> =>
  waitForLock(
    { attempt: () => tryMachineLock(name), holder: () => holderOf(name), holding: () => holdingOf(name), pollMs },
    options,
  );

/** Runs `work` while holding the lock. */
export async function withMachineLock<T>(name: string, options: WaitOptions, work: () => Promise<T>): Promise<T> {
  const lock = await acquireMachineLock(name, options);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

const fullName = (name: string): string => `unplugin-kernel-${name}`;

const holderOf = async (name: string): Promise<string> =>
  process.platform === "linux" ? socketHolder(fullName(name)) : "another process";

/** Each taking of the lock is a socket of its own, with a number of its own. */
const holdingOf = async (name: string): Promise<string | null> =>
  process.platform === "linux" ? inodeOf(fullName(name)).catch(() => null) : null;

/** Takes the lock, or gives null if someone holds it. */
export function tryMachineLock(name: string): Promise<MachineLock | null> {
  return process.platform === "linux" ? listenAbstract(name) : openExclusively(name);
}

/**
 * Name of an abstract socket in all the bytes that an address has. Node 20 fills shorter names up with zeros and later versions do not: each
 * would have a socket of its own, and both versions the lock.
 */
const abstractName = (name: string): string => `\0${fullName(name)}`.padEnd(108, "\0");

async function listenAbstract(name: string): Promise<MachineLock | null> {
  // node:net takes milliseconds to load, and few builds want a lock.
  const { createServer } = await import("node:net");
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen({ path: abstractName(name), exclusive: true }, () =>
      resolve({ release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}

/**
 * Flags of open(2) beyond read-write and create: macOS <fcntl.h> O_EXLOCK | O_NONBLOCK; libuv's UV_FS_O_EXLOCK, which
 * opens without sharing on Windows. Other systems with O_EXLOCK (the BSDs) use the values of macOS.
 */
const exclusiveFlags = { windows: 0x1000_0000, bsd: 0x20 | 0x4 } as const;
const heldCodes: readonly string[] = ["EAGAIN", "EWOULDBLOCK", "EBUSY"];

async function openExclusively(name: string): Promise<MachineLock | null> {
  const windows = process.platform === "win32";
  const flags = windows ? exclusiveFlags.windows | 0x2 | 0x100 : exclusiveFlags.bsd | 0x2 | 0x200;
  try {
    const file = openSync(join(tmpdir(), `${fullName(name)}.lock`), flags, 0o666);
    return { release: async () => closeSync(file) };
  } catch (error) {
    if (heldCodes.includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
