// The lock of what measures: one process of a machine at a time, whichever user's and container's it is. A lock of the machine
// keeps out the processes of this container, a file in the cache directory those of others that share it. Nobody waits for
// ever: after a limit it is measured without the lock, and said that times may be disturbed.

import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { processSpace } from "../process/process-identity.ts";
import { acquireFileLock } from "./file-lock.ts";
import { LockTimeout, type WaitOptions } from "./lock-wait.ts";
import { acquireMachineLock } from "./machine-lock.ts";

/** What is said of a wait. */
export interface Notice {
  readonly level: "info" | "warn";
  readonly line: string;
}

export interface MeasureLockOptions {
  /** Cache directory, which containers of this machine may share; null: none. */
  readonly directory: string | null;
  readonly onNotice: (notice: Notice) => void;
  /** Milliseconds after which a wait is said; default: 3,000. */
  readonly sayAfterMs?: number;
  /** Milliseconds after which it is measured without the lock; default: 60,000. */
  readonly giveUpAfterMs?: number;
  /** The same, where one holder has had it all the time; default: 20,000. */
  readonly giveUpOnOneAfterMs?: number;
}

export interface MeasureLock {
  /** Runs `work` while nobody else of the machine measures, or after the limit. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

interface Held {
  release(): Promise<void>;
}

/** A measurement stands still without touching the file: longer than any of them takes, a holder is gone. */
const staleAfterMs = 30_000;

/** A measurement takes 3 seconds at most: longer, it is somebody's `bench`, or nobody who measures. A tuning has 30 for all. */
const longestOfOneMs = 20_000;

/** Milliseconds between two lines: on a busy machine each measurement waits. */
const betweenLinesMs = 60_000;

/** File in the cache directory to which, where it exists, the beginning and the end of each measurement are written. */
export const traceName = "measuring.trace.jsonl";

export function createMeasureLock(options: MeasureLockOptions): MeasureLock {
  const { directory, onNotice, sayAfterMs, giveUpAfterMs = 60_000, giveUpOnOneAfterMs = longestOfOneMs } = options;
  const trace = traceOf(directory);
  const file = directory === null ? null : fileIn(directory);
  let saidMs = Number.NEGATIVE_INFINITY;
  const onWait = (holder: string): void => {
    if (performance.now() - saidMs < betweenLinesMs) return;
    saidMs = performance.now();
    onNotice({ level: "info", line: `waiting to measure: ${holder} measures on this machine` });
  };

  const takers: readonly ((wait: WaitOptions) => Promise<Held>)[] = [
    (wait) => acquireMachineLock("measure", wait),
    ...(file === null ? [] : [(wait: WaitOptions) => acquireFileLock(file, { ...wait, staleAfterMs })]),
  ];
  /** Locks that were not free for too long: they are tried once a measurement until they are free again. */
  const givenUp = new Set<number>();

  async function take(at: number): Promise<Held | null> {
    try {
      const limit = givenUp.has(at) ? 0 : giveUpAfterMs;
      const held = await takers[at]!({ onWait, sayAfterMs, giveUpAfterMs: limit, giveUpOnOneAfterMs });
      givenUp.delete(at);
      return held;
    } catch (error) {
      if (error instanceof LockTimeout) {
        if (!givenUp.has(at)) onNotice({ level: "warn", line: disturbed(error) });
        givenUp.add(at);
        return null;
      }
      // A directory that cannot be written: containers do not share what they measure for.
      if (at > 0 && error instanceof Error && "syscall" in error) return null;
      throw error;
    }
  }

  return {
    async alone(work) {
      const held: (Held | null)[] = [];
      try {
        for (const at of takers.keys()) held.push(await take(at));
        trace("begin");
        return await work();
      } finally {
        trace("end");
        for (const lock of held.reverse()) await lock?.release();
      }
    },
  };
}

const disturbed = ({ message }: LockTimeout): string =>
  `measuring without the lock of the machine: ${message}; times may be disturbed`;

/** One file a machine: those on a network file system do not disturb each other. */
function fileIn(directory: string): string {
  try {
    mkdirSync(directory, { recursive: true });
  } catch {
    // A store that cannot be written: taking the lock finds out.
  }
  const { boot, host } = processSpace();
  return join(directory, `measuring-${sha256(boot || host).slice(0, 8)}.lock`);
}

/** Returns what notes a moment, by a clock that the processes of a machine share. */
function traceOf(directory: string | null): (kind: "begin" | "end") => void {
  const path = directory === null ? null : join(directory, traceName);
  if (path === null || !existsSync(path)) return () => undefined;
  return (kind) => {
    const ns = String(process.hrtime.bigint());
    appendFileSync(path, `${JSON.stringify({ kind, pid: process.pid, node: process.versions.node, ns })}\n`);
  };
}
