// The end of a tuning: its fastest candidates → the winner, by heats and a race where anything was measured, else by the records.

import type { RaceVerdict } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import type { Trial } from "../search/state/search-state.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { noProfiler } from "../support/profile.ts";
import type { LeftMs } from "../support/time-limit.ts";
import { finalist } from "../workbench/measurable.ts";
import type { Buildable } from "../workbench/workbench.ts";
import { leastRaceLeftMs, longestRaceMs, type TuningTime } from "./time-left.ts";
import type { TuningOptions, Winner } from "./tuning.ts";
import { sourcesOf } from "./tuning-round.ts";

/** Returns the heats and race that come after the rounds. */
export function raceAfter({ elapsedMs, isLate, hardMs }: TuningTime, { workbench }: TuningOptions) {
  const endMs = elapsedMs() + longestRaceMs(elapsedMs());
  const leftMs = (): number => Math.max(hardMs(), leastRaceLeftMs);
  const isOver = (): boolean => isLate() || elapsedMs() >= endMs;
  return (
    candidates: readonly Candidate[],
    sourcesIn: (leftMs: LeftMs) => readonly Buildable[],
  ): Promise<RaceVerdict> =>
    workbench.byDecisions
      ? workbench.byDecisions.race(candidates, sourcesIn, isOver, leftMs)
      : workbench.race(sourcesIn(leftMs), isOver, leftMs);
}

/** Races the fastest few against each other; without fresh measurements the records have decided already. */
export async function chooseWinner(
  task: TuningTask,
  space: GeneratedSpace,
  ranked: readonly Trial[],
  race: ReturnType<typeof raceAfter> | null,
): Promise<Winner | null> {
  const candidates = ranked.map(({ point }) => point.candidate);
  const { winner, runnerUp, timing } =
    race && ranked.length > 1
      ? await race(candidates, (leftMs) => [...sourcesOf(task, space, candidates, noProfiler, leftMs, finalist)])
      : { winner: 0, runnerUp: 1, timing: null };
  const measurement = ranked[winner]?.measurement;
  if (measurement?.kind !== "ok") return null;
  const { medianNs } = timing ?? measurement.timing;
  return {
    candidate: candidates[winner]!,
    medianNs,
    timing: timing ?? measurement.timing,
    runnerUp: (runnerUp === null ? null : candidates[runnerUp]) ?? null,
  };
}
