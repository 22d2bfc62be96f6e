// Spaces and schedules of drawn operators on CPUs, and whether what a schedule makes of an operator is right.

import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type ComputeDef,
  fromCompute,
  generateWasm,
  printTrace,
  replay,
  type TargetName,
  targets,
} from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { rngOf } from "../long.ts";
import { referenceOf, wrongNest, wrongWasm } from "../reference.ts";

/** Targets that drawn operators are scheduled for, in turn. */
export const drawnTargets: readonly TargetName[] = ["avx2", "avx512", "wasm", "neon-dot"];

export const spaceOf = (op: ComputeDef, name: TargetName): GeneratedSpace =>
  generateSpace({ op, target: targets[name], numerics: "fast", threads: 1 });

/** A schedule of each template, by lot. */
export function drawEach(space: GeneratedSpace, rng: Rng): readonly Candidate[] {
  const search = searchSpace(space);
  return search.templates.flatMap((template) => drawPoint(search, template, rng, {})?.candidate ?? []);
}

/** The mistake that a schedule of the operator makes, with the schedule; null: none. */
export function problemOf(op: ComputeDef, space: GeneratedSpace, found: Candidate, name: TargetName): string | null {
  const template = space.templates.find((it) => it.name === found.template)!;
  const trace = candidateTrace(space, found)!;
  const result = replay(fromCompute(template.op), trace);
  if (result.kind !== "ok") return result.diagnostic.message;
  const flat = lower(result.nest, { target: targets[name], numerics: "fast" });
  const reference = referenceOf(op, rngOf("drawn schedules"));
  const problem =
    name === "wasm" ? wrongWasm(reference, generateWasm(flat, { relaxed: false })) : wrongNest(reference, flat);
  return problem && `${template.name}\n${printTrace(trace)}\n${problem}`;
}
