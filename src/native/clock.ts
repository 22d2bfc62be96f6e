// The clock, for the rooms that may not read it themselves: durations shown in logs, never keys or results.

/** Milliseconds from an arbitrary start, monotonic. */
export const nowMs = (): number => performance.now();

/** Milliseconds since 1970: for the age of files. */
export const wallClockMs = (): number => Date.now();

/** Lets others go on meanwhile: in Node and in a browser. */
export const sleepMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** When all that is to be done at once is done. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does something in a while, unless it is called off by what is returned. */
export function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Aborted after so many milliseconds. */
export const timeoutSignal = (ms: number): AbortSignal => AbortSignal.timeout(Math.max(1, Math.floor(ms)));
