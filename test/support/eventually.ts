// Waiting for what another process, a page or a watcher of files will do. On a machine that is busy with other things that takes
// tens of times as long as on a quiet one, so the patience is long: it ends a wait that nothing will end, and measures nothing.

import { vi } from "vitest";

/** Milliseconds. */
export const patienceMs = 300_000;

/** Tries an expectation again and again until it holds. */
export const eventually = <T>(expectation: () => T | Promise<T>, { interval = 50 } = {}): Promise<T> =>
  vi.waitFor(expectation, { timeout: patienceMs, interval });
