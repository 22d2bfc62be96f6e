// Waiting for a lock: attempts until one succeeds, a word after some seconds, an end after many.

import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Aborting ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the lock was not free for `sayAfterMs`, with what is known of its holder. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** Milliseconds; default: 3,000. */
  readonly sayAfterMs?: number | undefined;
  /** Milliseconds after which the wait ends with a `LockTimeout`; default: it goes on. */
  readonly giveUpAfterMs?: number | undefined;
}

/** A lock that was not free for too long. */
export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
  /** Its holder, as a message says it: "process 4711 (node), since 2026-11-25T01:40:12Z". */
  readonly holder: string;

  constructor(holder: string, waitedMs: number) {
    super(`it was not free for ${Math.round(waitedMs / 1000)} s: ${holder} has it`);
    this.holder = holder;
  }
}

/** What an attempt needs. */
export interface Contended<T> {
  /** Takes the lock, or gives null if someone holds it. */
  attempt(): Promise<T | null>;
  /** Says who holds it. */
  holder(): Promise<string>;
  /** Milliseconds between attempts. */
  readonly pollMs: number;
}

export async function waitForLock<T>({ attempt, holder, pollMs }: Contended<T>, options: WaitOptions): Promise<T> {
  const { signal, onWait, sayAfterMs = 3_000, giveUpAfterMs = Number.POSITIVE_INFINITY } = options;
  const start = performance.now();
  let hasSaid = false;
  for (;;) {
    signal?.throwIfAborted();
    const lock = await attempt();
    if (lock) return lock;
    const waitedMs = performance.now() - start;
    if (waitedMs >= giveUpAfterMs) throw new LockTimeout(await holder(), waitedMs);
    if (!hasSaid && onWait && waitedMs >= sayAfterMs) {
      hasSaid = true;
      onWait(await holder());
    }
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
