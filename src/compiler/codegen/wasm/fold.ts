// The lanes of a vector combined into one scalar: its halves, and their halves, until one lane is left.

import { lanesOf } from "../../ir/lanes.ts";
import type { LaneFold } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Context } from "./context.ts";
import { type Code, get, set, shuffle } from "./instruction.ts";
import { extractLane } from "./lane-by-lane.ts";
import { vector } from "./operand.ts";
import { laneBytesOf } from "./value-type.ts";
import { onVectors } from "./vector-arithmetic.ts";

export function fold(context: Context, { op, operand, dtype }: LaneFold): Code {
  const [lanes, laneBytes] = [lanesOf(operand), laneBytesOf(dtype)];
  const count = Math.min(lanes, 16 / laneBytes);
  const parts = Array.from({ length: lanes / count }, (_, at) =>
    vector(context, operand, { first: at * count, count }),
  );
  const whole = parts.reduce((left, right) => onVectors(context, op, dtype, left, right));
  const halves = Array.from({ length: Math.log2(count) }, (_, step) => count / 2 ** (step + 1));
  return context.locals.with("v128", (value) => [
    ...[...whole, set(value)],
    ...flatMap(halves, (half) => {
      const upper: Code = [get(value), get(value), shuffle(turnedBy(half * laneBytes))];
      return [...onVectors(context, op, dtype, [get(value)], upper), set(value)];
    }),
    ...[get(value), extractLane(dtype, 0)],
  ]);
}

/** All bytes of a v128, those that lie so far behind the first coming first. */
const turnedBy = (bytes: number): readonly number[] => Array.from({ length: 16 }, (_, at) => (at + bytes) % 16);
