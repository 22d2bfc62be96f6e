// The roof over a kernel: what one core of this machine can do for its target, measured and kept. Nothing is made up where it is
// not known.

import { factsOf, type Target } from "../../compiler/index.ts";
import { type MachineLimits, measureLimits } from "../../native/limits/machine-limits.ts";
import { limitsFiles, limitsSchema, type StoredLimits } from "../../tuner/record/limits-file.ts";
import { targetClass } from "../../tuner/store/key.ts";
import type { KernelContext } from "../compile/kernel-context.ts";
import type { RoofReport } from "./report-data.ts";

/** Whether limits may be measured, which takes a second; `again`: the greatest so far count, as others may have had a part of the core. */
export type Measuring = "never" | "if unknown" | "again";

/** The limits of one core; text: why they are not known. */
export type LimitsSource = (
  context: KernelContext,
  target: Target,
  toolchain: string,
) => Promise<MachineLimits | string>;

/** Asks the machine once for each target and compiler. */
export function limitsSource(measuring: Measuring): LimitsSource {
  const known = new Map<string, Promise<MachineLimits | string>>();
  return (context, target, toolchain) => {
    const id = JSON.stringify([targetClass(target), toolchain]);
    const limits = known.get(id) ?? limitsOf(context, target, toolchain, measuring);
    known.set(id, limits);
    return limits;
  };
}

/**
 * @param target of its schedule, which may be another machine's
 * @param toolchain with which it was measured
 */
export async function roofOf(
  context: KernelContext,
  target: Target,
  toolchain: string,
  limits: LimitsSource,
): Promise<RoofReport> {
  const { bytesRead, bytesWritten } = factsOf(context.op);
  const isCached = bytesRead + bytesWritten <= target.l3Bytes;
  const unknown = (source: string): RoofReport => ({ gflops: null, reading: null, isCached, source });
  if (targetClass(target) !== targetClass(context.task.target)) return unknown("its schedule is another machine's");
  const known = await limits(context, { ...target, threads: 1 }, toolchain);
  if (typeof known === "string") return unknown(known);
  const share = shareOfF32(context);
  return {
    gflops: share && known.gflops * share * target.threads,
    // What one core reads says little of what several do.
    reading: target.threads === 1 ? known.reading : null,
    isCached,
    source: target.threads === 1 ? "measured on one core" : `measured on one core, times ${target.threads}`,
  };
}

/** Lanes beside those of f32; null: instructions for other types do more at once, and nothing here knows how much. */
function shareOfF32({ op: { stages } }: KernelContext): number | null {
  const shares: { readonly [dtype: string]: number } = { f32: 1, f64: 0.5 };
  const own = stages.map(({ dtype }) => shares[dtype] ?? null);
  return own.includes(null) ? null : Math.min(...own.map((share) => share ?? 1));
}

async function limitsOf(
  { services, missing, toolchain: detect }: KernelContext,
  target: Target,
  toolchain: string,
  measuring: Measuring,
): Promise<MachineLimits | string> {
  const { cacheDir } = services.options;
  const key = { targetClass: targetClass(target), toolchain };
  const stored = limitsFiles.read(cacheDir, key);
  if (stored && measuring !== "again") return stored;
  if (missing.length > 0) return `this CPU has no ${missing.join(", ")}`;
  if (measuring === "never") return "a build in this mode measures nothing";
  const compiler = target.codegen === "c" ? await detect() : null;
  if (target.codegen === "c" && compiler?.identity !== toolchain)
    return stored ?? "the compiler that measured it is not here";
  const measured = await measureLimits(target, compiler);
  if (!measured) return stored ?? "the kernels that measure them could not be built";
  const greatest = (name: keyof MachineLimits): number => Math.max(measured[name], stored?.[name] ?? 0);
  const limits = { gflops: greatest("gflops"), reading: greatest("reading") };
  keep(cacheDir, { schema: limitsSchema, ...key, ...limits });
  return limits;
}

/** A disk that is full or may not be written costs another measurement. */
function keep(directory: string, limits: StoredLimits): void {
  try {
    limitsFiles.write(directory, limits);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}
