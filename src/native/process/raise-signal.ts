// Ends this process as a signal that it has caught would have. Windows has no signals to raise: to kill is to end a process at once there, so that
// nothing that waits for the exit would run.

import { constants } from "node:os";

/** Exit code that shells give to a process that a signal has ended. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

export function raiseSignal(signal: NodeJS.Signals): void {
  if (process.platform === "win32") process.exit(exitCodeOf(signal));
  process.kill(process.pid, signal);
}
