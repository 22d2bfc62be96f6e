// A map whose last axis is short, in vectors along the axis before it: one vector for each element of the short axis, whose lanes take turns
// in the result. Operations that do not depend on the short axis are computed once for all of these vectors.
//
//   out[x, c] = A[x, c] / length[x], c of three elements     →     three vectors over x, then the first lanes of each, the second, …

import {
  type ComputeDef,
  type Expr,
  exprKey,
  type Load,
  rangesOf,
  simplifyExpr,
  someExpr,
  substitute,
  walkExpr,
  windowsAlong,
} from "../../../compiler/index.ts";
import { partsOf } from "./lane-parts.ts";
import { isMap, type SchedulableStage, type SpatialAxis, shapesOf } from "./schedulable-stage.ts";

export interface Turns {
  /** The axis that vectors go along, and the short one behind it. */
  readonly along: SpatialAxis;
  readonly short: SpatialAxis;
  /** Loads and shuffles for one vector along the result, by buffer. */
  readonly loads: ReadonlyMap<string, number>;
  /** Operations and shuffles for one vector along the result. */
  readonly operations: number;
}

/** Most vectors that take turns, and most operations of their values. */
const mostTurns = 8;
const mostOperations = 128;

/** Returns null if the last axis is not short. */
export function turnsOf(stage: SchedulableStage, op: ComputeDef, lanes: number): Turns | null {
  const [along, short] = stage.spatial.slice(-2);
  if (!isMap(stage) || !along || !short || along.size || short.size) return null;
  if (stage.operations > mostOperations) return null;
  if (short.extent < 2 || short.extent > mostTurns || short.extent >= lanes || along.extent < lanes) return null;
  const shapes = shapesOf(op);
  const parts = new Map<string, Set<string>>();
  const operations = new Set<string>();
  for (let at = 0; at < short.extent; at++) {
    const chosen = substitute(stage.block.value, new Map([[short.name, integer(at)]]));
    const value = simplifyExpr(chosen, rangesOf(stage.block.axes));
    for (const load of loadsIn(value)) {
      const own = partsOfLanes(load, shapes.get(load.buffer)!, stage, along.name, lanes);
      const all = parts.get(load.buffer) ?? new Set();
      for (const part of own) all.add(part);
      parts.set(load.buffer, all);
    }
    for (const operation of operationsIn(value)) operations.add(operation);
  }
  const each = (count: number): number => count / short.extent;
  return {
    along,
    short,
    loads: new Map([...parts].map(([buffer, all]) => [buffer, each(all.size)])),
    operations: each(operations.size) + short.extent - 1,
  };
}

const integer = (value: number): Expr => ({ kind: "const", dtype: "i32", value });

/** Names of what loads one vector, or of its lanes. Loads that share a run have its name in common, so it is counted once. */
function partsOfLanes(
  load: Load,
  shape: readonly number[],
  { block }: SchedulableStage,
  along: string,
  lanes: number,
): readonly string[] {
  const [window] = windowsAlong(load, shape, block.axes, along, { lanes, vectors: 1 }) ?? [];
  if (!window) return Array.from({ length: lanes }, (_, lane) => `${exprKey(load)} lane ${lane}`);
  return partsOf(load, window);
}

function loadsIn(value: Expr): readonly Load[] {
  const loads: Load[] = [];
  walkExpr(value, (node) => {
    if (node.kind === "load") loads.push(node);
  });
  return loads;
}

/** Keys of the operations on values: those in indices, and casts, are free. */
function operationsIn(value: Expr): readonly string[] {
  const found: string[] = [];
  walkExpr(value, (node) => {
    const isOperation = node.kind === "binary" || node.kind === "unary" || node.kind === "select";
    if (isOperation && someExpr(node, ({ kind }) => kind === "load")) found.push(exprKey(node));
  });
  return found;
}
