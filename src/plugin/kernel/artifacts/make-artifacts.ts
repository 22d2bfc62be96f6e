// A decision → the bytes that are shipped: the WASM module and its relaxed twin, and for a native target the addon. What
// the store holds is used as it is; what it lacks is built and stored.

import { type DiagnosticError, isForGpuHere, isForVisitors, needsToolchain, refuse } from "../../../compiler/index.ts";
import { isUnusable } from "../../../native/machine/unusable.ts";
import { noCompiler } from "../../../native/toolchain/compilers.ts";
import { wantedFamilies } from "../../../native/toolchain/detect.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { failAlone } from "../../support/fail-alone.ts";
import { type WasmPair, withoutTwin } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { isPortable, wasmTask } from "../schedule.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import type { KernelTwin, WasmTwin } from "../twin.ts";
import { nativeKernel } from "./native-kernel.ts";
import type { BuiltTwin, TwinResult } from "./twin-result.ts";
import { wasmPair } from "./wasm-pair.ts";

export interface Artifacts {
  /** The ways to run the kernel, best first; none: the plain loops are to do. */
  readonly twins: readonly KernelTwin[];
  /** Why the target's own twin is not among them, for programs; null: it is. */
  readonly reason: string | null;
  /** The schedule as text. */
  readonly trace: string;
  /** Widest error bound of what is shipped; null: nothing is. */
  readonly errorBound: number | null;
  readonly compilerRuns: number;
}

/** @param elsewhere twins for other systems, which go along */
export async function makeArtifacts(
  context: KernelContext,
  decision: KernelDecision,
  elsewhere: readonly BuiltTwin[] = [],
): Promise<Artifacts> {
  if (isPortable(decision.task)) {
    const isInterim = context.request.mode === "interim" && decision.origin === "predicted";
    const pair = await wasmPair(context, decision, isInterim);
    if (!pair) throw otherSource(context);
    const { trace, errorBound } = pair.facts;
    const twins = [...withoutCode(context.task), wasmTwin(pair)];
    return { twins, reason: context.whyNotComputed, trace, errorBound, compilerRuns: 0 };
  }
  const result = isForOwnPlatform(context) ? await ownTwinUnlessUnusable(context, decision) : null;
  if (result && result.kind !== "built") complain(context, decision, result);
  const pair = await wasmTwins(context, decision);
  const built = [...(result?.kind === "built" ? [result] : []), ...elsewhere];
  const absent = built.length > 0 ? [] : withoutCode(context.task);
  const facts = [...built.map((it) => it.facts), pair?.facts].filter((it) => it != null);
  return {
    twins: [...built.map(({ twin }) => twin), ...absent, pair && wasmTwin(pair)].filter((it) => it != null),
    // There was no compiler, or the tuned kernel is still to come: the build's log says which.
    reason: built.length > 0 || !pair ? null : `the build made no ${productOf(decision.task)}`,
    trace: facts[0]?.trace ?? "",
    errorBound: facts.length > 0 ? Math.max(...facts.map(({ errorBound }) => errorBound)) : null,
    compilerRuns: built.reduce((runs, it) => runs + it.compilerRuns, 0),
  };
}

/** The twin of a kernel for GPUs that there is no code for, so that programs find the members of such kernels. */
export function withoutCode({ target }: TuningTask): readonly KernelTwin[] {
  if (isForVisitors(target)) return [{ kind: "webgpu", code: null }];
  return isForGpuHere(target) ? [{ kind: "cuda", code: null }] : [];
}

function productOf({ target }: TuningTask): string {
  if (isForVisitors(target)) return `code for ${target.name}: Dawn refused it`;
  return isForGpuHere(target) ? `PTX for ${target.name}` : `addon for ${target.name}`;
}

/** Says whether the system of the kernel's own addon is among those that the build is for. Code for GPUs is the same on all. */
const isForOwnPlatform = ({ platform, services, task }: KernelContext): boolean =>
  !needsToolchain(task.target) || (services.options.platforms?.includes(platform) ?? true);

const wasmTwin = ({ wasm, relaxed, prepare }: WasmPair): WasmTwin => ({
  kind: "wasm",
  modules: relaxed ? [relaxed, wasm] : [wasm],
  prepare,
});

/**
 * Says why the WASM twin runs instead of the target's own.
 *
 * @throws DiagnosticError where the import, or option `trust`, wants no such twin
 */
function complain(
  context: KernelContext,
  { task }: KernelDecision,
  result: Exclude<TwinResult | Unusable, { readonly kind: "built" }>,
): void {
  const { request, services, lockName } = context;
  switch (result.kind) {
    case "stale":
      throw otherSource(context);
    case "no-compiler": {
      const { message, hint } = noCompilerFor(context);
      if (services.options.trust.require.includes("binary"))
        throw refuse("trust.refused", `${message}, and no signed addon may be taken`, hint);
      if (request.fallback === "none")
        throw refuse("target.no-compiler", message, `${hint}; or leave out fallback=none`);
      services.log.warn(`${message}; the WASM twin runs instead (${hint})`);
      return;
    }
    case "refused": {
      const message = `${lockName}: ${result.why}`;
      const hint = "that is a bug of unplugin-kernel: please report it";
      if (request.fallback === "none") throw refuse("build.failed", message, hint);
      services.log.warn(`${message}; the WASM twin runs instead (${hint})`);
      return;
    }
    case "no-binding": {
      const message = `${lockName}: a module cannot call kernels of back end "${task.target.backend}"`;
      if (request.fallback === "none") throw refuse("backend.no-binding", message, "leave out fallback=none");
      services.log.warn(`${message}; the WASM twin runs instead`);
      return;
    }
    case "unusable":
  }
}

/** Builds the target's own twin. Where the machine has no place or no tool for it, the WASM twin runs instead. */
async function ownTwinUnlessUnusable(context: KernelContext, decision: KernelDecision): Promise<TwinResult | Unusable> {
  try {
    const make = await makerFor(decision.task);
    return await make(context, decision);
  } catch (error) {
    if (!isUnusable(error) || context.request.fallback === "none") throw error;
    const { lockName, services } = context;
    services.log.warn(
      `${lockName}: ${error.diagnostic.message}; the WASM twin runs instead (${error.diagnostic.hint})`,
    );
    return { kind: "unusable" };
  }
}

async function makerFor({
  target,
}: TuningTask): Promise<(context: KernelContext, decision: KernelDecision) => Promise<TwinResult>> {
  if (needsToolchain(target)) return nativeKernel;
  if (isForGpuHere(target)) return (await import("./cuda-kernel.ts")).cudaKernel;
  return (await import("./foreign-kernel.ts")).foreignKernel;
}

interface Unusable {
  readonly kind: "unusable";
}

const noCompilerFor = ({ lockName, platform }: KernelContext): { readonly message: string; readonly hint: string } => {
  const { message, hint } = noCompiler(wantedFamilies(), platform);
  return { message: `${lockName}: ${message}`, hint };
};

/** Error for a lock entry that was edited: its decisions do not generate its source. Other decisions are checked before they get here. */
export const otherSource = ({ lockName }: KernelContext): DiagnosticError =>
  refuse(
    "lock.other-source",
    `${lockName}: the locked decisions do not generate the locked source`,
    "the entry was edited, or merged by hand: take it from version control, or delete it and build again",
  );

/** The modules that come with a schedule; null where the import wants none, or the schedule does not lead to its source. */
export const wasmTwins = (context: KernelContext, schedule: Decision): Promise<WasmPair | null> =>
  isPortable(schedule.task) ? wasmPair(context, schedule) : twinsOfNative(context, schedule.task);

/**
 * The modules that come with any schedule of a native target; null where the import wants none. They have the predicted
 * schedule of the same operator for WASM. That follows from the caches of the decision, so that a lock rebuilds the same
 * twin on every machine.
 */
export async function twinsOfNative(context: KernelContext, task: TuningTask): Promise<WasmPair | null> {
  if (context.request.fallback === "none") return null;
  const { lockName, services } = context;
  const name = `${lockName}: its WASM twin cannot be made`;
  return failAlone(name, services.signal, () => predictedPair(context, wasmTask(task)), withoutTwin);
}

async function predictedPair(context: KernelContext, twin: TuningTask): Promise<WasmPair | null> {
  const pair = await wasmPair(context, await predictSchedule(context, twin));
  if (pair) return pair;
  const { makePrediction } = await import("../source/make-prediction.ts");
  return wasmPair(context, await makePrediction(context, twin));
}
