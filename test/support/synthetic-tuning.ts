// Tunings that measure nothing: the best falls along a curve with each round, and a clock of our own goes on meanwhile.

import type { GroupTask, Turns } from "../../src/tuner/scheduler/tuning-group.ts";
import { noProfiler } from "../../src/tuner/support/profile.ts";
import { roundSize, type TuneProgress, type Tuning } from "../../src/tuner/tuning/tuning.ts";

export interface FakeClock {
  now(): number;
  pass(ms: number): void;
}

export function fakeClock(): FakeClock {
  let time = 1000;
  return {
    now: () => time,
    pass(ms) {
      time += ms;
    },
  };
}

export interface Curve {
  /** After `candidates` candidates; null: nothing has run. */
  readonly bestNs: (candidates: number) => number | null;
  readonly msPerCandidate: number;
  readonly finishMs?: number;
  readonly weight?: number;
  readonly flops?: number;
  readonly family?: string;
  /** Rounds after which it has converged. */
  readonly converged?: number;
  readonly startMs?: number;
}

export interface SyntheticTask extends GroupTask<number | null> {
  readonly log: { rounds: number; ms: number; turns: Turns | null };
}

/** Its result is the best time. */
export function syntheticTask(curve: Curve, clock: FakeClock): SyntheticTask {
  const { bestNs, msPerCandidate, finishMs = 0, weight = 1, flops = 1000, family = "f", startMs = 0 } = curve;
  const log: SyntheticTask["log"] = { rounds: 0, ms: 0, turns: null };
  let measured = 0;
  const pass = (ms: number): void => {
    clock.pass(ms);
    log.ms += ms;
  };
  const progress = (): TuneProgress => ({
    round: log.rounds,
    measured,
    failed: 0,
    bestNs: measured === 0 ? null : bestNs(measured),
    elapsedMs: log.ms,
  });
  const tuning: Tuning = {
    state: () => {
      throw new Error("nobody asks");
    },
    progress,
    async advance(most = roundSize) {
      if (log.rounds >= (curve.converged ?? Number.POSITIVE_INFINITY)) return false;
      log.rounds += 1;
      for (let at = 0; at < most && !(at > 0 && log.turns?.isOver()); at++) {
        measured += 1;
        pass(msPerCandidate);
      }
      return true;
    },
    async finish() {
      pass(finishMs);
      return {
        winner: null,
        measured,
        recorded: 0,
        elapsedMs: log.ms,
        failures: [],
        repeated: 0,
        untried: 0,
        late: null,
        ended: "budget" as const,
        history: { improvements: [], stopped: null },
        profile: noProfiler.profile(),
      };
    },
  };
  return {
    log,
    weight: () => weight,
    flops,
    family,
    async start(turns) {
      log.turns = turns;
      pass(startMs);
      return tuning;
    },
    async finish() {
      await tuning.finish();
      return progress().bestNs;
    },
  };
}
