// Operands whose elements lie near each other along the lanes of a vector, though not side by side: in strides, turned around, some of
// them again and again. Code generators load the runs of memory around these elements, and pick the lanes.

import {
  type ComputeDef,
  exprKey,
  type LaneWindows,
  type Load,
  runsOf,
  walkExpr,
  windowsAlong,
} from "../../../compiler/index.ts";
import { isOneLoad, partsOf } from "./lane-parts.ts";
import { type Access, type SchedulableStage, type SpatialAxis, shapesOf } from "./schedulable-stage.ts";
import { alongReduction, isVectorizable, isVectorizableInside, type ReduceAxis, strideOf } from "./vector-axis.ts";

export interface Picks {
  /** Number of vectors after which the lanes are the same again: three where they are channels of a pixel. */
  readonly vectors: number;
  /** Loads and shuffles that bring a vector of a read, by buffer: on average, as its reads have some in common. */
  readonly steps: ReadonlyMap<string, number>;
}

/** Numbers of vectors that are tried. */
const turns = [1, 3, 5, 7];

/** Most lanes of a turn: a loop has no more. */
const mostLanes = 256;

/** Counts the loads and shuffles of each operand's vectors along the last axis. Null: the lanes of one operand do not lie near each other. */
export function picksAlong(stage: SchedulableStage, op: ComputeDef, lanes: number): Picks | null {
  const { name } = stage.spatial.at(-1)!;
  const isBeside = (read: Access): boolean => isVectorizableInside(read, name);
  for (const vectors of turns) {
    const steps = lanes * vectors <= mostLanes ? stepsOf(stage, op, { axis: name, isBeside, lanes, vectors }) : null;
    if (steps) return { vectors, steps };
  }
  return null;
}

/** The axis that a reduction is summed over in vectors. */
export interface SummedAlong {
  readonly axis: ReduceAxis;
  readonly lanes: number;
  /** Loads and shuffles of each operand's vectors; null: all operands lie along the axis. */
  readonly picks: Picks["steps"] | null;
}

/**
 * Returns the axis along which operands lie, or else the last one if their lanes lie near each other, in shorter vectors where they do not in
 * whole ones. Null: they do not, or each lane of an operand would be loaded on its own.
 *
 * @param lanesOf lanes of a vector along so many elements
 */
export function summedAlong(
  stage: SchedulableStage,
  op: ComputeDef,
  lanesOf: (extent: number) => number,
): SummedAlong | null {
  const along = alongReduction(stage);
  if (along) return { axis: along, lanes: lanesOf(along.extent), picks: null };
  const axis = stage.reduce.at(-1);
  if (!axis) return null;
  const isBeside = (read: Access): boolean => isVectorizable(read, axis.name);
  // Operands behind an axis of one element lie side by side: the algorithms that leave such axes out see that.
  if (stage.reads.some((read) => !isBeside(read) && strideOf(read, axis.name) === 1)) return null;
  for (let lanes = lanesOf(axis.extent); lanes >= leastLanes; lanes /= 2) {
    const picks = stepsOf(stage, op, { axis: axis.name, isBeside, lanes, vectors: 1 });
    if (picks && [...picks.values()].every((steps) => steps < 2 * lanes)) return { axis, lanes, picks };
  }
  return null;
}

/** Counts the loads and shuffles that bring a vector of each operand along an axis that is summed over. Lanes that lie apart are loaded one by one. */
export function stepsAlong(stage: SchedulableStage, op: ComputeDef, axis: ReduceAxis, lanes: number): Picks["steps"] {
  const isBeside = (read: Access): boolean => isVectorizable(read, axis.name);
  const picks = stepsOf(stage, op, { axis: axis.name, isBeside, lanes, vectors: 1 });
  return picks ?? new Map(stage.reads.map((read) => [read.buffer, isBeside(read) ? 1 : lanes]));
}

/** Fewest lanes of a sum in vectors of picked lanes. */
const leastLanes = 4;

/** Counts the loads and shuffles that bring a vector whose lanes are in strides along an axis. */
export function stepsOfStride(
  read: Access,
  { axis, lanes }: { readonly axis: SpatialAxis; readonly lanes: number },
): number {
  const stride = strideOf(read, axis.name);
  const runs = runsOf(Array.from({ length: lanes }, (_, lane) => lane * stride));
  return runs ? runs.starts.length * (isOneLoad(runs) ? 1 : 2) : lanes;
}

interface Turn {
  readonly axis: string;
  /** Says whether the lanes of a read are one element, or lie side by side. */
  readonly isBeside: (read: Access) => boolean;
  readonly lanes: number;
  readonly vectors: number;
}

/** Averages over the reads of a buffer, which have loads and shuffles in common. Null: the lanes of one of them do not lie near each other. */
function stepsOf(stage: SchedulableStage, op: ComputeDef, { axis, isBeside, ...turn }: Turn): Picks["steps"] | null {
  const shapes = shapesOf(op);
  const others = new Set(stage.reads.filter((read) => !isBeside(read)).map(({ buffer }) => buffer));
  const steps = new Map(stage.reads.map(({ buffer }) => [buffer, 1]));
  for (const buffer of others) {
    const reads = loadsOf(stage, buffer);
    const vectors = Array.from({ length: turn.vectors }, () => new Set<string>());
    for (const load of reads) {
      const windows = windowsAlong(load, shapes.get(buffer)!, stage.block.axes, axis, turn);
      if (!windows) return null;
      for (const [at, window] of windows.entries())
        for (const part of stepsOfRead(load, window)) vectors[at]!.add(part);
    }
    const all = vectors.reduce((sum, { size }) => sum + size, 0);
    steps.set(buffer, all / (turn.vectors * reads.length));
  }
  return steps;
}

/** Loads and shuffles, and one step more where lanes are picked, for the registers that a pick takes. */
const stepsOfRead = (load: Load, window: LaneWindows): readonly string[] =>
  isOneLoad(window.runs) ? partsOf(load, window) : [...partsOf(load, window), exprKey(load)];

/** The different loads of a buffer. */
function loadsOf({ block }: SchedulableStage, buffer: string): readonly Load[] {
  const loads = new Map<string, Load>();
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) loads.set(exprKey(node), node);
  });
  return [...loads.values()];
}
