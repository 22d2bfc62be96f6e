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
  /** The same, where it is one holder who never let go of it in all that time, as far as that is known; default: it goes on. */
  readonly giveUpOnOneAfterMs?: number | undefined;
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
  /** Identity of what is held now: a holder who takes it again has another one. Null: it is not known. */
  holding?(): Promise<string | null>;
  /** Milliseconds between attempts. */
  readonly pollMs: number;
}

/** Milliseconds between two looks at who holds it, which cost more than an attempt. */
const lookMs = 250;

/** Returns what tells for how many milliseconds one holder has had the lock without letting go, at least: 0 where that is not known. */
function createWatch(holding: Contended<unknown>["holding"]): () => Promise<number> {
  const seen: { identity: string | null; sinceMs: number; lookedMs: number } = {
    identity: null,
    sinceMs: 0,
    lookedMs: Number.NEGATIVE_INFINITY,
  };
  return async () => {
    const now = performance.now();
    if (now - seen.lookedMs >= lookMs) {
      seen.lookedMs = now;
      const identity = (await holding?.()) ?? null;
      if (identity !== seen.identity) Object.assign(seen, { identity, sinceMs: now });
    }
    return seen.identity === null ? 0 : now - seen.sinceMs;
  };
}

export async function waitForLock<T>(contended: Contended<T>, options: WaitOptions): Promise<T> {
  const { attempt, holder, pollMs, holding } = contended;
  const { signal, onWait, sayAfterMs = 3_000, giveUpAfterMs = Number.POSITIVE_INFINITY } = options;
  const { giveUpOnOneAfterMs = Number.POSITIVE_INFINITY } = options;
  const start = performance.now();
  const heldMs = createWatch(Number.isFinite(giveUpOnOneAfterMs) ? holding : undefined);
  let hasSaid = false;
  for (;;) {
    signal?.throwIfAborted();
    const lock = await attempt();
    if (lock) return lock;
    const waitedMs = performance.now() - start;
    if (waitedMs >= giveUpAfterMs || (await heldMs()) >= giveUpOnOneAfterMs)
      throw new LockTimeout(await holder(), waitedMs);
    if (!hasSaid && onWait && waitedMs >= sayAfterMs) {
      hasSaid = true;
      onWait(await holder());
    }
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
