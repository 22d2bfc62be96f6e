// The clock, for the rooms that may not read it themselves: durations shown in logs, never keys or results.

/** Milliseconds from an arbitrary start, monotonic. */
export const nowMs = (): number => performance.now();

/** Milliseconds since 1970: for the age of files. */
export const wallClockMs = (): number => Date.now();

/** Lets others go on meanwhile: in Node and in a browser. */
export const sleepMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
