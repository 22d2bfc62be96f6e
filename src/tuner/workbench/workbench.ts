// Builds, checks and times candidates: a toolchain and a runner behind one call, sources in, measurements out.

import { invariant } from "../../compiler/index.ts";
import { createRunner, type Runner } from "../../native/runner/client.ts";
import type { MeasuringPlace } from "../../native/runner/host.ts";
import type { CacheState, Runnable, RunTask } from "../../native/runner/protocol.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import { type Measurement, type RaceVerdict, searchedNs } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import { type MeasureOptions, measureCandidate, raceCandidates } from "../measure/measure.ts";
import { ahead } from "../support/ahead.ts";
import { noProfiler, type Profiler } from "../support/profile.ts";
import { forever, type LeftMs, type NoTime, noTime } from "../support/time-limit.ts";
import { type BuildPolicy, buildAhead, buildPolicy, buildsBeside } from "./build-ahead.ts";
import {
  type Buildable,
  createRunnableBuilder,
  isSource,
  type MeasurableSource,
  type ReadyRunnable,
  type Refusal,
  type RunnableBuilder,
  withoutCompiler,
} from "./runnable-builder.ts";

export type { Buildable, MeasurableSource, Refusal } from "./runnable-builder.ts";

export interface Workbench {
  /**
   * Measures each source, in their order; the time of the best so far lets losers stop early. Native kernels are built before,
   * or while others are measured if the machine has the cores, as kernels of a compiler for a GPU are. WASM modules are taken from the
   * iterable while others are measured. Some candidates are still on their way when a measurement is yielded, so the caller's work runs beside them.
   *
   * @param leftMs milliseconds that are left: compilers and candidates that run at their end are killed, and none begins later.
   *   A candidate that was not measured yields `NoTime`
   */
  measure(
    sources: Iterable<Buildable>,
    incumbentNs: number | null,
    profiler?: Profiler,
    leftMs?: LeftMs,
  ): AsyncIterator<Measurement | NoTime, undefined>;
  /**
   * Races finalists against each other, the first of them the incumbent.
   *
   * @param isOver whether it should end as soon as it has seen enough to decide at all
   */
  race(sources: readonly Buildable[], isOver?: () => boolean, leftMs?: LeftMs): Promise<RaceVerdict>;
  /** Returns the number of compiler runs so far. */
  compilerRuns(): number;
  /** Identity of what measures: "gcc 12.2.0 …" or "wasm". */
  readonly toolchain: string;
  /** Measures candidates by their decisions, on other machines; if it is there, a tuning uses it in place of `measure` and `race`. */
  readonly byDecisions?: DecisionBench | undefined;
  close(): Promise<void>;
}

/** Measures candidates where their code is generated elsewhere: only their decisions are sent. */
export interface DecisionBench {
  /** Measures each candidate, in their order; one that was not measured in time yields `NoTime`. */
  measure(candidates: readonly Candidate[], leftMs: LeftMs): AsyncIterator<Measurement | NoTime, undefined>;
  /** @param sourcesIn the candidates' code, for where the other machines are lost */
  race(
    candidates: readonly Candidate[],
    sourcesIn: (leftMs: LeftMs) => readonly Buildable[],
    isOver: () => boolean,
    leftMs: LeftMs,
  ): Promise<RaceVerdict>;
}

/** Returns measurements of all sources, in their order, however long they take. */
export async function measureAll(
  workbench: Pick<Workbench, "measure">,
  sources: Iterable<MeasurableSource | Refusal>,
): Promise<readonly Measurement[]> {
  const outcomes = workbench.measure(sources, null);
  const measurements: Measurement[] = [];
  for (let next = await outcomes.next(); !next.done; next = await outcomes.next()) {
    invariant(next.value.kind !== "no-time", "nothing limits it");
    measurements.push(next.value);
  }
  return measurements;
}

export interface WorkbenchOptions {
  readonly task: RunTask;
  /**
   * Returns the task with f64 answers, which results beyond their bound are compared with; called at the first such result.
   * Null: there are no better answers.
   */
  readonly conditioned?: (() => RunTask | null) | undefined;
  /** Compiler of native kernels; null for WASM. */
  readonly toolchain: Toolchain | null;
  /** Identity of another compiler that the back end brings; null: it is not here, default: it brings none. */
  readonly compiler?: string | null | undefined;
  /** A private directory for addons; the caller removes it. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
  /** Cores that may be used; default: 1. Compilers run on all of them, from four on also while candidates are measured. */
  readonly cores?: number;
  /** Threads of a candidate; default: 1. */
  readonly threads?: number;
  /** Longest time for one candidate, in milliseconds. */
  readonly deadlineMs?: number;
  /** Cache directory and log of a runner of its own; default: none. */
  readonly measuring?: MeasuringPlace | undefined;
  /** Runner, which the workbench closes at its end; default: one of its own. */
  readonly runner?: Runner | undefined;
  /** Builder of candidates, WASM ones too, which the workbench closes at its end; default: one for the toolchain. */
  readonly builder?: RunnableBuilder | undefined;
  /** Words that the identity of what measures gets, where builder or runner are a user's: "by my runner". */
  readonly measuredBy?: string | undefined;
  /** State of the caches when a run begins: "hot" (default), the data of the run before, or "cold", nothing. */
  readonly cache?: CacheState;
  /** Most samples of a candidate; default: 5, with the time limits of a search. */
  readonly samples?: number;
}

export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { task, toolchain, directory, signal, cores = 1, threads = 1, deadlineMs, cache = "hot" } = options;
  const limits = deadlineMs === undefined ? {} : { deadlineMs };
  const { runner = createRunner({ signal, relaxedSimd: true, measuring: options.measuring, ...limits }) } = options;
  runner.setTask(task);
  // On a single core this thread would take time from the candidate that is measured.
  const mostOnTheirWay = cores > threads ? mostAhead : 1;
  const begun = options.compiler ? buildsBeside(cores) : 1;
  const { builder = toolchain && createRunnableBuilder({ toolchain, directory, signal }), measuredBy } = options;
  const take = (sources: Iterable<Buildable>, hasRun: boolean, leftMs: LeftMs): Take => {
    if (!builder) return nextOf(ahead(sources, begun, (source) => withoutCompiler(source, { directory, signal })));
    const all = [...sources];
    return nextOf(builtAhead(builder, all, buildPolicy(cores, all.length, !hasRun && leftMs() < urgentMs), leftMs));
  };

  const run = measuring(runner, options);

  /** Starts measuring a candidate. A failure is reported when its promise is awaited. */
  function start(built: ReadyRunnable, incumbentNs: number | null, leftMs: LeftMs): Promise<Measurement | NoTime> {
    if (built.kind !== "ready") return Promise.resolve(built);
    const outcome = run(built.candidate, { incumbentNs, leftMs });
    outcome.catch(() => undefined);
    return outcome;
  }

  async function twinOf(source: Buildable): Promise<Runnable | null> {
    if (!isSource(source) || !source.twin) return null;
    const built = await withoutCompiler({ ...source, ...source.twin } as MeasurableSource, { directory, signal });
    return built.kind === "ready" ? built.candidate : null;
  }

  return {
    toolchain: `${toolchain?.identity ?? options.compiler ?? "wasm"}${cache === "cold" ? ", cold caches" : ""}${measuredBy ? `, ${measuredBy}` : ""}`,
    compilerRuns: () => builder?.compilerRuns() ?? 0,
    async *measure(sources, incumbentNs, profiler = noProfiler, leftMs = forever) {
      let best = incumbentNs;
      const takeNext = take(sources, incumbentNs !== null, leftMs);
      const onTheirWay: Promise<Measurement | NoTime>[] = [];
      const isFull = (): boolean =>
        onTheirWay.length >= mostOnTheirWay || onTheirWay.length * (best ?? 0) > longestAheadNs;
      for (let isLast = false; ; ) {
        while (!isLast && (onTheirWay.length === 0 || !isFull())) {
          const next = await profiler.timeAsync("build", takeNext);
          if (next) onTheirWay.push(start(next, best, leftMs));
          else isLast = true;
        }
        const outcome = onTheirWay.shift();
        if (!outcome) return undefined;
        const measurement = await profiler.timeAsync("run", () => outcome);
        const ns = measurement.kind === "no-time" ? null : searchedNs(measurement);
        if (ns !== null) best = Math.min(best ?? ns, ns);
        yield measurement;
      }
    },
    async race(sources, isOver, leftMs) {
      const built = builder
        ? await builder.build(sources, cores, leftMs)
        : await Promise.all(sources.map((source) => withoutCompiler(source, { directory, signal })));
      const entrants = built.flatMap((one, place) => (one.kind === "ready" ? [{ ...one, place }] : []));
      // A runner or a builder of a user's own has one form of a kernel.
      const twins =
        builder || measuredBy ? [] : await Promise.all(entrants.map(({ place }) => twinOf(sources[place]!)));
      const { winner, runnerUp, timings } = await raceCandidates(
        runner,
        entrants.map(({ candidate }) => candidate),
        { cache, isOver, twins, ...(leftMs && { leftMs }) },
      );
      const placeOf = (entrant: number): number => entrants[entrant]?.place ?? 0;
      return {
        winner: placeOf(winner),
        runnerUp: runnerUp === null ? null : placeOf(runnerUp),
        timing: timings[winner] ?? null,
      };
    },
    async close() {
      await Promise.all([builder?.close(), runner.close()]);
    },
  };
}

type Run = Pick<MeasureOptions, "incumbentNs"> & { readonly leftMs: LeftMs };

/** Measures a candidate. From the first result beyond its bound on, the task with better answers is used. */
function measuring(runner: Runner, { conditioned, cache = "hot", samples }: WorkbenchOptions) {
  let isConditioned = conditioned === undefined;
  function condition(): void {
    if (isConditioned) return;
    isConditioned = true;
    const better = conditioned?.();
    if (better) runner.setTask(better);
  }
  async function once(candidate: Runnable, { incumbentNs, leftMs }: Run): Promise<Measurement | NoTime> {
    if (leftMs() <= 0) return notRun;
    const measurement = await measureCandidate(runner, candidate, { incumbentNs, cache, samples, leftMs });
    return measurement.kind === "timed-out" && leftMs() <= 0 ? notRun : measurement;
  }
  return async (candidate: Runnable, options: Run): Promise<Measurement | NoTime> => {
    const wasConditioned = isConditioned;
    const measurement = await once(candidate, options);
    if (measurement.kind !== "wrong-result" || wasConditioned) return measurement;
    condition();
    return once(candidate, options);
  };
}

/**
 * Number of candidates that the process has ahead while this thread decides what comes next, some tenth of a second. Fewer
 * slow ones keep it busy as long, and stopping early waits for them: below, the nanoseconds of one run of each.
 */
const mostAhead = 6;
const longestAheadNs = 60e6;

/** Milliseconds: with less time left, some candidate is measured before a whole round is built. */
const urgentMs = 10_000;

/** Milliseconds in which the process starts, loads a kernel, checks it and times it. */
const forRunsMs = 300;

const notRun: NoTime = noTime("it could not be run in time");

/** Returns the next candidate that can be run; null: that was the last. */
type Take = () => Promise<ReadyRunnable | null>;

const nextOf =
  (rest: AsyncIterator<ReadyRunnable, undefined>): Take =>
  async () =>
    (await rest.next()).value ?? null;

function builtAhead(
  builder: RunnableBuilder,
  sources: readonly Buildable[],
  policy: BuildPolicy,
  leftMs: LeftMs,
): AsyncIterator<ReadyRunnable, undefined> {
  /** Returns the milliseconds left for building, less those for measuring something of what is built. */
  const leftToBuildMs = (): number => leftMs() - Math.min(forRunsMs, leftMs() / 4);
  return buildAhead(sources, policy, (part, jobs) => builder.build(part, jobs, leftToBuildMs));
}
