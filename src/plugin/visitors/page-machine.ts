// A browser as a machine: candidates wait for it in a queue, it asks for the next one and answers. A browser that does not come back loses what
// it was given, and all that waits for it is told.

import { afterMs } from "../../native/machine/clock.ts";
import type { Answer } from "./decode.ts";
import type { Job, Next } from "./messages.ts";

/** Error of work for a browser that has gone. */
export class BrowserGone extends Error {
  constructor(name: string) {
    super(`${name} has gone`);
  }
}

/** Times in milliseconds. */
export interface Patience {
  /** Until a page that asks in vain is told to ask again. */
  readonly askAgain: number;
  /** Until a page that does not ask any more counts as gone. */
  readonly gone: number;
  /** Until a page that has to be told of the end is waited for no longer. */
  readonly farewell: number;
}

const patience: Patience = { askAgain: 10_000, gone: 30_000, farewell: 5_000 };

export interface PageMachine {
  readonly name: string;
  /** Runs a job. Rejects with `BrowserGone`. */
  run(job: Omit<Job, "id" | "kind">): Promise<Answer>;
  /** Answers a page that asks for work. */
  next(): Promise<Next>;
  /** Takes an answer; false: nobody has asked for it. */
  take(answer: Answer): boolean;
  /** Tells the page that there is no more work. Resolves when it has been told, or has not asked for it in time. */
  finish(words: string): Promise<void>;
  /** Notes what a page has been told: it may be the end. */
  told(next: Next): void;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export function createPageMachine(name: string, { askAgain, gone, farewell }: Patience = patience): PageMachine {
  const queue: Waiting[] = [];
  const given = new Map<number, Waiting>();
  let asking: ((next: Next) => void) | null = null;
  let end: Next | null = null;
  let isGone = false;
  let stopWatch = (): void => {};
  let goodbye = (): void => {};
  let last = 0;

  const loseAll = (): void => {
    isGone = true;
    for (const { reject } of [...queue.splice(0), ...given.values()]) reject(new BrowserGone(name));
    given.clear();
  };
  /** The page has been heard of: its absence is counted from now, unless there is nothing left that it could miss. */
  const hear = (): void => {
    stopWatch();
    if (!end) stopWatch = afterMs(gone, loseAll);
  };
  const hand = (): void => {
    const tell = asking;
    if (!tell) return;
    const waiting = queue.shift();
    if (!waiting && !end) return;
    asking = null;
    if (waiting) given.set(waiting.job.id, waiting);
    tell(waiting ? waiting.job : end!);
  };
  hear();

  return {
    name,
    run: (job) =>
      new Promise((resolve, reject) => {
        if (isGone) return reject(new BrowserGone(name));
        queue.push({ job: { ...job, kind: "run", id: last++ }, resolve, reject });
        hand();
      }),
    next: () =>
      new Promise((resolve) => {
        hear();
        // A page that was loaded anew has forgotten what it was given.
        asking?.({ kind: "wait" });
        const stop = afterMs(askAgain, () => {
          if (asking === tell) asking = null;
          resolve({ kind: "wait" });
        });
        const tell = (next: Next): void => {
          stop();
          resolve(next);
        };
        asking = tell;
        hand();
      }),
    take(answer) {
      hear();
      const waiting = given.get(answer.job);
      if (!waiting) return false;
      given.delete(answer.job);
      waiting.resolve(answer);
      return true;
    },
    finish(words) {
      end = { kind: "done", words };
      stopWatch();
      hand();
      return new Promise((resolve) => {
        const stop = afterMs(farewell, resolve);
        goodbye = () => {
          stop();
          resolve();
        };
      });
    },
    told(next) {
      if (next === end) goodbye();
    },
  };
}
