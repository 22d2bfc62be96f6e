// The roof over a kernel: what one core of this machine can do for its target, measured and kept. Nothing is made up where it is
// not known, and a roof that a kernel went through is measured again.

import {
  asCpu,
  type ComputeDef,
  cpuTarget,
  factsOf,
  isRelaxed,
  needsToolchain,
  type Target,
} from "../../compiler/index.ts";
import { greaterLimits, type MachineLimits } from "../../native/limits/machine-limits.ts";
import { measureLimits } from "../../native/limits/measure-limits.ts";
import { cpuName } from "../../native/machine/cpu-name.ts";
import { targetClass } from "../../tuner/data/key.ts";
import { limitsFiles, limitsSchema, type StoredLimits } from "../../tuner/record/limits-file.ts";
import type { MachineKey } from "../../tuner/record/machine-file.ts";
import { type KernelContext, targetHere } from "../kernel/context/kernel-context.ts";
import { leastTime } from "../limits/least-time.ts";
import type { RoofReport } from "./report-data.ts";

/** Whether limits may be measured, which takes a second; `again`: the greatest so far count, as others may have had a part of the core. */
export type Measuring = "never" | "if unknown" | "again";

/** The limits of one core; text: why they are not known. */
export interface LimitsSource {
  limits(context: KernelContext, target: Target, toolchain: string): Promise<MachineLimits | string>;
  /** Returns the limits after another measurement; null: there was none, as none may be made or the last ones brought nothing. */
  again(context: KernelContext, target: Target, toolchain: string): Promise<MachineLimits | null>;
}

/** Most repeated measurements for a target, however many kernels are faster than its limits. */
const mostAgain = 2;

/** Asks the machine once for each target and compiler, and again where a kernel was faster. */
export function limitsSource(measuring: Measuring): LimitsSource {
  const known = new Map<string, Promise<MachineLimits | string>>();
  const asked = new Map<string, number>();
  const idOf = (target: Target, toolchain: string): string => JSON.stringify([targetClass(target), toolchain]);
  return {
    limits(context, target, toolchain) {
      const id = idOf(target, toolchain);
      const limits = known.get(id) ?? limitsOf(context, target, toolchain, measuring);
      known.set(id, limits);
      return limits;
    },
    async again(context, target, toolchain) {
      const id = idOf(target, toolchain);
      const times = asked.get(id) ?? 0;
      if (measuring === "never" || times >= mostAgain) return null;
      asked.set(id, times + 1);
      const limits = limitsOf(context, target, toolchain, "again");
      known.set(id, limits);
      const measured = await limits;
      return typeof measured === "string" ? null : measured;
    },
  };
}

/** A kernel whose speed is compared with the limits of its machine. */
export interface Roofed {
  /** Definition that its schedule computes: the operator, or another definition of the same results. */
  readonly computed: ComputeDef;
  /** Target of the kernel's schedule, which may be another machine's. */
  readonly target: Target;
  /** Compiler with which the kernel was measured. */
  readonly toolchain: string;
  /** The least time that was measured of it, or of another candidate; null: none was. */
  readonly leastNs: number | null;
}

const noRoof = {
  gflops: null,
  relaxedGflops: null,
  reading: null,
  leastNs: null,
  limitedBy: null,
  isKernelFaster: false,
} as const;

export async function roofOf(context: KernelContext, kernel: Roofed, source: LimitsSource): Promise<RoofReport> {
  const { target, toolchain, leastNs } = kernel;
  if (targetClass(target) !== targetClass(targetHere(target, context.machine)))
    return { ...noRoof, source: "its schedule is another machine's" };
  // A second of measuring would be for nothing.
  if (leastNs === null) return { ...noRoof, source: "nothing of it was measured here" };
  const oneCore = { ...target, threads: 1 };
  let limits: MachineLimits | string | null = await source.limits(context, oneCore, toolchain);
  if (typeof limits === "string") return { ...noRoof, source: limits };
  let roof = roofUnder(context, kernel, limits);
  while (isFaster(leastNs, roof)) {
    limits = await source.again(context, oneCore, toolchain);
    if (!limits) return raised(context, leastNs, roof);
    roof = roofUnder(context, kernel, limits);
  }
  return roof;
}

const isFaster = (ns: number | null, { leastNs }: RoofReport): boolean =>
  ns !== null && leastNs !== null && ns < leastNs;

function roofUnder({ op, task }: KernelContext, { computed, target }: Roofed, limits: MachineLimits): RoofReport {
  const { threads, hasFma } = cpuTarget(target);
  const { constants = [], numerics } = task;
  const computing = { op: computed, constants, numerics, hasFma };
  const own = isRelaxed(target, numerics) ? relaxed(limits) : limits;
  const { arithmeticNs, readingNs, bytes, reading } = leastTime(computing, own);
  const relaxedNs = leastTime({ ...computing, hasFma: true }, relaxed(limits)).arithmeticNs;
  const { flops } = factsOf(op);
  const ns = arithmeticNs && arithmeticNs / threads;
  // The reading speed of one core says little about that of several.
  const isReadingKnown = threads === 1;
  const isReadingLonger = isReadingKnown && readingNs > (ns ?? 0);
  return {
    gflops: ns === null || ns === 0 ? null : flops / ns,
    relaxedGflops: relaxedNs && arithmeticNs && relaxedNs < arithmeticNs ? (threads * flops) / relaxedNs : null,
    reading: isReadingKnown ? { speed: reading, bytes, gflops: flops / readingNs } : null,
    leastNs: isReadingLonger ? readingNs : ns,
    limitedBy: isReadingLonger ? "reading" : ns === null ? null : "arithmetic",
    isKernelFaster: false,
    source: threads === 1 ? "measured on one core" : `measured on one core, times ${threads}`,
  };
}

/** Limits of modules with relaxed SIMD; unknown for what is not WASM, and in an engine that has none. */
const relaxed = ({ rates, reading }: MachineLimits): MachineLimits => ({
  rates: { ...rates, "f32.multiply": rates["f32.relaxed"], "f64.multiply": rates["f64.relaxed"] },
  reading,
});

/** Raises limits that were measured too low: they are at least what the kernel does. */
function raised({ op }: KernelContext, leastNs: number, roof: RoofReport): RoofReport {
  const gflops = factsOf(op).flops / leastNs;
  const { reading } = roof;
  return {
    ...roof,
    gflops: roof.gflops && Math.max(roof.gflops, gflops),
    reading: reading && {
      ...reading,
      speed: Math.max(reading.speed, reading.bytes / leastNs),
      gflops: Math.max(reading.gflops, gflops),
    },
    leastNs,
    isKernelFaster: true,
  };
}

// ── measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Key of a machine's limits. CPUs of other generations may have the same features and caches; each engine compiles WASM its own way. */
function keyOf(target: Target, toolchain: string): MachineKey {
  const compiler = needsToolchain(target) ? toolchain : `V8 ${process.versions.v8}`;
  return { targetClass: `${targetClass(target)} on ${cpuName()}`, toolchain: compiler };
}

async function limitsOf(
  { services, whyNotHere, toolchain: detect }: KernelContext,
  target: Target,
  toolchain: string,
  measuring: Measuring,
): Promise<MachineLimits | string> {
  const { cacheDir } = services.options;
  const key = keyOf(target, toolchain);
  const stored = limitsFiles.read(cacheDir, key);
  if (stored && measuring !== "again") return stored;
  if (whyNotHere !== null) return whyNotHere;
  if (measuring === "never") return "a build in this mode measures nothing";
  const cpu = asCpu(target);
  if (!cpu) return "nobody knows the limits of this machine";
  const compiler = needsToolchain(target) ? await detect() : null;
  if (needsToolchain(target) && compiler?.identity !== toolchain)
    return stored ?? "the compiler that measured it is not here";
  const measured = await measureLimits(cpu, compiler);
  if (!measured) return stored ?? "the loops that measure them could not be built";
  const limits = stored ? greaterLimits(measured, stored) : measured;
  keep(cacheDir, { schema: limitsSchema, ...key, ...limits });
  return limits;
}

/** Keeps limits on disk. Where that is full or may not be written, they are measured again next time. */
function keep(directory: string, limits: StoredLimits): void {
  try {
    limitsFiles.write(directory, limits);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}
