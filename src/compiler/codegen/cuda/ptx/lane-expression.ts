// Vector expression, in one lane → the scalar expression of it.

import { add, constInt, constOf, floorDiv, gt, localOf, mod, mul, select, variable } from "../../../ir/build.ts";
import { isLaneActive } from "../../../ir/lanes.ts";
import type { Expr, Load } from "../../../ir/loop-ir.ts";
import { laneAxis } from "../../../ir/thread-axes.ts";
import { lanesOf, mapOperands } from "../../../ir/visit.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import { cannotRun } from "../../cannot.ts";
import { type Lane, type LaneNumber, laneAt, laneWithin } from "../plan/lane.ts";
import { elementName } from "./context.ts";

/** @param loaded names of vectors that were loaded as a whole, by their loads */
export function inLane(expr: Expr, lane: Lane, loaded: ReadonlyMap<Expr, string>): Expr {
  const on = (operand: Expr): Expr => inLane(operand, lane, loaded);
  if (lanesOf(expr) === 1) return expr;
  switch (expr.kind) {
    case "local":
      return localOf(elementName(expr.name, lane.register), expr.dtype);
    case "load":
      return loadIn(expr, lane, loaded);
    case "ramp": {
      const lanes = lanesOf(expr.base);
      const [base, steps] =
        lanes === 1
          ? [expr.base, lane.within(Number.MAX_SAFE_INTEGER)]
          : [inLane(expr.base, laneWithin(lane, lanes), loaded), lane.over(lanes)];
      return add(base, mul(numberOf(steps), constInt(expr.stride)));
    }
    case "broadcast":
      return inLane(expr.value, laneWithin(lane, lanesOf(expr.value)), loaded);
    case "lanes":
      return expr.elements[placeIn(expr, lane)]!;
    case "interleave": {
      const at = placeIn(expr, lane);
      return inLane(expr.parts[at % expr.parts.length]!, laneAt(Math.floor(at / expr.parts.length)), loaded);
    }
    case "pick": {
      const pick = expr.picks[placeIn(expr, lane)]!;
      const width = lanesOf(expr.parts[0]!);
      return inLane(expr.parts[Math.floor(pick / width)]!, laneWithin(laneAt(pick % width), width), loaded);
    }
    case "unary":
    case "binary":
    case "select":
    case "cast":
    case "bitcast":
      return mapOperands(expr, on);
    default:
      throw cannotRun("cuda", `there is no code for ${expr.kind}`, "this schedule does not fit the machine");
  }
}

/** Lanes that are not active are 0. */
function loadIn(load: Load, lane: Lane, loaded: ReadonlyMap<Expr, string>): Expr {
  const name = loaded.get(load);
  if (name !== undefined) return localOf(elementName(name, lane.register), load.dtype);
  const element: Expr = { ...load, indices: [inLane(load.indices[0]!, lane, loaded)], active: null };
  if (isLaneActive(load.active, lane.register)) return element;
  return select(gt(load.active!, constInt(lane.register)), element, constOf(load.dtype, 0));
}

/** Number of the element of a short vector that a lane has. A tile is held by the lanes of a warp, which have no numbers in its code. */
function placeIn(expr: Expr, lane: Lane): number {
  const at = lane.within(lanesOf(expr));
  if (at.kind === "known") return at.value;
  throw cannotRun("cuda", `there is no code for ${expr.kind} in a tile`, "this schedule does not fit the machine");
}

const x = variable(laneAxis);
const by = (operator: typeof mod, left: Expr, right: number): Expr => operator(left, constInt(right));

/** Row and column of the first sum that a lane of a warp holds (`lane.ts`). */
const laneRow = add(by(mul, by(floorDiv, x, warpLanes), 16), by(floorDiv, by(mod, x, warpLanes), 4));
const laneColumn = by(mul, by(mod, x, 4), 2);

function numberOf(number: LaneNumber): Expr {
  if (number.kind === "known") return constInt(number.value);
  if (number.kind === "row") return by(add, laneRow, number.plus);
  if (number.kind === "column") return by(add, laneColumn, number.plus);
  return add(by(mul, by(add, laneRow, number.row), number.columns), by(add, laneColumn, number.column));
}

/** Row of a tile for whose pieces a lane gives the address, and the number of its piece in the row. */
export const tileRow = by(mod, x, 16);
export const tilePiece = by(floorDiv, x, 16);
