// Rows that a group of threads works on from end to end: a stage and the reductions along its rows that it is made from.
//
//   Y.max[i], Y.sum[i], Y[i, j]   of softmax: leading i, inner j
//   y[i] = Σ A[i, k] · x[k]       alone: leading i

import { type AcceleratorTarget, computesElementOf } from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { type Access, dependsOn, isMap, type SchedulableStage, type SpatialAxis } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { fitOneLaunch, inlinedOn } from "../fusion/launch-arrays.ts";
import { isInAnyOrder } from "./sum-axes.ts";

type Context = Pick<RuleContext<AcceleratorTarget>, "stages" | "task">;

export interface RowGroup {
  /** The stage that is computed last. */
  readonly root: SchedulableStage;
  /** Axes whose elements are the rows. */
  readonly leading: readonly SpatialAxis[];
  /** Axes of the root along its rows; none: it has one element of each, or is a reduction itself. */
  readonly inner: readonly SpatialAxis[];
  /** Reductions along the rows, in the order of the operator; the root last, if it is one. */
  readonly reductions: readonly SchedulableStage[];
  /** Maps between these stages that are computed where they are read. */
  readonly inlined: readonly SchedulableStage[];
}

/** Says whether several threads may reduce a row together, and find its elements side by side. */
export function isRowReduction(stage: SchedulableStage, task: Pick<TuningTask, "numerics">): boolean {
  const { spatial, reduce, reads } = stage;
  if (!isInAnyOrder(stage, task)) return false;
  const length = reduce.reduce((count, { extent }) => count * extent, 1);
  const last = reduce.at(-1)!.name;
  const moving = spatial.filter(({ extent }) => extent > 1);
  const isAlongRow = (access: Access): boolean =>
    moving.every(({ name }) => dependsOn(access, name)) && access.dims.at(-1)?.get(last) === 1;
  return length >= threadSizes.leastRow && reads.some(isAlongRow);
}

/** Returns the rows of which a stage is the last. Null: there are none. */
export function rowGroupOf(root: SchedulableStage, context: Context): RowGroup | null {
  if (root.spatial.length === 0 || root.spatial.some(({ isPart }) => isPart)) return null;
  const isReduction = root.reduce.length > 0;
  if (isReduction ? !isRowReduction(root, context.task) : !isMap(root)) return null;
  const found = isReduction ? membersOf(root, root.spatial.length, context) : deepest(root, context);
  if (!found) return null;
  const { depth, reductions, inlined } = found;
  return {
    root,
    leading: root.spatial.slice(0, depth),
    inner: isReduction ? [] : root.spatial.slice(depth),
    reductions: isReduction ? [...reductions, root] : reductions,
    inlined,
  };
}

interface Members {
  readonly depth: number;
  readonly reductions: readonly SchedulableStage[];
  readonly inlined: readonly SchedulableStage[];
}

/** The most leading axes for which a map has reductions of its rows. */
function deepest(root: SchedulableStage, context: Context): Members | null {
  for (let depth = root.spatial.length; depth > 0; depth--) {
    const members = membersOf(root, depth, context);
    if (members.reductions.length > 0) return members;
  }
  return null;
}

/** Walks back from the root: a stage belongs to the rows if all that read it do. */
function membersOf(root: SchedulableStage, depth: number, { stages, task }: Context): Members {
  const members = new Map([[root.name, root]]);
  const reductions: SchedulableStage[] = [];
  const inlined: SchedulableStage[] = [];
  const atOnce = inlinedOn(stages, task.target);
  for (const stage of stages.slice(0, stages.indexOf(root)).toReversed()) {
    if (stage.isOutput || stage.spatial.length !== depth || !hasRows(stage, root)) continue;
    const readers = stage.readers.map((name) => members.get(name));
    const isRead = readers.length > 0 && readers.every((reader) => reader && readsRow(reader, stage));
    if (!isRead) continue;
    if (isRowReduction(stage, task)) reductions.unshift(stage);
    else if (atOnce.has(stage.name)) inlined.unshift(stage);
    else continue;
    members.set(stage.name, stage);
  }
  const isNeeded = reductions.length > 0;
  if (!fitOneLaunch([...inlined, ...reductions, root], stages, atOnce, task.target)) {
    return { depth, reductions: [], inlined: [] };
  }
  return { depth, reductions, inlined: isNeeded ? inlined : [] };
}

const hasRows = ({ spatial }: SchedulableStage, root: SchedulableStage): boolean =>
  spatial.every(({ extent }, at) => root.spatial[at]!.extent === extent);

/** Says whether element [i, …] of the reader reads element [i] alone. */
const readsRow = (reader: SchedulableStage, { name, spatial }: SchedulableStage): boolean =>
  reader.spatial.length >= spatial.length &&
  reader.reads
    .filter(({ buffer }) => buffer === name)
    .every(
      ({ dims, guarded }) =>
        !guarded && spatial.every((_, at) => dims[at]?.size === 1 && dims[at]?.get(reader.spatial[at]!.name) === 1),
    );

/**
 * Returns the buffers whose rows are read by several stages, element by element, so that each thread can keep its part of a row in
 * registers.
 */
export function keptRows({ root, leading, inner, reductions }: RowGroup): readonly string[] {
  const stages = root.reduce.length > 0 ? reductions : [...reductions, root];
  const reads = stages.flatMap((stage) => stage.reads.map((access) => ({ stage, access })));
  const names = [...new Set(reads.map(({ access }) => access.buffer))];
  const internal = new Set(reductions.map(({ name }) => name));
  return names.filter((name) => {
    const own = reads.filter(({ access }) => access.buffer === name);
    return (
      !internal.has(name) &&
      own.length > 1 &&
      own.every(({ stage, access }) => {
        const [along, ...others] = stage.reduce.length > 0 ? stage.reduce : inner;
        return (
          along !== undefined &&
          others.length === 0 &&
          isOfRow(access, [...stage.spatial.slice(0, leading.length), along])
        );
      })
    );
  });
}

/** Says whether a reduction takes in what the root computes again by costly functions, so that it may be kept, too. */
export const hasSharedElements = (stage: SchedulableStage, { root }: RowGroup): boolean =>
  stage.callsFunctions &&
  stage.reduce.length === 1 &&
  root.reduce.length === 0 &&
  computesElementOf(stage.block, root.block);

/** Says whether an element is read once, at the place that the axes say. */
const isOfRow = ({ dims, guarded, count }: Access, axes: readonly { readonly name: string }[]): boolean =>
  !guarded &&
  count === 1 &&
  dims.length === axes.length &&
  dims.every((dim, at) => dim?.size === 1 && dim.get(axes[at]!.name) === 1);
