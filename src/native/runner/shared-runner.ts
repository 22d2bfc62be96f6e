// One measuring process for several tasks that take turns. Each user has a runner of its own, and the process is sent a task
// when a candidate of another one was run before. A process takes 50 to 100 MB and 60 ms to start, and thirty kernels of a
// build are tuned, or checked, at the same time.

import type { CheckingRunner } from "./client.ts";
import type { RunTask } from "./protocol.ts";

export interface SharedRunner {
  /** Makes a runner for one task at a time; its `close` ends the process if no other is open. */
  open(): CheckingRunner;
}

/**
 * @param make a runner whose process starts with its first candidate; called again when all were closed
 * @example const shared = createSharedRunner(() => createRunner({ signal }));
 */
export function createSharedRunner(make: () => CheckingRunner): SharedRunner {
  let runner: CheckingRunner | null = null;
  let users = 0;
  /** The task that the process was sent last. */
  let known: RunTask | null = null;

  function open(): CheckingRunner {
    runner ??= make();
    users += 1;
    const mine = runner;
    let task: RunTask | null = null;
    let isOpen = true;

    /** Sets this runner's task. Calls of a runner are answered in their order, so the call that follows uses it. */
    function withTask(): CheckingRunner {
      if (task && known !== task) mine.setTask(task);
      known = task;
      return mine;
    }
    return {
      setTask(next) {
        task = next;
      },
      run: (request) => withTask().run(request),
      sample: (...sampled) => withTask().sample(...sampled),
      check: (candidate) => withTask().check(candidate),
      forget: () => mine.forget(),
      async close() {
        if (!isOpen) return;
        isOpen = false;
        users -= 1;
        if (users > 0) return;
        runner = null;
        known = null;
        await mine.close();
      },
    };
  }
  return { open };
}
