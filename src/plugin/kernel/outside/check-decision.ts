// Decisions from outside: a remote store, a pack, a file. Each is rebuilt, with the cache sizes that it was tuned for, run against the
// reference and measured here before anyone uses it: what it says of its speed is an opinion.

import { DiagnosticError, factsOf, invariant } from "../../../compiler/index.ts";
import { targetClass } from "../../../tuner/data/key.ts";
import type { Timing } from "../../../tuner/data/measurement.ts";
import { candidateTemplate } from "../../../tuner/kernel/candidate-kernel.ts";
import type { SharedDecision } from "../../../tuner/store/exchange.ts";
import type { Measured, Provenance } from "../../../tuner/store/store-entry.ts";
import { measurable } from "../../../tuner/workbench/measurable.ts";
import { measureAll, type Workbench } from "../../../tuner/workbench/workbench.ts";
import { wasmTwins } from "../artifacts/make-artifacts.ts";
import { checkTwins } from "../check/check-twins.ts";
import { onWorkbench, reasonOf } from "../compile/verify-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { type Schedule, taskFor } from "../schedule.ts";
import { generated, spaceOf } from "../source/schedule-source.ts";
import { problemOfClaim } from "./claim.ts";

/** A decision from outside that may be used. */
export interface TakenDecision {
  readonly schedule: Schedule;
  /** Measurement of this machine, not the one that the decision came with. */
  readonly measured: Measured;
}

/** A decision from outside that is used, and what the store keeps of its origin. */
export interface OutsideDecision extends TakenDecision {
  readonly from: Provenance;
}

export type Checked =
  /** It is right. */
  | ({ readonly kind: "taken" } & TakenDecision)
  /** It is wrong, or cannot be run here. */
  | { readonly kind: "refused"; readonly why: string };

export type Compared =
  | Checked
  /** It is right, and not measurably faster than what is here. */
  | { readonly kind: "kept"; readonly why: string };

/** Part of a decision that makes its kernel. */
type Local = Pick<SharedDecision, "candidate" | "source" | "tunedFor">;

/** Samples of a kernel that is measured alone: as many as a race has rounds until it is sure. */
const samples = 21;

/** Checks and measures a decision of the kernel. */
export async function checkDecision(context: KernelContext, decision: SharedDecision): Promise<Checked> {
  const compared = await compareDecision(context, decision, null);
  invariant(compared.kind !== "kept", "there is nothing else to keep");
  return compared;
}

/**
 * Checks a decision and races it with a local one, in turns on the same machine.
 *
 * @param local null, or what no longer leads to its source: there is nothing to race with
 */
export async function compareDecision(
  context: KernelContext,
  decision: SharedDecision,
  local: Local | null,
): Promise<Compared> {
  if (local?.source === decision.source) return { kind: "kept", why: "it is what is here" };
  try {
    return await compare(context, decision, local);
  } catch (error) {
    if (error instanceof DiagnosticError) return refused(error.message);
    throw error;
  }
}

const refused = (why: string): Checked => ({ kind: "refused", why });

const scheduleOf = ({ task }: KernelContext, { candidate, source, tunedFor }: Local): Schedule => ({
  task: taskFor(task, tunedFor),
  candidate,
  source,
});

async function compare(context: KernelContext, decision: SharedDecision, local: Local | null): Promise<Compared> {
  const schedule = scheduleOf(context, decision);
  const { task } = schedule;
  if (!generated(schedule)) return refused("its decisions do not lead to its source");
  const computed = candidateTemplate(spaceOf(task), decision.candidate)?.op ?? task.op;
  const problem = problemOfClaim(decision.measured, task, computed);
  if (problem !== null) return refused(problem);
  const rival = local && scheduleOf(context, local);
  const entrants = rival && generated(rival) ? [rival, schedule] : [schedule];
  const outcome = await onWorkbench(context, samples, async (workbench) => {
    const result = await decide(context, workbench, entrants);
    if (result.kind !== "taken") return result;
    const unchecked = await checkTwins(workbench, context, await wasmTwins(context, schedule));
    return unchecked === null ? result : refused(`it cannot be checked here: ${unchecked}`);
  });
  return typeof outcome === "string" ? refused(`it cannot be checked here: ${outcome}`) : outcome;
}

/** @param entrants the schedule that is checked, behind the local one if there is any */
async function decide(context: KernelContext, workbench: Workbench, entrants: readonly Schedule[]): Promise<Compared> {
  const schedule = entrants.at(-1)!;
  const sources = entrants.map(({ task, candidate }) => measurable(task, spaceOf(task), candidate));
  const measurements = await measureAll(workbench, sources);
  const own = measurements.at(-1)!;
  if (own.kind === "timed-out") return refused(`it cannot be checked here: ${reasonOf(own)}`);
  if (own.kind !== "ok") return refused(`${context.lockName}: ${reasonOf(own)}`);
  if (measurements.some(({ kind }) => kind !== "ok") || entrants.length < 2)
    return taken(context, workbench, schedule, own.timing);
  const { winner, timing } = await workbench.race(sources);
  if (winner === 0 || !timing) return { kind: "kept", why: "it is not measurably faster here than what is here" };
  return taken(context, workbench, schedule, timing);
}

function taken({ task }: KernelContext, { toolchain }: Workbench, schedule: Schedule, { medianNs }: Timing): Checked {
  const gflops = factsOf(task.op).flops / medianNs;
  const measured = { medianNs, gflops, machine: targetClass(task.target), toolchain, trials: 1 };
  return { kind: "taken", schedule, measured };
}
