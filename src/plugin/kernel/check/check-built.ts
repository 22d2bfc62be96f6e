// Kernels as they are shipped, run once against the reference in another process before anything keeps them: what a compiler, or
// our encoder, made of a right source need not be right. The kernels of a build share the process. One that crashes costs the
// process, and the next check starts a fresh one; one that damages the process's memory may make others fail there. A kernel is
// therefore refused only for what it does in a process of its own.

import type { GeneratedKernel, WasmSource } from "../../../compiler/index.ts";
import { refuse } from "../../../compiler/index.ts";
import { executorOf } from "../../../native/backend/executors.ts";
import { wasmRunnable } from "../../../native/backend/wasm.ts";
import type { NativeRunnable, PreparationKernel, Runnable, RunOutcome } from "../../../native/runner/protocol.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { boundsOf } from "../../../tuner/workbench/measurable.ts";
import { outcomesOn } from "../../../tuner/workbench/outcomes-on.ts";
import { answersTooLate, mostAnswersMs, referenceOf } from "../../../tuner/workbench/reference.ts";
import { tooSlow } from "../../../tuner/workbench/too-slow.ts";
import type { WasmPair } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
import { spaceOf } from "../source/schedule-source.ts";
import { createChecker } from "./checker.ts";

/**
 * Runs an addon once.
 *
 * @returns why it cannot be used: "cannot be loaded: …"; null: it is right, or cannot be run here
 * @throws DiagnosticError `verify.wrong`: it computes something else
 */
export async function checkAddon(
  context: KernelContext,
  schedule: Decision,
  kernel: GeneratedKernel,
  path: string,
): Promise<string | null> {
  if (!context.runsFresh || context.whyNotHere !== null) return null;
  const outcome = await addonOutcome(context, schedule, kernel, path);
  if (outcome?.kind === "build-failed") return `cannot be loaded: ${outcome.reason}`;
  if (outcome?.kind === "crashed") return `crashes: ${outcome.reason}`;
  if (outcome) complain(context, "its addon", outcome);
  return null;
}

/** Runs an addon once on a CPU that has its features. Undefined: the right answers would take too long. */
export async function addonOutcome(
  context: KernelContext,
  schedule: Decision,
  { source, prepare }: GeneratedKernel,
  path: string,
): Promise<RunOutcome | undefined> {
  const { features } = schedule.task.target;
  const preparation = prepare && {
    kernel: { kind: "native", path, index: 1, features } as const,
    parameters: prepare.parameters,
    used: source.parameters,
  };
  const addon: NativeRunnable = { kind: "native", path, index: 0, features, ...extras(schedule, preparation) };
  const [outcome] = await outcomesOf(context, schedule.task, [addon]);
  return outcome;
}

/**
 * Runs the kernel of a back end that is not ours once.
 *
 * @throws DiagnosticError `build.failed`, `verify.wrong`
 */
export async function checkForeign(
  context: KernelContext,
  schedule: Decision,
  { source, prepare }: GeneratedKernel,
): Promise<void> {
  if (!context.runsFresh || (await whyNotRun(context)) !== null) return;
  const options = { directory: "", toolchain: null, signal: context.services.signal };
  const [kernel, preparing] = await executorOf(source).build(prepare ? [source, prepare] : [source], options);
  for (const built of [kernel, preparing])
    if (built?.kind === "build-failed")
      throw refuse("build.failed", `${context.lockName}: ${built.reason}`, `see back end ${source.kind}`);
  const preparation =
    prepare && preparing?.kind === "built"
      ? { kernel: preparing.runnable, parameters: prepare.parameters, used: source.parameters }
      : null;
  if (kernel?.kind === "built") await checkRunnable(context, schedule, kernel.runnable, preparation);
}

/**
 * Runs a kernel for an accelerator once.
 *
 * @throws DiagnosticError `verify.wrong`
 */
export async function checkRunnable(
  context: KernelContext,
  schedule: Decision,
  kernel: Runnable,
  preparation: PreparationKernel | null,
): Promise<void> {
  const runnable = { ...kernel, ...extras(schedule, preparation) };
  const [outcome] = await outcomesOf(context, schedule.task, [runnable]);
  if (outcome) complain(context, `its kernel for ${schedule.task.target.name}`, outcome);
}

/**
 * Runs the modules of a schedule once.
 *
 * @throws DiagnosticError `verify.wrong`
 */
export async function checkModules(context: KernelContext, pair: Omit<WasmPair, "facts">): Promise<void> {
  const { schedule, wasm, relaxed, prepare } = pair;
  const preparation = (module: WasmSource): PreparationKernel | null =>
    prepare && { kernel: wasmRunnable(prepare), parameters: prepare.parameters, used: module.parameters };
  const modules = [wasm, relaxed].filter((module) => module !== null);
  const runnables = modules.map((module) => ({ ...wasmRunnable(module), ...extras(schedule, preparation(module)) }));
  for (const [at, outcome] of (await outcomesOf(context, schedule.task, runnables)).entries()) {
    complain(context, modules[at] === relaxed ? "its relaxed WASM module" : "its WASM module", outcome);
  }
}

const extras = ({ task, candidate }: Decision, preparation: PreparationKernel | null) => ({
  bounds: boundsOf(task, spaceOf(task), candidate),
  ...(preparation && { preparation }),
});

/** Runs kernels one after the other. Empty: the right answers would take too long. */
async function outcomesOf(
  { services, lockName }: KernelContext,
  task: TuningTask,
  runnables: readonly Runnable[],
): Promise<readonly RunOutcome[]> {
  const late = answersTooLate(task, () => mostAnswersMs);
  if (late) {
    services.log.debug(`${lockName}: it was not run after it was built: ${late.reason}`);
    return [];
  }
  const reference = referenceOf(task);
  try {
    const outcomes = await outcomesOn(await services.tunings.checks.open(), reference, runnables);
    if (!outcomes.some(speaksAgainst)) return outcomes;
  } catch (error) {
    if (services.signal.aborted) throw error;
  }
  return outcomesOn(createChecker(services.signal), reference, runnables);
}

/** Whether an outcome would refuse its kernel. */
const speaksAgainst = ({ kind }: RunOutcome): boolean =>
  kind === "wrong-result" || kind === "crashed" || kind === "build-failed";

/** @throws DiagnosticError `verify.wrong` */
function complain({ lockName, services }: KernelContext, what: string, outcome: RunOutcome): void {
  if (outcome.kind === "ok") return;
  // Neither says anything against the kernel.
  if (outcome.kind === "timed-out") {
    services.log.warn(`${lockName}: ${what} was not checked: ${tooSlow(outcome.deadlineMs)}`);
  } else if (outcome.kind === "ill-conditioned") {
    services.log.debug(`${lockName}: ${what} was not checked: ${outcome.reason}`);
  } else {
    throw refuse("verify.wrong", `${lockName}: ${what}: ${outcome.reason}`, "tune it again");
  }
}
