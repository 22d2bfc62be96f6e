// Processes that work behind something that a person waits for.

import { constants, setPriority } from "node:os";

/** To be called at once: on Linux it is the priority of the first thread, which those that it starts later take over. */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not let us: then it works as any other.
  }
}
