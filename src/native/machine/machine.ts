// Describes this machine, its features, caches and cores → the targets that it runs.

import { availableParallelism } from "node:os";
import {
  architectureOf,
  asCpu,
  type CoreName,
  type CpuTarget,
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
import { cpuFeatures } from "./cpu-features.ts";

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
    features: cpuFeatures(),
    caches: readCaches(),
    core: readCore(),
    cores: availableParallelism(),
  };
}

// ── targets ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns features of `target` that the machine lacks; empty if it can run its kernels. WASM needs only an engine. */
export const missingFeatures = (target: Target, machine: Machine): readonly string[] =>
  !needsToolchain(target) ? [] : target.features.filter((feature) => !machine.features.includes(feature));

/** Why kernels of a target do not run on the machine: "this CPU has no fma", "this CPU is x64, and the target is arm64"; null: they do. */
export function whyNotHere(target: Target, machine: Machine): string | null {
  const missing = missingFeatures(target, machine);
  if (missing.length === 0) return null;
  const [own, wanted] = [architectureHere(machine), architectureOf(target.features)];
  return own === wanted ? `this CPU has no ${missing.join(", ")}` : `this CPU is ${own}, and the target is ${wanted}`;
}

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
  const isForeign = needsToolchain(target) && architectureOf(target.features) !== architectureHere(machine);
  if (!cpu || isForeign) return target;
  const core = needsToolchain(target) && machine.core;
  return { ...cpu, ...machine.caches, ...(core && { core }) };
}
