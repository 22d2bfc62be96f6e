// Measured candidates → the numbers of the machine that explain their times best: robust least squares on the logarithm
// of the time, held near what is known of machines in general. Pure; who measures is elsewhere.

import type { Target } from "../../compiler/index.ts";
import { steady, steadyLog2 } from "../support/steady.ts";
import type { MachineModel } from "./machine-model.ts";
import { machineModelOf, predictTotalNs, type RankingFacts } from "./ranker.ts";

export interface CalibrationSample {
  readonly facts: readonly RankingFacts[];
  readonly ns: number;
}

type FullModel = Required<MachineModel>;

/** Numbers that are fitted; others, which no sample of a single thread depends on, stay as they are. */
const fitted = [
  "clockGhz",
  "arithmeticPerCycle",
  "loadsPerCycle",
  "instructionsPerCycle",
  "arithmeticLatency",
  "l2BytesPerCycle",
  "l3BytesPerCycle",
  "memoryBytesPerCycle",
  "packBytesPerCycle",
  "loadsPerSpill",
  "visibleShare",
  "cyclesPerIteration",
  "shortBody",
  "growth",
  "iterationsPerTile",
  "iterationsPerWalk",
  "loadsPerPageWalk",
  "bytesPerUnfollowed",
] as const satisfies readonly (keyof MachineModel)[];

/** Start of a number that is 0, which no factor would change. */
const almostNone = 1 / 16;
/** Most octaves that a number moves: no machine is so different, and one that no sample depends on must not run away. */
const mostOctaves = 4;
/** Octaves of a sample's error beyond which it counts as an outlier: linear, not squared. */
const outlier = 0.5;
/** Penalty of an octave away from the start, in squared octaves of the mean sample: little, but more than nothing. */
const pull = 0.003;
/** Steps of the pattern search, in octaves. */
const steps = [1, 0.5, 0.25, 0.12, 0.06, 0.03] as const;
const mostSweeps = 12;

/**
 * Fits the machine's numbers. The same samples give the same numbers. Without samples it gives `begin`.
 *
 * @example fitMachine(samples, target).l2BytesPerCycle
 */
export function fitMachine(
  samples: readonly CalibrationSample[],
  target: Target,
  begin: MachineModel = machineModelOf(target),
): FullModel {
  const start: FullModel = { ...machineModelOf(target), ...begin };
  if (samples.length === 0) return start;
  let best = withClock(samples, target, nonZero(start));
  const loss = lossOf(samples, target, best);
  let least = loss(best);
  for (const step of steps) {
    for (let sweep = 0; sweep < mostSweeps; sweep++) {
      const before = least;
      for (const name of fitted) {
        for (const octaves of [step, -step]) {
          const moved = { ...best, [name]: best[name] * 2 ** octaves };
          const value = loss(moved);
          if (value < least) [best, least] = [moved, value];
        }
      }
      if (least === before) break;
    }
  }
  return rounded(best);
}

/** Scales the clock by the median error, as if all numbers a cycle were right. */
function withClock(samples: readonly CalibrationSample[], target: Target, start: FullModel): FullModel {
  const errors = samples.map((sample) => errorOf(sample, target, start)).sort((left, right) => left - right);
  return { ...start, clockGhz: start.clockGhz * 2 ** -errors[errors.length >> 1]! };
}

const nonZero = (machine: FullModel): FullModel => {
  const entries = fitted.map((name): [string, number] => [name, machine[name] || almostNone]);
  return { ...machine, ...Object.fromEntries(entries) };
};

/** Returns the octaves by which a run took longer than predicted. */
const errorOf = ({ facts, ns }: CalibrationSample, target: Target, machine: MachineModel): number =>
  steadyLog2(ns / predictTotalNs(facts, target, machine));

/** Computes the mean Huber loss with the pull; infinite out of bounds. */
function lossOf(
  samples: readonly CalibrationSample[],
  target: Target,
  start: FullModel,
): (machine: FullModel) => number {
  return (machine) => {
    const moves = fitted.map((name) => steadyLog2(machine[name] / start[name]));
    if (moves.some((move) => Math.abs(move) > mostOctaves)) return Number.POSITIVE_INFINITY;
    const errors = samples.reduce((sum, sample) => sum + huber(errorOf(sample, target, machine)), 0);
    const pulls = moves.reduce((sum, move) => sum + pull * move * move, 0);
    return steady(errors / samples.length + pulls);
  };
}

function huber(error: number): number {
  const size = Math.abs(error);
  return size <= outlier ? size * size : outlier * (2 * size - outlier);
}

/** Rounds to four digits: more are noise, and files stay readable. */
function rounded(machine: FullModel): FullModel {
  const entries = fitted.map((name): [string, number] => [name, Number(machine[name].toPrecision(4))]);
  return { ...machine, ...Object.fromEntries(entries) };
}
