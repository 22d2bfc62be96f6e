// Lanes picked from several vectors → shuffles, each of what there is so far and one more part of the vectors.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, LanePick } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Context } from "./context.ts";
import { type Code, get, shuffle, tee } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";
import { vector } from "./operand.ts";
import { laneBytesOf } from "./value-type.ts";

export function pick(context: Context, { parts, picks, dtype }: LanePick, { first, count }: LaneRange): Code {
  const wanted = picks.slice(first, first + count);
  const width = lanesOf(parts[0]!);
  const laneBytes = laneBytesOf(dtype);
  const sources = sourcesOf(parts, wanted, width, 16 / laneBytes);
  const [begun, ...later] = sources.map(({ part, range }) => vector(context, part, range));
  if (later.length === 0) {
    if (wanted.every((place, lane) => sources[0]!.laneOf(place) === lane)) return begun!;
    return context.locals.with("v128", (only) => [
      ...begun!,
      ...[tee(only), get(only), shuffle(bytesOf(wanted.map(sources[0]!.laneOf), laneBytes))],
    ]);
  }
  const whole = 16 / laneBytes;
  const steps = flatMap(later, (next, at) => {
    // Lanes of parts that come later may have anything until then.
    const lanes = wanted.map((place, lane) => {
      const source = sources.findIndex((it) => it.has(place));
      if (source === at + 1) return whole + sources[source]!.laneOf(place);
      return at === 0 && source === 0 ? sources[0]!.laneOf(place) : lane;
    });
    return [...next, shuffle(bytesOf(lanes, laneBytes))];
  });
  return [...begun!, ...steps];
}

/** Lanes of a part that fit a v128. */
interface Source {
  readonly part: Expr;
  readonly range: LaneRange;
  /** Whether it has a place, counted through all parts, and in which of its lanes. */
  has(place: number): boolean;
  laneOf(place: number): number;
}

/** Returns the sources that have some of the places. */
function sourcesOf(parts: readonly Expr[], places: readonly number[], width: number, whole: number): readonly Source[] {
  const sources = flatMap(parts, (part, at) =>
    Array.from({ length: Math.ceil(width / whole) }, (_, block): Source => {
      const first = block * whole;
      const count = Math.min(whole, width - first);
      const from = at * width + first;
      return {
        part,
        range: { first, count },
        has: (place) => place >= from && place < from + count,
        laneOf: (place) => place - from,
      };
    }),
  );
  return sources.filter(({ has }) => places.some(has));
}

/** Bytes of the lanes; those beyond have anything. */
function bytesOf(lanes: readonly number[], laneBytes: number): readonly number[] {
  const bytes = flatMap(lanes, (lane) => Array.from({ length: laneBytes }, (_, byte) => lane * laneBytes + byte));
  return Array.from({ length: 16 }, (_, at) => bytes[at] ?? 0);
}
