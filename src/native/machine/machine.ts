// Describes this machine: features and caches from /proc and /sys on Linux, sysctl on macOS, a program in C on Windows → the targets that it runs.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import {
  architectureOf,
  asCpu,
  type CpuTarget,
  invariant,
  needsToolchain,
  type Target,
  type TargetName,
  targetNamed,
  targetNames,
  targets,
} from "../../compiler/index.ts";
import { machineFeatures } from "./machine-features.ts";
import { windowsFacts } from "./windows-facts.ts";

export interface Caches {
  readonly l1Bytes: number;
  readonly l2Bytes: number;
  /** Bytes of L3: one core's share. */
  readonly l3Bytes: number;
}

export interface Machine {
  /** "linux-x64" */
  readonly platform: string;
  /** Features of the CPU, spelled like -m options, sorted. */
  readonly features: readonly string[];
  /** Caches of one core; null where the system does not tell. */
  readonly caches: Caches | null;
  readonly cores: number;
}

/** One folder /sys/devices/system/cpu/cpu0/cache/index*: the contents of its files, by name. */
export interface CacheEntry {
  readonly level: string;
  readonly type: string;
  readonly size: string;
  readonly shared_cpu_list: string;
}

/** Returns data and unified caches of one core, a shared one by its share. Null without an L1 or L2. */
export function cachesOfSys(entries: readonly CacheEntry[]): Caches | null {
  const bytes = (level: number): number => {
    const entry = entries.find(({ level: own, type }) => own.trim() === String(level) && type.trim() !== "Instruction");
    return entry ? Math.floor(sizeOf(entry.size) / (level === 3 ? countOfList(entry.shared_cpu_list) : 1)) : 0;
  };
  const [l1Bytes, l2Bytes, l3Bytes] = [bytes(1), bytes(2), bytes(3)];
  return l1Bytes > 0 && l2Bytes > 0 ? { l1Bytes, l2Bytes, l3Bytes: l3Bytes || l2Bytes } : null;
}

/** "32K" → 32768 */
function sizeOf(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([KMG]?)$/.exec(text.trim()) ?? [];
  const scale: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
  return digits ? Number(digits) * scale[unit ?? ""]! : 0;
}

/** "0-3,8" → 5; what is no range counts nothing, and there is one at least. */
const countOfList = (list: string): number =>
  list
    .trim()
    .split(",")
    .map((range) => /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range))
    .reduce(
      (count, range) => count + (range ? Math.max(0, Number(range[2] ?? range[1]) - Number(range[1]) + 1) : 0),
      0,
    ) || 1;

/** Parses `sysctl hw.l1dcachesize hw.l2cachesize hw.l3cachesize hw.physicalcpu`: lines "hw.l1dcachesize: 32768". */
export function cachesOfSysctl(text: string): Caches | null {
  const value = (name: string): number => Number(new RegExp(`^hw\\.${name}: (\\d{1,12})$`, "m").exec(text)?.[1] ?? 0);
  const [l1Bytes, l2Bytes] = [value("l1dcachesize"), value("l2cachesize")];
  if (l1Bytes === 0 || l2Bytes === 0) return null;
  const share = Math.floor(value("l3cachesize") / Math.max(1, value("physicalcpu")));
  return { l1Bytes, l2Bytes, l3Bytes: share || l2Bytes };
}

/** Kind of a cache of instructions, in PROCESSOR_CACHE_TYPE of Windows. */
const instructionKind = 1;

/** Takes what windows-probe.c tells: four numbers for each cache of one core. */
export function cachesOfWindows(numbers: readonly number[]): Caches | null {
  const bytes = (level: number): number => {
    for (let at = 0; at + 4 <= numbers.length; at += 4) {
      const [own, kind, size, sharers] = numbers.slice(at, at + 4) as [number, number, number, number];
      if (own === level && kind !== instructionKind) return Math.floor(size / (level === 3 ? Math.max(1, sharers) : 1));
    }
    return 0;
  };
  const [l1Bytes, l2Bytes, l3Bytes] = [bytes(1), bytes(2), bytes(3)];
  return l1Bytes > 0 && l2Bytes > 0 ? { l1Bytes, l2Bytes, l3Bytes: l3Bytes || l2Bytes } : null;
}

/** Reads this machine's properties; what cannot be read is left empty. */
export function detectMachine(): Machine {
  return {
    platform: `${process.platform}-${process.arch}`,
    features: machineFeatures(),
    caches: readCaches(),
    cores: availableParallelism(),
  };
}

function readCaches(): Caches | null {
  try {
    if (process.platform === "linux") return cachesOfSys(readSysCaches("/sys/devices/system/cpu/cpu0/cache"));
    if (process.platform === "darwin") return cachesOfSysctl(readSysctl());
    if (process.platform === "win32") return cachesOfWindows(windowsFacts().caches);
  } catch {
    // A container without /sys: the target's own numbers serve.
  }
  return null;
}

const readSysCaches = (folder: string): readonly CacheEntry[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("index"))
    .map((name) => {
      const read = (file: string): string => readFileSync(`${folder}/${name}/${file}`, "utf8");
      return { level: read("level"), type: read("type"), size: read("size"), shared_cpu_list: read("shared_cpu_list") };
    });

const readSysctl = (): string =>
  execFileSync("/usr/sbin/sysctl", ["hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize", "hw.physicalcpu"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

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
 * Returns the target with this machine's caches, whether or not the machine can run it; one of another family of processors as it is.
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
  return cpu && machine.caches && !isForeign ? { ...cpu, ...machine.caches } : target;
}
