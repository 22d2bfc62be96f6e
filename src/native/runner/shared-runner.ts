// One measuring process for several tasks that take turns: each user has a runner of its own to look at, and the process
// is told of a task when a candidate of another one was run before. A process takes 50 to 100 MB and 60 ms to start, and
// thirty kernels of a build are tuned at the same time.

import type { Runner } from "./client.ts";
import type { RunTask } from "./protocol.ts";

export interface SharedRunner {
  /** A runner for one task at a time; its `close` ends the process if no other is open. */
  open(): Runner;
}

/**
 * @param make a runner whose process starts with its first candidate; called again when all were closed
 * @example const shared = createSharedRunner(() => createRunner({ signal }));
 */
export function createSharedRunner(make: () => Runner): SharedRunner {
  let runner: Runner | null = null;
  let users = 0;
  /** What the process knows. */
  let known: RunTask | null = null;

  function open(): Runner {
    runner ??= make();
    users += 1;
    const mine = runner;
    let task: RunTask | null = null;
    let isOpen = true;

    /** Calls of a runner are answered in their order, so the task that is set here is that of the call that follows. */
    function withTask(): Runner {
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
