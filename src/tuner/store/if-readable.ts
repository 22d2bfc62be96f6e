// Reads of a store that others may own: what is gone or forbidden is nothing to look at, and no failure.

/** Returns what is read; null where nothing is there, or nothing for this user. */
export function ifReadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}
