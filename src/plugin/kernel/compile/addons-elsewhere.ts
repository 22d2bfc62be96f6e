// Addons for the systems that option `platforms` asks for beside this machine's. Systems with the kernel's family of processors get its
// schedule. For the others the target that stands for the kernel's there is decided as a kernel of its own: by the lock, a pack, the remote
// store, or the prediction. The addons are built here, and run there for the first time.

import { needsToolchain, type TargetName } from "../../../compiler/index.ts";
import { toolchainFor } from "../../../native/toolchain/detect.ts";
import { otherSource } from "../artifacts/make-artifacts.ts";
import { nativeKernel } from "../artifacts/native-kernel.ts";
import type { BuiltTwin } from "../artifacts/twin-result.ts";
import type { ElsewhereSchedule } from "../compiled-kernel.ts";
import { type KernelContext, kernelContext } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import type { KernelDecision } from "../decision.ts";
import { targetOn } from "./other-targets.ts";

export interface AddonsElsewhere {
  /** In the order of the option. */
  readonly addons: readonly BuiltTwin[];
  /** Schedules of other targets than the kernel's own. */
  readonly schedules: readonly ElsewhereSchedule[];
}

/** Builds the addons for the other systems. One that no compiler is here for is left out, with a warning: the WASM twin runs there. */
export async function addonsElsewhere(context: KernelContext, decision: KernelDecision): Promise<AddonsElsewhere> {
  const { platforms } = context.services.options;
  if (!platforms || !needsToolchain(decision.task.target)) return { addons: [], schedules: [] };
  const others = platforms.filter((it) => it !== context.platform);
  const built = new Map<string, BuiltTwin>();
  const schedules: ElsewhereSchedule[] = [];
  for (const target of new Set(others.map((it) => targetOn(context.task.target, it)))) {
    const systems = others.filter((it) => targetOn(context.task.target, it) === target);
    const isOwn = target === context.task.target.name;
    const own = isOwn ? { context, decision } : await decided(context, target, systems);
    const withAddon: string[] = [];
    for (const platform of systems) {
      const addon = await addonFor(onSystem(own.context, platform), own.decision);
      if (!addon) continue;
      built.set(platform, addon);
      withAddon.push(platform);
    }
    const { origin, measurements } = own.decision;
    if (!isOwn && withAddon.length > 0) schedules.push({ target, platforms: withAddon, origin, measurements });
  }
  return { addons: others.flatMap((it) => built.get(it) ?? []), schedules };
}

/** A kernel as it is built for a system. It runs there alone, unless that is this machine's own. */
function onSystem(context: KernelContext, platform: string): KernelContext {
  const { task, machine, services, whyNotHere } = context;
  if (platform === context.platform) return context;
  return {
    ...context,
    platform,
    toolchain: () => toolchainFor(task.target, { project: services.options.root, platform }),
    whyNotHere:
      whyNotHere ?? (platform === machine.platform ? null : `it is for ${platform}, and this is ${machine.platform}`),
  };
}

/**
 * Decides the kernel for another target, on the first of the systems that a compiler is here for, this machine's own before all. A frozen
 * build takes the prediction where its lock has no entry: nobody may have had such a machine.
 */
async function decided(
  { request, services }: KernelContext,
  target: TargetName,
  systems: readonly string[],
): Promise<{ readonly context: KernelContext; readonly decision: KernelDecision }> {
  const options = { ...services.options, onMiss: "fallback" as const };
  const own = await kernelContext({ ...request, target }, { ...services, options });
  const here = systems.filter((it) => it === own.machine.platform);
  let context = onSystem(own, [...here, ...systems][0]!);
  for (const platform of systems) {
    if (await context.toolchain()) break;
    context = onSystem(own, platform);
  }
  return { context, decision: await decideSchedule(context) };
}

/** An addon that came with the decision is for the kernel's own system. */
async function addonFor(context: KernelContext, { built: _, ...decision }: KernelDecision): Promise<BuiltTwin | null> {
  const { platform, lockName, services } = context;
  const result = await nativeKernel(context, decision);
  if (result.kind === "stale") throw otherSource(context);
  if (result.kind === "built") return result;
  services.log.warn(`${lockName}: no C compiler for ${platform} found; the WASM twin runs there`);
  return null;
}
