// Runners for what was just built: each candidate is run once and not timed, so they wait for no measurement of this machine.

import { type CheckingRunner, createRunner } from "../../../native/runner/client.ts";
import { createSharedRunner, type SharedRunner } from "../../../native/runner/shared-runner.ts";
import { checkDeadlineMs } from "../../../tuner/workbench/too-slow.ts";

/** Makes a runner with a process of its own. */
export const createChecker = (signal: AbortSignal): CheckingRunner =>
  createRunner({ deadlineMs: checkDeadlineMs, relaxedSimd: true, exclusive: false, signal });

export const createSharedChecker = (signal: AbortSignal): SharedRunner =>
  createSharedRunner(() => createChecker(signal));
