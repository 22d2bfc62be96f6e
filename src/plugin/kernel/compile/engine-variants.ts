// Schedules of a WASM kernel for the classes of engines that option `engines` names, each a kernel of another target with an entry of its
// own in the lock. A class of other processors than this machine's is not measured here: the lock decides, a pack or the shared store, else
// the prediction.

import { type EngineClass, targetForEngine, targetNamed } from "../../../compiler/index.ts";
import { cachesOf } from "../../../tuner/data/key.ts";
import { conciseMeasured } from "../../../tuner/lock/lock-entry.ts";
import { makeArtifacts } from "../artifacts/make-artifacts.ts";
import type { EngineVariant } from "../compiled-kernel.ts";
import { type KernelContext, kernelContext } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import type { KernelDecision } from "../decision.ts";
import { hasCaches } from "../schedule.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import { twinOf } from "../twin.ts";

/** Makes the variants of a kernel, one after the other; none for a guess, which is soon replaced. */
export async function engineVariants(context: KernelContext): Promise<readonly EngineVariant[]> {
  const { request, services, task } = context;
  if (request.mode === "interim") return [];
  const variants: EngineVariant[] = [];
  for (const engine of services.options.engines) {
    const target = targetForEngine(task.target, engine);
    if (target !== null) variants.push(await variantFor(context, engine, target));
  }
  return variants;
}

/** A frozen build takes the prediction where its lock has no entry: nobody may have had such a machine. */
async function variantFor(
  { request, services }: KernelContext,
  engine: EngineClass,
  target: string,
): Promise<EngineVariant> {
  const options = { ...services.options, onMiss: "fallback" as const };
  const context = await kernelContext({ ...request, target }, { ...services, options });
  const decision = await sameEverywhere(context, await decideSchedule(context));
  const artifacts = await makeArtifacts(context, decision);
  const { measured, origin, measurements } = decision;
  const { trace, errorBound } = artifacts;
  const gflops = measured && conciseMeasured(measured).gflops;
  const twin = twinOf(artifacts, "wasm")!;
  const { name } = origin === "same-isa" ? decision.task.target : context.task.target;
  return { engine, target: name, twin, trace, gflops, key: context.key, errorBound, origin, measurements };
}

/** A prediction goes by the caches of the target, not by those of a machine that builds: all build the same. */
async function sameEverywhere(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  const { task } = context;
  const { threads } = task;
  const typical = { ...task, target: { ...targetNamed(task.target.name)!, threads } };
  const isTypical = decision.origin !== "predicted" || hasCaches(typical, cachesOf(decision.task.target));
  return isTypical ? decision : { ...decision, ...(await predictSchedule(context, typical)) };
}
