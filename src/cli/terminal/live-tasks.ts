// Work on several things at once, drawn on a terminal: a line each, written over until all have ended. Loads listr2, so only where there
// is a terminal.

import { Listr } from "listr2";
import { exitCodeOf } from "../../native/process/raise-signal.ts";

export interface LiveTask {
  /** The line before there is any news. */
  readonly title: string;
  /**
   * @param show takes the line as it is now
   * @returns what went wrong, in a line; null: nothing
   */
  run(show: (line: string) => void): Promise<string | null>;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const exitBy = (signal: NodeJS.Signals): never => process.exit(exitCodeOf(signal));

/**
 * Holds signals back: the work hears them too and comes to its end, the cursor comes back, and then the process ends. With a
 * second signal it does so at once. Raising the signal again would not do: libraries for the cursor listen to it and come too late.
 */
async function withSignalsHeld(work: () => Promise<unknown>): Promise<void> {
  let first: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    if (first !== null) exitBy(signal);
    first = signal;
  };
  for (const signal of signals) process.on(signal, hold);
  try {
    await work();
  } finally {
    for (const signal of signals) process.off(signal, hold);
    if (first !== null) exitBy(first);
  }
}

/**
 * Runs all tasks at once, each with a line that shows its state. Other output is held back until they have ended. The
 * lines are removed if every task succeeded.
 *
 * @throws the first error that a task threw, when all have ended
 */
export async function drawTasks(tasks: readonly LiveTask[]): Promise<void> {
  const thrown: unknown[] = [];
  const listr = new Listr(
    tasks.map(({ title, run }) => ({
      title,
      async task(_, task) {
        const problem = await run((line) => {
          task.title = line;
        }).catch((error: unknown) => {
          thrown.push(error);
          throw error;
        });
        if (problem !== null) throw new Error(problem);
      },
    })),
    {
      concurrent: true,
      exitOnError: false,
      registerSignalListeners: false,
      rendererOptions: { clearOutput: true, collapseErrors: false },
    },
  );
  await withSignalsHeld(() => listr.run());
  if (thrown.length > 0) throw thrown[0];
}
