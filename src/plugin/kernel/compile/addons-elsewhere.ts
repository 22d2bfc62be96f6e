// Addons for the systems that option `platforms` asks for beside this machine's: the same schedule where they have the same family of
// processors, else that of the target which stands for the kernel's there. They are built here, and run there for the first time.

import { type Architecture, cpuTarget, needsToolchain, targetFor } from "../../../compiler/index.ts";
import { toolchainFor } from "../../../native/toolchain/detect.ts";
import { platformHere } from "../../../native/toolchain/platform.ts";
import { otherSource } from "../artifacts/make-artifacts.ts";
import { nativeKernel } from "../artifacts/native-kernel.ts";
import type { BuiltTwin } from "../artifacts/twin-result.ts";
import { type KernelContext, kernelContext } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import type { KernelDecision } from "../decision.ts";

interface Elsewhere {
  readonly context: KernelContext;
  readonly decision: KernelDecision;
}

/** Builds the addons for the other systems. One that no compiler is here for is left out, with a warning: the WASM twin runs there. */
export async function addonsElsewhere(context: KernelContext, decision: KernelDecision): Promise<readonly BuiltTwin[]> {
  const { platforms } = context.services.options;
  if (!platforms || !needsToolchain(decision.task.target)) return [];
  const built: BuiltTwin[] = [];
  for (const platform of platforms.filter((it) => it !== context.platform)) {
    const { context: own, decision: its } = await elsewhere(context, decision, platform);
    const result = await nativeKernel(own, its);
    if (result.kind === "stale") throw otherSource(own);
    if (result.kind === "built") built.push(result);
    else context.services.log.warn(`${own.lockName}: no C compiler for ${platform} found; the WASM twin runs there`);
  }
  return built;
}

async function elsewhere(context: KernelContext, decision: KernelDecision, platform: string): Promise<Elsewhere> {
  const { request, services, task } = context;
  const { root } = services.options;
  const target = targetFor(cpuTarget(task.target), platform.slice(platform.indexOf("-") + 1) as Architecture);
  const other = target === task.target.name ? null : await otherTarget(context, target);
  const place = {
    platform,
    toolchain: () => toolchainFor((other ?? context).task.target, { project: root, platform }),
    whyNotHere: `it is for ${platform}, and this is ${platformHere}`,
    elsewhere: null,
  };
  if (!other) return { context: { ...context, ...place }, decision };
  const own = { ...other, ...place, request: { ...request, target } };
  return { context: own, decision: await decideSchedule(own) };
}

/** The kernel for another target. A frozen build takes the prediction where its lock has no entry: nobody may have had such a machine. */
const otherTarget = ({ request, services }: KernelContext, target: KernelContext["request"]["target"]) =>
  kernelContext({ ...request, target }, { ...services, options: { ...services.options, onMiss: "fallback" } });
