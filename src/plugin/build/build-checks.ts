// The process that runs what a build has just built against its reference: one for all kernels of the build. The first check
// starts it, and it ends when no kernel is being compiled any more.

import type { CheckingRunner } from "../../native/runner/client.ts";
import type { SharedRunner } from "../../native/runner/shared-runner.ts";

export interface BuildChecks {
  /** Compiles a kernel. A process that has been started in the meantime ends with the last of the kernels that are being compiled. */
  during<T>(compile: () => Promise<T>): Promise<T>;
  /** Makes a runner for the tasks of one kernel; its `close` ends the process if no kernel is being compiled. */
  open(): Promise<CheckingRunner>;
}

export function createBuildChecks(signal: AbortSignal): BuildChecks {
  let kernels = 0;
  let shared: Promise<SharedRunner> | null = null;
  /** Keeps the process between the checks of the kernels that are being compiled. */
  let keeper: CheckingRunner | null = null;

  async function load(): Promise<SharedRunner> {
    const { createSharedChecker } = await import("../kernel/check/checker.ts");
    return createSharedChecker(signal);
  }
  async function landed(): Promise<void> {
    kernels -= 1;
    if (kernels > 0) return;
    const kept = keeper;
    keeper = null;
    await kept?.close();
  }
  return {
    async during(compile) {
      kernels += 1;
      try {
        return await compile();
      } finally {
        await landed();
      }
    },
    async open() {
      shared ??= load();
      const { open } = await shared;
      if (kernels > 0) keeper ??= open();
      return open();
    },
  };
}
