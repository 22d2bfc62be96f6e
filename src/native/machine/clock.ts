// The clock, for the rooms that may not read it themselves: durations shown in logs, never keys or results.

/** Milliseconds from an arbitrary start, monotonic. */
export const nowMs = (): number => performance.now();

/** Milliseconds since 1970: for the age of files. */
export const wallClockMs = (): number => Date.now();

/** Waits, and lets others go on meanwhile: in Node and in a browser. */
export const sleepMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves after all work that is due at once. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls `work` after `ms` milliseconds. The returned function calls it off. */
export function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Answer of work that took longer than it may. */
export const isLate = Symbol("late");

/** Waits for work, but no longer than `ms` milliseconds. The work goes on; nobody waits for it. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof isLate> {
  let callOff = (): void => undefined;
  const late = new Promise<typeof isLate>((resolve) => {
    callOff = afterMs(ms, () => resolve(isLate));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}

/** Makes a signal that is aborted after `ms` milliseconds, at least 1. */
export const timeoutSignal = (ms: number): AbortSignal => AbortSignal.timeout(Math.max(1, Math.floor(ms)));

/** The time in ISO 8601, for statements: information alone, never a part of a key. */
export const wallClockText = (): string => new Date().toISOString();
