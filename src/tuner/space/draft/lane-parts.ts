// Loads of runs of memory, and shuffles, that bring the lanes picked from these. Each load and each shuffle has a name, so that those which several
// reads have in common are counted once.

import {
  addConstant,
  exprKey,
  fromAffine,
  halvesOf,
  type LaneWindows,
  type Load,
  type Runs,
  toAffine,
} from "../../../compiler/index.ts";

/** Names of the loads and shuffles of one vector of a read. */
export function partsOf(load: Load, { base, runs }: LaneWindows): readonly string[] {
  const places = runs.starts.map((start) => `${exprKey(fromAffine(addConstant(toAffine(base), start)))} ${runs.width}`);
  return isOneLoad(runs) ? places : [...places, ...shufflesOf(runs, runs.starts.length, places.join(), exprKey(load))];
}

/** Says whether lanes lie side by side, or are one element. */
export const isOneLoad = ({ starts, width, picks }: Runs): boolean =>
  starts.length === 1 &&
  (picks.every((pick) => pick === 0) || (width === picks.length && picks.every((pick, lane) => pick === lane)));

/** Shuffles of so many vectors, pair by pair: halves of them are those of all reads of the runs, as in `pick-halves.ts` of the compiler. */
function shufflesOf(
  { width, picks }: Pick<Runs, "width" | "picks">,
  vectors: number,
  runs: string,
  load: string,
): readonly string[] {
  const halves = halvesOf(picks, width, vectors);
  if (!halves) return Array.from({ length: Math.max(1, vectors - 1) }, (_, at) => `${load} ${at}`);
  const half = `${runs} ${halves.lanes[0]}`;
  const pairs = Array.from({ length: vectors / 2 }, (_, at) => `${half} ${at}`);
  return [...pairs, ...shufflesOf({ width, picks: halves.picks }, vectors / 2, half, load)];
}
