// Families of processors, by Node's names, and the target of each that stands for one of the other.

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
