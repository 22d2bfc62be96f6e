// A decision from elsewhere: is it what it says, and right? It is rebuilt and run before anyone uses it.

import { DiagnosticError } from "../../compiler/index.ts";
import type { SharedDecision } from "../../tuner/store/exchange.ts";
import type { KernelContext } from "./kernel-context.ts";
import { generated } from "./schedule-source.ts";
import { runSchedule } from "./verify-kernel.ts";

/** Says what is wrong with a decision; null: it is right. A decision that cannot be run here is refused too. */
export async function problemOf(context: KernelContext, { candidate, source }: SharedDecision): Promise<string | null> {
  const schedule = { task: context.task, candidate, source };
  try {
    if (!generated(schedule)) return "its decisions do not lead to its source";
    const notRun = await runSchedule(context, schedule);
    return notRun && `it cannot be checked here: ${notRun}`;
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
}
