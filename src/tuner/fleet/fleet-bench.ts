// Measures the candidates of one tuning on a fleet. Times of workers are never compared as they are: each batch has the baseline
// measured with it, and times count relative to it. The finalists race on one worker. Where the fleet is lost, the machine that
// tunes goes on, with the baseline measured anew.

import { needsToolchain } from "../../compiler/index.ts";
import type { CacheState } from "../../native/runner/protocol.ts";
import { targetClass } from "../data/key.ts";
import { type Measurement, type RaceVerdict, scaled, searchedNs } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { batchOf } from "../remote/run-batch.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { noProfiler } from "../support/profile.ts";
import { type LeftMs, type NoTime, noTime } from "../support/time-limit.ts";
import { sourcesOf } from "../tuning/tuning-round.ts";
import type { DecisionBench, Workbench } from "../workbench/workbench.ts";
import { type JobOperator, type MeasureJob, mostInJob } from "./job.ts";
import { QueueLost } from "./queue.ts";
import { type Coordinator, type FleetOutcome, JobRefused, measureOnFleet, raceOnFleet } from "./submit.ts";
import { fleetProtocol } from "./worker-class.ts";

export interface FleetBenchOptions {
  readonly task: TuningTask;
  readonly taskKey: string;
  readonly space: () => GeneratedSpace;
  readonly operator: JobOperator;
  /** Candidate that each batch is measured with; null where the space has none. */
  readonly baseline: Candidate | null;
  /** Hash and compiler of the class that measures. */
  readonly hash: string;
  readonly toolchain: string;
  readonly cache: CacheState;
  readonly coordinator: Coordinator;
  /** Measures here; null: this machine cannot, and the loss of the fleet is an error. */
  readonly local: Workbench | null;
  /** Longest time of a job on its worker, in milliseconds. */
  readonly deadlineMs: number;
  /** Called once, when the fleet is lost. */
  readonly onLost: (reason: string) => void;
}

export interface FleetBench extends DecisionBench {
  /** Identity of what measures now. */
  toolchain(): string;
}

export function createFleetBench(options: FleetBenchOptions): FleetBench {
  const { task, hash, coordinator, local, deadlineMs, onLost, baseline, cache } = options;
  const own = !needsToolchain(task.target) ? "wasm" : options.toolchain;
  const scale = createScale(options);
  const measureHere = localMeasuring(options, scale);
  let lost = false;

  const jobOf = (kind: MeasureJob["kind"], candidates: readonly Candidate[], leftMs: LeftMs): MeasureJob => ({
    kind,
    protocol: fleetProtocol,
    run: coordinator.run,
    class: hash,
    operator: options.operator,
    batch: batchOf(task, options.taskKey, candidates, cache),
    baseline: kind === "race" ? null : baseline,
    deadlineMs: Math.max(1, Math.ceil(Math.min(deadlineMs, leftMs()))),
  });

  /** Goes on here, if that is possible. */
  function lose(error: unknown): void {
    if (!(error instanceof QueueLost || error instanceof JobRefused) || !local) throw error;
    lost = true;
    onLost(error.message);
  }

  async function* measureThere(candidates: readonly Candidate[], leftMs: LeftMs) {
    for (let from = 0; from < candidates.length; from += mostInJob) {
      const part = candidates.slice(from, from + mostInJob);
      for await (const outcome of measureOnFleet(jobOf("measure", part, leftMs), coordinator, leftMs))
        yield scale.measurementOf(outcome);
    }
  }

  return {
    toolchain: () => (lost && local ? local.toolchain : `${own}${cache === "cold" ? ", cold caches" : ""}`),
    async *measure(candidates, leftMs) {
      let at = 0;
      try {
        for await (const measurement of lost ? [] : measureThere(candidates, leftMs)) {
          at += 1;
          yield measurement;
        }
      } catch (error) {
        lose(error);
      }
      if (lost) yield* measureHere(local!, candidates.slice(at), leftMs);
      return undefined;
    },
    async race(candidates, sourcesIn, isOver, leftMs): Promise<RaceVerdict> {
      const undecided: RaceVerdict = { winner: 0, runnerUp: candidates.length > 1 ? 1 : null, timing: null };
      if (lost) return local!.race(sourcesIn(leftMs), isOver, leftMs);
      try {
        return (await raceOnFleet(jobOf("race", candidates, leftMs), coordinator, leftMs)) ?? undecided;
      } catch (error) {
        lose(error);
        return local!.race(sourcesIn(leftMs), isOver, leftMs);
      }
    },
  };
}

interface Scale {
  measurementOf(outcome: FleetOutcome): Measurement | NoTime;
  /** Time of the baseline in the first batch, which all times are made relative to; null: there was none yet. */
  firstNs(): number | null;
}

/** Makes times of different workers comparable by the time of the baseline that each measured. */
function createScale({ task, baseline }: Pick<FleetBenchOptions, "task" | "baseline">): Scale {
  const wanted = targetClass(task.target);
  let firstNs: number | null = null;
  /** The worker whose times count as they are, where the baseline does not run. */
  let only: string | null = null;
  return {
    firstNs: () => firstNs,
    measurementOf(outcome) {
      if (outcome.kind === "left-out") return noTime(outcome.reason);
      const { measurement, baselineNs, from } = outcome.result;
      if (measurement.kind !== "ok") return measurement;
      if (from.targetClass !== wanted) return noTime("its result is of another target");
      if (baselineNs !== null) {
        firstNs ??= baselineNs;
        return scaled(measurement, firstNs / baselineNs);
      }
      if (baseline !== null && firstNs !== null) return noTime("its baseline did not run");
      only ??= from.worker;
      return only === from.worker ? measurement : noTime("without a baseline, times of two workers do not compare");
    },
  };
}

type MeasureHere = (
  bench: Workbench,
  candidates: readonly Candidate[],
  leftMs: LeftMs,
) => AsyncGenerator<Measurement | NoTime, undefined>;

/** Makes what measures on this machine after the fleet is lost: the baseline first, so that its times compare. */
function localMeasuring({ task, space, baseline }: FleetBenchOptions, scale: Scale): MeasureHere {
  let factor: number | null = null;

  async function factorHere(bench: Workbench, leftMs: LeftMs): Promise<number> {
    const firstNs = scale.firstNs();
    if (firstNs === null || baseline === null) return 1;
    const source = sourcesOf(task, space(), [baseline], noProfiler, leftMs);
    const { value } = await bench.measure(source, null, noProfiler, leftMs).next();
    const hereNs = value && value.kind !== "no-time" ? searchedNs(value) : null;
    return hereNs === null ? 1 : firstNs / hereNs;
  }

  return async function* measureHere(bench, candidates, leftMs) {
    factor ??= await factorHere(bench, leftMs);
    const sources = sourcesOf(task, space(), candidates, noProfiler, leftMs);
    const outcomes = bench.measure(sources, null, noProfiler, leftMs);
    for (let next = await outcomes.next(); !next.done; next = await outcomes.next())
      yield next.value.kind === "no-time" ? next.value : scaled(next.value, factor);
    return undefined;
  };
}
