// Decisions from outside: a remote store, a pack, a file. Each is rebuilt, with the cache sizes that it was tuned for, run against the
// reference and measured here before anyone uses it: what it says of its speed is an opinion. One for processors that are not here is built.

import { DiagnosticError, factsOf, invariant, needsToolchain } from "../../../compiler/index.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { targetClass } from "../../../tuner/data/key.ts";
import type { Timing } from "../../../tuner/data/measurement.ts";
import { candidateTemplate } from "../../../tuner/kernel/candidate-kernel.ts";
import type { SharedDecision } from "../../../tuner/store/exchange.ts";
import type { Measured } from "../../../tuner/store/store-entry.ts";
import { measurable } from "../../../tuner/workbench/measurable.ts";
import { measureAll, type Workbench } from "../../../tuner/workbench/workbench.ts";
import { wasmTwins } from "../artifacts/make-artifacts.ts";
import { nativeKernel } from "../artifacts/native-kernel.ts";
import { checkModules } from "../check/check-built.ts";
import { checkTwins } from "../check/check-twins.ts";
import { onWorkbench, reasonOf } from "../check/on-workbench.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
import type { TakenDecision } from "../decision.ts";
import { taskFor } from "../schedule.ts";
import { generated, spaceOf } from "../source/schedule-source.ts";
import { problemOfClaim } from "./claim.ts";

/** It is wrong, or cannot be checked here. */
export interface Refused {
  readonly kind: "refused";
  readonly why: string;
}

export type Checked =
  /** It is right, as far as this machine can tell. */
  ({ readonly kind: "taken" } & TakenDecision) | Refused;

export type Compared =
  /** It is right. */
  | { readonly kind: "taken"; readonly schedule: Decision; readonly measured: Measured }
  | Refused
  /** It is right, and not measurably faster than what is here. */
  | { readonly kind: "kept"; readonly why: string };

/** Part of a decision that makes its kernel. */
type Local = Pick<SharedDecision, "candidate" | "source" | "tunedFor">;

/** Samples of a kernel that is measured alone: as many as a race has rounds until it is sure. */
const samples = 21;

/** Checks a decision of the kernel, and measures it where the kernel runs here. */
export async function checkDecision(context: KernelContext, decision: SharedDecision): Promise<Checked> {
  if ((await whyNotRun(context)) !== null) return refusedIfWrong(() => checkUnrun(context, decision));
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
  return refusedIfWrong(() => compare(context, decision, local));
}

async function refusedIfWrong<Result>(check: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof DiagnosticError) return refused(error.message);
    throw error;
  }
}

const refused = (why: string): Refused => ({ kind: "refused", why });

const scheduleOf = ({ task }: KernelContext, { candidate, source, tunedFor }: Local): Decision => ({
  task: taskFor(task, tunedFor),
  candidate,
  source,
});

/** Says what is wrong with a decision before anything of it is built; null: nothing. */
function problemOf(schedule: Decision, { measured }: SharedDecision): string | null {
  const { task, candidate } = schedule;
  if (!generated(schedule)) return "its decisions do not lead to its source";
  return problemOfClaim(measured, task, candidateTemplate(spaceOf(task), candidate)?.op ?? task.op);
}

/**
 * Checks a decision for processors that are not here, without running its kernel. It has to lead to its source, which follows from a legal
 * schedule, and its addon has to be built; the store keeps that for the build. The WASM modules that come with it are run.
 */
async function checkUnrun(context: KernelContext, decision: SharedDecision): Promise<Checked> {
  const schedule = scheduleOf(context, decision);
  const { task, candidate } = schedule;
  const problem = problemOf(schedule, decision);
  if (problem !== null) return refused(problem);
  const source = measurable(task, spaceOf(task), candidate);
  if ("reason" in source) return refused(source.reason);
  const unmeasured = { origin: "predicted", measured: null, measurements: 0, compilerRuns: 0 } as const;
  const isBuilt =
    !needsToolchain(task.target) || (await nativeKernel(context, { ...schedule, ...unmeasured })).kind === "built";
  if (!isBuilt) return refused(`it cannot be checked here: ${context.whyNotHere}, and there is no compiler`);
  const pair = await wasmTwins(context, schedule);
  if (pair) await checkModules(context, pair);
  return { kind: "taken", schedule, measured: null };
}

async function compare(context: KernelContext, decision: SharedDecision, local: Local | null): Promise<Compared> {
  const schedule = scheduleOf(context, decision);
  const problem = problemOf(schedule, decision);
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
async function decide(context: KernelContext, workbench: Workbench, entrants: readonly Decision[]): Promise<Compared> {
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

function taken({ task }: KernelContext, { toolchain }: Workbench, schedule: Decision, { medianNs }: Timing): Compared {
  const gflops = factsOf(task.op).flops / medianNs;
  const measured = { medianNs, gflops, machine: targetClass(task.target), toolchain, trials: 1 };
  return { kind: "taken", schedule, measured };
}
