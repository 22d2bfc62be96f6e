// Describes this machine, its features, caches and cores → the targets that it runs.

import { availableParallelism } from "node:os";
import {
  type Architecture,
  architectureOf,
  asCpu,
  type CoreName,
  type CpuTarget,
  familyOfEngine,
  invariant,
  needsToolchain,
  type Target,
  type TargetName,
  targetNamed,
  targetNames,
  targets,
} from "../../compiler/index.ts";
import { type Caches, readCaches } from "./caches.ts";
import { readCore } from "./core-name.ts";
import { machineFeatures } from "./machine-features.ts";

export interface Machine {
  /** "linux-x64" */
  readonly platform: string;
  /** Features of the CPU, spelled like -m options, sorted. */
  readonly features: readonly string[];
  /** Caches of one core; null where the system does not tell. */
  readonly caches: Caches | null;
  /** The strongest of its cores, where its numbers are known. */
  readonly core?: CoreName | undefined;
  readonly cores: number;
}

/** Reads this machine's properties; what cannot be read is left empty. */
export function detectMachine(): Machine {
  return {
    platform: `${process.platform}-${process.arch}`,
    features: machineFeatures(),
    caches: readCaches(),
    core: readCore(),
    cores: availableParallelism(),
  };
}

// ── targets ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns features of `target` that the machine lacks; empty if it can run its kernels. WASM needs only an engine. */
export const missingFeatures = (target: Target, machine: Machine): readonly string[] =>
  !needsToolchain(target) ? [] : target.features.filter((feature) => !machine.features.includes(feature));

/** Family of processors that kernels of a target are measured on; null: any. Those for a class of engines run on all. */
const familyOf = (target: Target): Architecture | null =>
  needsToolchain(target) ? architectureOf(target.features) : familyOfEngine(target);

const isOfOtherFamily = (target: Target, machine: Machine): boolean =>
  ![null, architectureHere(machine)].includes(familyOf(target));

const otherFamilyText = (target: Target, machine: Machine): string =>
  `this CPU is ${architectureHere(machine)}, and the target is ${familyOf(target)}`;

/** Why kernels of a target do not run on the machine: "this CPU has no fma", "this CPU is x64, and the target is arm64"; null: they do. */
export function whyNotHere(target: Target, machine: Machine): string | null {
  const missing = missingFeatures(target, machine);
  if (missing.length === 0) return null;
  if (isOfOtherFamily(target, machine)) return otherFamilyText(target, machine);
  const features = missing.join(", ");
  // Nothing asks an ARM processor on Windows while we build (windows-facts.ts).
  if (machine.platform === "win32-arm64") return `whether this CPU has ${features} is not known while a build runs`;
  return `this CPU has no ${features}`;
}

/** Why kernels of a target, even if they run on the machine, are not measured there; null: they are. */
export const whyNotMeasuredHere = (target: Target, machine: Machine): string | null =>
  whyNotHere(target, machine) ??
  (familyOfEngine(target) !== null && isOfOtherFamily(target, machine) ? otherFamilyText(target, machine) : null);

const architectureHere = ({ platform }: Machine): string => platform.slice(platform.indexOf("-") + 1);

/** Returns the best target that the machine runs: the meaning of `native`. */
export function bestTargetName(machine: Machine): TargetName {
  return targetNames.findLast((name) => missingFeatures(targets[name], machine).length === 0) ?? "wasm";
}

/**
 * Returns the target with this machine's caches and core, whether or not the machine can run it; one of another family of processors as it is.
 *
 * @example hostTarget("native").name // "avx2"
 */
export function hostTarget(name: TargetName | "native", machine?: Machine): CpuTarget;
export function hostTarget(name: string, machine?: Machine): Target;
export function hostTarget(name: string, machine: Machine = detectMachine()): Target {
  const target = targetNamed(name === "native" ? bestTargetName(machine) : name);
  invariant(target, `there is a target ${name}`);
  const cpu = asCpu(target);
  if (!cpu || isOfOtherFamily(target, machine)) return target;
  const core = needsToolchain(target) && machine.core;
  return { ...cpu, ...machine.caches, ...(core && { core }) };
}
