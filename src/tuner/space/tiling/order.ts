// The loop orders that multi-level tiling offers, as BLIS and its relatives have them: which operand's block stays in
// the nearer cache is decided by which outer loop is inside the other.

import type { Assignment, Condition } from "../../../compiler/index.ts";
import { choice, type Draft, is } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { isInRows, type TiledAxis } from "./tiled-axis.ts";

export interface LoopOrder {
  readonly loops: readonly string[];
  /** Loop around which the vector operand's block, and below it that of the others, is complete. */
  readonly packVectorAt: string;
  readonly packOthersAt: string;
  /** Innermost loop outside the reduction of a register tile. */
  readonly tileLoop: string;
  /** Whether blocks of the vector axis are walked outside those of the others. */
  readonly vectorOutside: boolean;
}

/** A choice among loop orders: by the value of `tunable`, or the only one. */
export interface OrderChoice {
  readonly orders: readonly LoopOrder[];
  readonly tunable: string | null;
}

export const orderChoice = (stage: SchedulableStage, orders: readonly LoopOrder[]): OrderChoice => ({
  orders,
  tunable: orders.length > 1 ? `${stage.name}.order` : null,
});

export const addOrderChoice = (draft: Draft, { orders, tunable }: OrderChoice): Draft =>
  tunable ? choice(draft, tunable, orders.length) : draft;

/** Returns the order that an assignment chooses. */
export const orderBy = ({ orders, tunable }: OrderChoice, assignment: Assignment): LoopOrder =>
  orders[tunable ? assignment[tunable]! : 0]!;

/** Adds instructions for each order, under its value of the tunable. */
export const inEachOrder = (
  draft: Draft,
  { orders, tunable }: OrderChoice,
  add: (draft: Draft, order: LoopOrder, when: readonly Condition[]) => Draft,
): Draft => orders.reduce((result, order, value) => add(result, order, tunable ? [is(tunable, value)] : []), draft);

/** The loops over rows that an intrinsic computes at once. */
const rowsOf = (axes: readonly TiledAxis[]): readonly string[] => axes.filter(isInRows).map((it) => `${it.loop}.3`);

/** Returns orders that finish each tile before the next is begun: the reduction is inside all other loops. */
export function finishedTileOrders(axes: readonly TiledAxis[]): readonly LoopOrder[] {
  const vector = axes.find((it) => it.role === "vector")!;
  const spatial = axes.filter((it) => it.role === "spatial").map((it) => it.loop);
  const level = (at: number): string[] => spatial.map((loop) => `${loop}.${at}`);
  const inner = [...level(2), `${vector.loop}.2`, ...rowsOf(axes), `${vector.loop}.3`];
  const outermost = `${vector.loop}.0`;
  const outside: LoopOrder = {
    vectorOutside: true,
    loops: [outermost, ...level(0), `${vector.loop}.1`, ...level(1), ...inner],
    packVectorAt: outermost,
    packOthersAt: level(0).at(-1) ?? outermost,
    tileLoop: level(1).at(-1) ?? `${vector.loop}.1`,
  };
  if (spatial.length === 0) return [outside];
  const inside: LoopOrder = {
    vectorOutside: false,
    loops: [...level(0), outermost, ...level(1), `${vector.loop}.1`, ...inner],
    packVectorAt: outermost,
    packOthersAt: level(0).at(-1)!,
    tileLoop: `${vector.loop}.1`,
  };
  return [outside, inside];
}

export function loopOrders(axes: readonly TiledAxis[]): readonly LoopOrder[] {
  const vector = axes.find((it) => it.role === "vector")!;
  const spatial = axes.filter((it) => it.role === "spatial");
  const reduce = axes.find((it) => it.role === "reduce")!;
  const whole = axes.filter((it) => it.role === "whole");
  const level = (its: readonly TiledAxis[], at: number): string[] => its.map((it) => `${it.loop}.${at}`);
  const inner = [
    ...whole.map((it) => it.loop),
    `${reduce.loop}.1`,
    `${reduce.loop}.2`,
    ...level(spatial, 2),
    `${vector.loop}.2`,
    ...rowsOf(axes),
    `${vector.loop}.3`,
    ...(reduce.lanes > 1 ? [`${reduce.loop}.3`] : []),
  ];
  const outer = axes.filter((it) => it.role === "outer").map((it) => it.loop);
  const outerReduce = `${reduce.loop}.0`;
  const lastOuter = spatial.length > 0 ? `${spatial.at(-1)!.loop}.0` : outerReduce;
  const outside: LoopOrder = {
    vectorOutside: true,
    loops: [
      `${vector.loop}.0`,
      ...outer,
      outerReduce,
      ...level(spatial, 0),
      `${vector.loop}.1`,
      ...level(spatial, 1),
      ...inner,
    ],
    packVectorAt: outerReduce,
    packOthersAt: lastOuter,
    tileLoop: spatial.length > 0 ? `${spatial.at(-1)!.loop}.1` : `${vector.loop}.1`,
  };
  if (spatial.length === 0) return [outside];
  const inside: LoopOrder = {
    vectorOutside: false,
    loops: [
      ...level(spatial, 0),
      ...outer,
      outerReduce,
      `${vector.loop}.0`,
      ...level(spatial, 1),
      `${vector.loop}.1`,
      ...inner,
    ],
    packVectorAt: `${vector.loop}.0`,
    packOthersAt: outerReduce,
    tileLoop: `${vector.loop}.1`,
  };
  return [outside, inside];
}
