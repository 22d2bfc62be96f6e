// Operands of a map whose elements lie near each other along the lanes of a vector, though not side by side: in strides, turned around, some
// of them again and again. Code generators load the runs of memory around these elements, and pick the lanes.

import { type ComputeDef, type Load, runsOf, walkExpr, windowsAlong } from "../../../compiler/index.ts";
import { type Access, type SchedulableStage, type SpatialAxis, shapesOf } from "./schedulable-stage.ts";
import { isVectorizableInside, strideOf } from "./vector-axis.ts";

export interface Picks {
  /** Number of vectors after which the lanes are the same again: three where they are channels of a pixel. */
  readonly vectors: number;
  /** Loads and shuffles that bring a vector of a read, by buffer: the most of its reads. */
  readonly steps: ReadonlyMap<string, number>;
}

/** Numbers of vectors that are tried. */
const turns = [1, 3, 5, 7];

/** Most lanes of a turn: a loop has no more. */
const mostLanes = 256;

/** Counts the loads and shuffles of each operand's vectors along the last axis. Null: the lanes of one operand do not lie near each other. */
export function picksAlong(stage: SchedulableStage, op: ComputeDef, lanes: number): Picks | null {
  for (const vectors of turns) {
    const steps = lanes * vectors <= mostLanes ? stepsOf(stage, op, { lanes, vectors }) : null;
    if (steps) return { vectors, steps };
  }
  return null;
}

/** Counts the loads and shuffles that bring a vector whose lanes are in strides along an axis. */
export function stepsOfStride(
  read: Access,
  { axis, lanes }: { readonly axis: SpatialAxis; readonly lanes: number },
): number {
  const stride = strideOf(read, axis.name);
  const runs = runsOf(Array.from({ length: lanes }, (_, lane) => lane * stride));
  return runs ? 2 * runs.starts.length : lanes;
}

function stepsOf(
  stage: SchedulableStage,
  op: ComputeDef,
  turn: { readonly lanes: number; readonly vectors: number },
): Picks["steps"] | null {
  const { name } = stage.spatial.at(-1)!;
  const shapes = shapesOf(op);
  const others = new Set(stage.reads.filter((read) => !isVectorizableInside(read, name)).map(({ buffer }) => buffer));
  const steps = new Map(stage.reads.map(({ buffer }) => [buffer, 1]));
  for (const load of loadsIn(stage)) {
    if (!others.has(load.buffer)) continue;
    const windows = windowsAlong(load, shapes.get(load.buffer)!, stage.block.axes, name, turn);
    if (!windows) return null;
    const most = Math.max(...windows.map(({ runs }) => 2 * runs.starts.length));
    steps.set(load.buffer, Math.max(steps.get(load.buffer)!, most));
  }
  return steps;
}

function loadsIn({ block }: SchedulableStage): readonly Load[] {
  const loads: Load[] = [];
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer !== block.buffer) loads.push(node);
  });
  return loads;
}
