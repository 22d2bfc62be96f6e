// Axes of a sum that threads compute in tiles: those along which a group has threads, the others, and the one whose steps are cut.
//
//   C[b, i, j] += A[b, i, k] · B[b, k, j]      outer b, tiled i and j, columns j, depth k
//   out[n, y, x, f] += …                       outer n, tiled y, x and f, columns f, depth rc, further ry and rx

import { loopName, type ThreadAxis } from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { dependsOn, keepsOrder, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { isVectorizable } from "../draft/vector-axis.ts";
import type { Parts } from "../parts/parts.ts";
import type { ByteDot } from "./byte-words.ts";

export interface SumAxis {
  readonly name: string;
  readonly extent: number;
  readonly loop: string;
}

export interface TiledAxis extends SumAxis {
  /** Coordinate of the threads along it. */
  readonly coordinate: ThreadAxis;
  /** Numbers of elements that a vector along it may have: 1 alone where elements do not lie beside each other. */
  readonly lanes: readonly number[];
}

export interface TiledSum {
  readonly stage: SchedulableStage;
  /** Axes of which a group has one element. */
  readonly outer: readonly SumAxis[];
  /** Axes along which a group has threads, the columns last. */
  readonly tiled: readonly TiledAxis[];
  readonly columns: TiledAxis;
  /** Reduce axes around the one that is cut. */
  readonly further: readonly SumAxis[];
  readonly depth: SumAxis;
  /** The instruction for words, which then are the elements of the depth; null: it is walked element by element. */
  readonly dot: ByteDot | null;
  /** Parts of the depth whose sums these are, each in groups of its own; null: the sums are of all of it. */
  readonly parts: Parts | null;
}

const coordinates = ["threadIdx.x", "threadIdx.y", "threadIdx.z"] as const satisfies readonly ThreadAxis[];

/** Says whether a stage is a sum, or another reduction, that is kept in registers until it is complete. */
export function isPlainSum({ block, spatial, reduce }: SchedulableStage): boolean {
  const { value } = block;
  const isUpdate = value.kind === "binary" && value.left.kind === "load" && value.left.buffer === block.buffer;
  return reduce.length > 0 && block.init !== null && isUpdate && spatial.every(({ isPart }) => !isPart);
}

const associative: ReadonlySet<string> = new Set(["add", "mul", "max", "min"]);

/** Says whether several threads may reduce parts of such a sum, and combine them. */
export const isInAnyOrder = (stage: SchedulableStage, { numerics }: Pick<TuningTask, "numerics">): boolean =>
  isPlainSum(stage) &&
  !keepsOrder(stage, numerics) &&
  stage.block.value.kind === "binary" &&
  associative.has(stage.block.value.op);

/** Returns the axes of a sum. Null: the stage is none, or has a single result. */
export function tiledSum(stage: SchedulableStage, { numerics }: Pick<TuningTask, "numerics">): TiledSum | null {
  const { name, spatial, reduce } = stage;
  const last = spatial.at(-1);
  if (!last || !isPlainSum(stage)) return null;
  const axisOf = (axis: { readonly name: string; readonly extent: number }): SumAxis => {
    return { name: axis.name, extent: axis.extent, loop: loopName(name, axis.name) };
  };
  const rows = rowsOf(stage);
  const chosen = [last, ...rows.toReversed()];
  const tiled = chosen.map((axis, at): TiledAxis => {
    return { ...axisOf(axis), coordinate: coordinates[at]!, lanes: at === 0 ? lanesOf(stage) : [1] };
  });
  const longest = reduce.reduce((best, axis) => (axis.extent >= best.extent ? axis : best), reduce[0]!);
  const depth = keepsOrder(stage, numerics) ? reduce.at(-1)! : longest;
  return {
    stage,
    outer: spatial.filter((axis) => !chosen.includes(axis)).map(axisOf),
    tiled: tiled.toReversed(),
    columns: tiled[0]!,
    further: reduce.filter((axis) => axis !== depth).map(axisOf),
    depth: axisOf(depth),
    dot: null,
    parts: null,
  };
}

/** The two innermost axes before the columns along which some operand stays the same. */
function rowsOf({ spatial, reads }: SchedulableStage): SchedulableStage["spatial"] {
  const reuses = (name: string): boolean => reads.length === 1 || reads.some((read) => !dependsOn(read, name));
  return spatial
    .slice(0, -1)
    .filter(({ name, extent }) => extent > 1 && reuses(name))
    .slice(-2);
}

function lanesOf({ spatial, reads }: SchedulableStage): readonly number[] {
  const { name, extent } = spatial.at(-1)!;
  const isVector = reads.every((read) => isVectorizable(read, name));
  return isVector ? threadSizes.lanes.filter((lanes) => extent % lanes === 0) : [1];
}
