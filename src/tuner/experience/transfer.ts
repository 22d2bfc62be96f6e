// Transfers records of other tasks on the same machine to a tuning: all of them correct the analytic prior, and shapes of its
// own family give first candidates. The same records give the same.

import { type Extents, extentsOf, familyOf, shapeDistance } from "../data/family.ts";
import type { TuningRecord } from "../data/record.ts";
import type { TuningTask } from "../data/task.ts";
import { factsOfRows } from "../prior/fact-rows.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import { predictTotalNs } from "../prior/ranker.ts";
import { soundFacts } from "../prior/sound-facts.ts";
import { recordedNs } from "../record/database.ts";
import { type Known, nothingKnown } from "../search/point/known.ts";
import { projectCandidate } from "../search/point/project.ts";
import { candidateKey, type Point, type SearchSpace } from "../search/point/search-space.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { createRng } from "../support/rng.ts";
import { steady } from "../support/steady.ts";
import { newestGenerations } from "./known-records.ts";
import { learnResidual } from "./residual-prior.ts";

/** Returns the space with its prior corrected; the space itself where records and machine tell too little. */
export function withExperience(
  space: GeneratedSpace,
  { target }: TuningTask,
  records: readonly TuningRecord[],
  machine?: MachineModel,
): GeneratedSpace {
  const residual = learnResidual(records, target, machine);
  if (!residual && !machine) return space;
  return {
    ...space,
    prior(template, assignment) {
      const stages = space.facts(template, assignment);
      return stages && predictTotalNs(stages, target, machine) * 2 ** (residual?.(stages) ?? 0);
    },
  };
}

/** A tuned shape of the family. */
interface KnownShape {
  readonly extents: Extents;
  readonly distance: number;
  /** Records with a time, the fastest first. */
  readonly records: readonly TuningRecord[];
}

/** Most shapes that give seeds: farther ones have other bottlenecks. */
const mostShapes = 4;
const seedsPerShape = 6;
/** Fewest candidates with a time for a shape to count as tuned, so that its best says what to expect. */
const leastTuned = 72;

/**
 * Collects what other shapes of the family tell of a task.
 *
 * @param records records of relatives, on this target class by this toolchain
 * @param searched the space of `task`, whose prior is only asked for its order
 */
export function knownOf(
  task: TuningTask,
  space: GeneratedSpace,
  searched: SearchSpace,
  records: readonly TuningRecord[],
  machine?: MachineModel,
): Known {
  const shapes = knownShapes(task, records).slice(0, mostShapes);
  if (shapes.length === 0) return nothingKnown;
  const rng = createRng(1);
  const project = ({ candidate }: TuningRecord): Point | null => projectCandidate(searched, candidate, rng);
  const projected = shapes.map((shape) => shape.records.slice(0, seedsPerShape).map(project));
  const expectations = shapes.flatMap(
    (shape, k) => expectedNs(task, space, shape, projected[k]![0] ?? null, machine) ?? [],
  );
  return {
    seeds: inTurn(projected).map(({ candidate }) => candidate),
    shapes: shapes.length,
    records: shapes.reduce((sum, shape) => sum + shape.records.length, 0),
    // The least expectation, of the shape that promises most, so that no search converges too early.
    expectedNs: expectations.length > 0 ? Math.min(...expectations) : null,
  };
}

function knownShapes(task: TuningTask, records: readonly TuningRecord[]): readonly KnownShape[] {
  const family = familyOf(task);
  const extents = extentsOf(task.op);
  const related = records.filter((one) => one.family === family && one.extents && one.measurement.kind === "ok");
  const shapes = newestGenerations(related).map((group): KnownShape => {
    const own = group[0]!.extents!;
    return { extents: own, distance: shapeDistance(extents, own), records: fastestFirst(group) };
  });
  return shapes
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((left, right) => steady(left.distance) - steady(right.distance));
}

/** Sorts records, the fastest first; where a candidate has several, only the last counts. */
function fastestFirst(records: readonly TuningRecord[]): readonly TuningRecord[] {
  const last = new Map(records.map((record) => [candidateKey(record.candidate), record]));
  return [...last.values()].sort((left, right) => recordedNs(left) - recordedNs(right));
}

/** Returns the best of each shape, the nearest shape's first, then the second best of each, and so on; each once. */
function inTurn(projected: readonly (readonly (Point | null)[])[]): readonly Point[] {
  const places = Array.from({ length: seedsPerShape }, (_, place) =>
    projected.flatMap((points) => points[place] ?? []),
  );
  return [...new Map(places.flat().map((point) => [point.key, point])).values()];
}

/**
 * Expects a time of the best: what the prior says here of a shape's best, times the factor by which it was off there. Null for
 * a shape that was not tuned, or whose best has no place here.
 */
function expectedNs(
  { target }: TuningTask,
  space: GeneratedSpace,
  { records: { length, 0: best } }: KnownShape,
  point: Point | null,
  machine?: MachineModel,
): number | null {
  const rows = length < leastTuned ? null : factsOfRows(best!.facts);
  const there = rows && soundFacts(rows, target);
  const here = point && space.facts(point.template.template, point.assignment);
  if (!there || !here) return null;
  return (predictTotalNs(here, target, machine) * recordedNs(best!)) / predictTotalNs(there, target, machine);
}
