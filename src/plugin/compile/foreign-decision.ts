// A decision of the store that this user's builds did not write: data from elsewhere, as a remote store's is.

import type { ScheduleEntry } from "../../tuner/store/store-entry.ts";
import { problemOf } from "./check-decision.ts";
import type { KernelContext } from "./kernel-context.ts";
import type { Schedule } from "./schedule.ts";

type MeasuredEntry = ScheduleEntry & { readonly measured: NonNullable<ScheduleEntry["measured"]> };

/** Returns the schedule of a foreign decision, rebuilt and run against the reference by now. Null: it is not taken, with a warning. */
export async function foreignDecision(context: KernelContext, entry: MeasuredEntry): Promise<Schedule | null> {
  const { key, task, lockName, services } = context;
  const { candidate, source, measured } = entry;
  const problem = await problemOf(context, { key, candidate, source, measured });
  if (!problem) return { task, candidate, source };
  services.log.warn(
    `${lockName}: the store has a decision that is not of this user's builds, and not taken: ${problem}`,
  );
  return null;
}
