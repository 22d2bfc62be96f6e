// Where candidates are built, checked and timed: a toolchain and a runner behind one call, sources in, measurements out.

import { invariant } from "../compiler/index.ts";
import { createRunner, type Runner } from "../native/runner/client.ts";
import type { CacheState, Runnable, RunTask } from "../native/runner/protocol.ts";
import type { Toolchain } from "../native/toolchain/toolchain.ts";
import { type BuildPolicy, buildAhead, buildPolicy } from "./build-ahead.ts";
import { type MeasureOptions, measureCandidate, raceCandidates } from "./measure/measure.ts";
import { type Measurement, searchedNs, type Timing } from "./measure/measurement.ts";
import { noProfiler, type Profiler } from "./profile.ts";
import {
  type Buildable,
  type BuiltRunnable,
  createRunnableBuilder,
  type MeasurableSource,
  type Refusal,
  type RunnableBuilder,
  withoutCompiler,
} from "./runnable-builder.ts";
import { forever, type LeftMs, type NoTime, noTime } from "./time-limit.ts";

export type { Buildable, MeasurableSource, Refusal } from "./runnable-builder.ts";

export interface Workbench {
  /**
   * One measurement for each, in their order; the time of the best so far lets losers stop early. Native kernels are
   * built before, or while others are measured if the machine has the cores. WASM modules are taken from the iterable
   * while others are measured. Some are on their way when a measurement is given: what its user does then, it does
   * meanwhile.
   *
   * @param leftMs compilers and candidates that run when the time is over are killed, and none is begun after it; those that
   *   were not measured are told as that
   */
  measure(
    sources: Iterable<Buildable>,
    incumbentNs: number | null,
    profiler?: Profiler,
    leftMs?: LeftMs,
  ): AsyncIterator<Measurement | NoTime, undefined>;
  /**
   * Finalists against each other, the first of them the incumbent.
   *
   * @param isOver whether it should come to an end, as far as it has seen enough to decide at all
   */
  race(sources: readonly Buildable[], isOver?: () => boolean, leftMs?: LeftMs): Promise<Decision>;
  /** Compiler runs so far. */
  compilerRuns(): number;
  /** What measures: "gcc 12.2.0 …" or "wasm". */
  readonly toolchain: string;
  close(): Promise<void>;
}

/** Measurements of all sources, in their order, however long they take. */
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

/** Of a race: places of sources. */
export interface Decision {
  readonly winner: number;
  /** The best of the others; null where no other ran. */
  readonly runnerUp: number | null;
  /** The winner's, over the rounds of the race; null where it was alone, or did not run. */
  readonly timing: Timing | null;
}

export interface WorkbenchOptions {
  readonly task: RunTask;
  /**
   * The task with answers that a result beyond its bound is held against, asked for by the first such result. Null: there
   * are none that are better.
   */
  readonly conditioned?: (() => RunTask | null) | undefined;
  /** Null for WASM. */
  readonly toolchain: Toolchain | null;
  /** A private directory for addons; the caller removes it. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
  /** Cores that may be used, 1 unless said: compilers run on all of them, from four on also while candidates are measured. */
  readonly cores?: number;
  /** Of a candidate, 1 unless said. */
  readonly threads?: number;
  /** Longest time for one candidate. */
  readonly deadlineMs?: number;
  /** The workbench closes it at its end; one of its own unless said. */
  readonly runner?: Runner | undefined;
  /** What a run finds in the caches: "hot" (unless said), the data of the run before, or "cold", nothing. */
  readonly cache?: CacheState;
  /** Of a candidate that is measured; 5 unless said. */
  readonly samples?: number;
}

export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { task, toolchain, directory, signal, cores = 1, threads = 1, deadlineMs, cache = "hot" } = options;
  const limits = deadlineMs === undefined ? {} : { deadlineMs };
  const { runner = createRunner({ signal, relaxedSimd: true, ...limits }) } = options;
  runner.setTask(task);
  // Without a core of its own this thread would take the time of what is measured.
  const ahead = cores > threads ? mostAhead : 1;
  const builder = toolchain && createRunnableBuilder({ toolchain, directory, signal });
  const take = (sources: Iterable<Buildable>, hasRun: boolean, leftMs: LeftMs): Take => {
    if (!builder) return takeOneByOne(sources);
    const all = [...sources];
    return takeBuilt(builder, all, buildPolicy(cores, all.length, !hasRun && leftMs() < urgentMs), leftMs);
  };

  const run = measuring(runner, options);

  /** A failure is told when it is waited for. */
  function start(built: BuiltRunnable, incumbentNs: number | null, leftMs: LeftMs): Promise<Measurement | NoTime> {
    if (built.kind !== "ready") return Promise.resolve(built);
    const outcome = run(built.candidate, { incumbentNs, leftMs });
    outcome.catch(() => undefined);
    return outcome;
  }

  return {
    toolchain: `${toolchain?.identity ?? "wasm"}${cache === "cold" ? ", cold caches" : ""}`,
    compilerRuns: () => builder?.compilerRuns() ?? 0,
    async *measure(sources, incumbentNs, profiler = noProfiler, leftMs = forever) {
      let best = incumbentNs;
      const takeNext = take(sources, incumbentNs !== null, leftMs);
      const onTheirWay: Promise<Measurement | NoTime>[] = [];
      const isFull = (): boolean => onTheirWay.length >= ahead || onTheirWay.length * (best ?? 0) > longestAheadNs;
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
      const built = builder ? await builder.build(sources, cores, leftMs) : sources.map(withoutCompiler);
      const entrants = built.flatMap((one, place) => (one.kind === "ready" ? [{ ...one, place }] : []));
      const { winner, runnerUp, timings } = await raceCandidates(
        runner,
        entrants.map(({ candidate }) => candidate),
        { cache, isOver, ...(leftMs && { leftMs }) },
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

/** Measures a candidate; from the first result beyond its bound on, all of them with the answers that those are held against. */
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
 * Candidates that the process has while this thread decides what comes next, which takes some tenth of a second. Of slow
 * ones fewer keep it busy as long, and whoever stops early waits for them: of one run of each so many nanoseconds.
 */
const mostAhead = 6;
const longestAheadNs = 60e6;

/** With less time than this, in milliseconds, something is to be measured before a whole round is built. */
const urgentMs = 10_000;

/** Milliseconds: the process starts, loads a kernel, checks it and times it. */
const forRunsMs = 300;

const notRun: NoTime = noTime("it could not be run in time");

/** The next that can be run; null: that was the last. */
type Take = () => Promise<BuiltRunnable | null>;

/** Each is taken, and so generated, when it is asked for. */
function takeOneByOne(sources: Iterable<Buildable>): Take {
  const rest = sources[Symbol.iterator]();
  return async () => {
    const next = rest.next();
    return next.done ? null : withoutCompiler(next.value);
  };
}

function takeBuilt(builder: RunnableBuilder, sources: readonly Buildable[], policy: BuildPolicy, leftMs: LeftMs): Take {
  /** Something of what is built is to be measured, too. */
  const leftToBuildMs = (): number => leftMs() - Math.min(forRunsMs, leftMs() / 4);
  const build = (part: readonly Buildable[], jobs: number) => builder.build(part, jobs, leftToBuildMs);
  const rest = buildAhead(sources, policy, build);
  return async () => (await rest.next()).value ?? null;
}
