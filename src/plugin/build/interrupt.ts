// Ctrl-C while kernels are being tuned. Bundlers have no hook for it, and a process that is killed at once leaves its
// measuring processes to their watchdog and its directories to the next build; so the signal stops the tuning first.

import { stopOutlivingWork } from "../../native/process/outliving-work.ts";
import { raiseSignal } from "../../native/process/raise-signal.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof signals)[number];

export interface Interrupt {
  /** Ends the watch for signals: there is nothing left to stop. */
  ignore(): void;
}

/**
 * Until `ignore`: the first signal aborts `work`, waits until it has `settled`, and is then raised again, unless someone
 * else listens, who has had it already. A second signal is not caught.
 */
export function onInterrupt(work: AbortController, settled: () => Promise<unknown>): Interrupt {
  const ignore = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  const stop = async (signal: Signal): Promise<void> => {
    ignore();
    const stopped = stopOutlivingWork();
    work.abort(new Error(`interrupted by ${signal}: what was measured is kept`));
    await settled();
    await stopped;
    if (process.listenerCount(signal) === 0) raiseSignal(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  return { ignore };
}
