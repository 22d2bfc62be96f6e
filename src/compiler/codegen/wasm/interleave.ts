// The lanes of several vectors in turns → shuffles, two vectors at a time: neighbours first, then the pairs as wider lanes.
//
//   a0 a1 …, b0 b1 …, c0 c1 …, d0 d1 …   →   a0 b0 a1 b1 …, c0 d0 c1 d1 …   →   a0 b0 c0 d0 a1 b1 c1 d1 …

import type { Interleave } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import { type Code, shuffle } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";
import { vector } from "./operand.ts";
import { laneBytesOf } from "./value-type.ts";

export function interleave(context: Context, { parts, dtype }: Interleave, { first, count }: LaneRange): Code {
  const [turns, skipped] = [parts.length, first % parts.length];
  const wanted = parts.slice(skipped, skipped + count);
  const range: LaneRange = { first: Math.floor(first / turns), count: Math.max(1, count / turns) };
  invariant((skipped === 0 && count % turns === 0) || skipped + count <= turns, "whole turns, or a part of one");
  return inTurns(
    wanted.map((part) => vector(context, part, range)),
    laneBytesOf(dtype),
  );
}

/** Pushes one vector: the low halves of every two, until one is left. */
function inTurns(parts: readonly Code[], laneBytes: number): Code {
  if (parts.length === 1) return parts[0]!;
  const pairs = parts.flatMap((left, at) => (at % 2 === 0 ? [[...left, ...parts[at + 1]!, lowLanes(laneBytes)]] : []));
  return inTurns(pairs, 2 * laneBytes);
}

const lowLanes = (laneBytes: number) =>
  shuffle(
    Array.from({ length: 16 }, (_, byte) => {
      const lane = Math.floor(byte / laneBytes);
      return 16 * (lane % 2) + Math.floor(lane / 2) * laneBytes + (byte % laneBytes);
    }),
  );
