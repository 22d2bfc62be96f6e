// Targets of the schedules that a kernel has beside its own: those for classes of engines, and those that stand for its target on other
// processors. What options name, or all there are: commands that look through a lock do not know the bundler's options.

import {
  type Architecture,
  cpuTarget,
  type EngineClass,
  engineClasses,
  needsToolchain,
  type Target,
  type TargetName,
  targetFor,
  targetForEngine,
} from "../../../compiler/index.ts";
import { type KernelContext, lockNameFor } from "../context/kernel-context.ts";

export interface AskedFor {
  readonly engines: readonly EngineClass[];
  /** Systems: "linux-arm64". */
  readonly platforms: readonly string[] | null;
}

const everything: AskedFor = { engines: engineClasses, platforms: ["linux-x64", "linux-arm64"] };

/** Target that stands for another on a system: itself where the system has its processors. */
export const targetOn = (target: Target, platform: string): TargetName =>
  targetFor(cpuTarget(target), platform.slice(platform.indexOf("-") + 1) as Architecture);

export function otherTargets(target: Target, { engines, platforms }: AskedFor = everything): readonly TargetName[] {
  const ofEngines = engines.map((engine) => targetForEngine(target, engine)).filter((name) => name !== null);
  const elsewhere = needsToolchain(target) ? (platforms ?? []).map((platform) => targetOn(target, platform)) : [];
  return [...new Set([...ofEngines, ...elsewhere])].filter((name) => name !== target.name);
}

/** Names of all entries of the lock that a kernel may have. */
export const lockNamesOf = (context: KernelContext): readonly string[] => [
  context.lockName,
  ...otherTargets(context.task.target).map((name) => lockNameFor(context, name)),
];
