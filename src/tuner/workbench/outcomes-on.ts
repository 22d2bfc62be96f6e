// Built kernels, each run once against the right answers, on a runner that is made for it. None is timed.

import type { CheckingRunner } from "../../native/runner/client.ts";
import type { Runnable, RunOutcome } from "../../native/runner/protocol.ts";
import type { referenceOf } from "./reference.ts";

/** Runs kernels on a runner, which is closed behind them. */
export async function outcomesOn(
  runner: CheckingRunner,
  { task, conditioned }: Pick<ReturnType<typeof referenceOf>, "task" | "conditioned">,
  runnables: readonly Runnable[],
): Promise<readonly RunOutcome[]> {
  try {
    const outcomes: RunOutcome[] = [];
    runner.setTask(task);
    for (const runnable of runnables) outcomes.push(await runner.check(runnable));
    const better = outcomes.some(({ kind }) => kind === "wrong-result") && conditioned?.();
    if (!better) return outcomes;
    runner.setTask(better);
    for (const [at, { kind }] of outcomes.entries()) {
      if (kind === "wrong-result") outcomes[at] = await runner.check(runnables[at]!);
    }
    return outcomes;
  } finally {
    await runner.close();
  }
}
