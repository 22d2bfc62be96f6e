// Families of processors, by Node's names, and how a C compiler is told which instructions of one a kernel may have.

import type { CpuTarget, TargetName } from "./target.ts";

/** As `process.arch` has it. */
export type Architecture = "x64" | "arm64";

/** Returns the family whose compiled code has these features. All targets of ARM have `neon`, and no other has. */
export const architectureOf = (features: readonly string[]): Architecture =>
  features.includes("neon") ? "arm64" : "x64";

/** Targets that a build has for the other family where an import names one of this: what nearly all of its machines run. */
const commonTargets: Readonly<Record<Architecture, TargetName>> = { x64: "avx2", arm64: "neon-dot" };

/** Returns the target that stands for another on a family of processors: itself where it is of that. */
export const targetFor = ({ name, features }: Pick<CpuTarget, "name" | "features">, on: Architecture): TargetName =>
  architectureOf(features) === on ? name : commonTargets[on];

/**
 * Returns the options of gcc and clang that let code use the features: `-mavx2 -mfma`, or `-march=armv8.2-a+dotprod+fp16`. Every 64-bit ARM
 * has NEON, so it is no option.
 */
export function featureOptions(features: readonly string[]): readonly string[] {
  if (architectureOf(features) === "x64") return features.map((feature) => `-m${feature}`);
  const extensions = features.filter((feature) => feature !== "neon").map((feature) => `+${feature}`);
  return [`-march=armv8.2-a${extensions.join("")}`];
}
