// A vector of any number of lanes as a row of v128 parts, the last one perhaps not full: which lanes are wanted, and where those of a
// defined vector are.

import { invariant } from "../../support/invariant.ts";
import { type Code, get, shuffle } from "./instruction.ts";

/** Lanes first … first + count; count lanes fit a v128 and first is a multiple of the lanes that do. */
export interface LaneRange {
  readonly first: number;
  readonly count: number;
}

/** Place of a defined value: one WASM local, or one v128 a part. */
export interface ValuePlace {
  readonly locals: readonly number[];
  /** Bytes of a lane: that of the type, except for bool, where it is that of the comparison the mask came from. */
  readonly laneBytes: number;
}

/** The parts of a vector of `lanes` lanes of that size. */
export function laneRangesOf(lanes: number, laneBytes: number): readonly LaneRange[] {
  const whole = 16 / laneBytes;
  const ranges: LaneRange[] = [];
  for (let first = 0; first < lanes; first += whole) ranges.push({ first, count: Math.min(whole, lanes - first) });
  return ranges;
}

/** Lanes of a defined vector; they never lie in two of its parts. */
export function bindingPart({ locals, laneBytes }: ValuePlace, { first, count }: LaneRange): Code {
  const whole = 16 / laneBytes;
  const [part, skipped] = [Math.floor(first / whole), first % whole];
  invariant(skipped + count <= whole, "lanes of two parts at once");
  const code = get(locals[part] ?? 0);
  return skipped === 0 ? [code] : [code, code, shuffle(bytesFrom(skipped * laneBytes))];
}

const bytesFrom = (start: number): number[] => Array.from({ length: 16 }, (_, index) => (start + index) % 16);
