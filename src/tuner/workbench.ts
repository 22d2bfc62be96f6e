// Where candidates are built, checked and timed: a toolchain and a runner behind one call, sources in, measurements out.

import { createRunner, type Runner } from "../native/runner/client.ts";
import type { CacheState, RunTask } from "../native/runner/protocol.ts";
import type { Toolchain } from "../native/toolchain/toolchain.ts";
import { buildAhead, buildPolicy } from "./build-ahead.ts";
import { measureCandidate, raceCandidates } from "./measure/measure.ts";
import { type Measurement, searchedNs, type Timing } from "./measure/measurement.ts";
import { noProfiler, type Profiler } from "./profile.ts";
import {
  type BuiltRunnable,
  createRunnableBuilder,
  type MeasurableSource,
  type Refusal,
  type RunnableBuilder,
  withoutCompiler,
} from "./runnable-builder.ts";

export type { MeasurableSource, Refusal } from "./runnable-builder.ts";

export interface Workbench {
  /**
   * One measurement for each, in their order; the time of the best so far lets losers stop early. Native kernels are
   * built before, or while others are measured if the machine has the cores. Of WASM modules the next is taken from the
   * iterable while one is measured.
   */
  measure(
    sources: Iterable<MeasurableSource | Refusal>,
    incumbentNs: number | null,
    profiler?: Profiler,
  ): AsyncIterator<Measurement, undefined>;
  /**
   * Finalists against each other, the first of them the incumbent.
   *
   * @param isOver whether it should come to an end, as far as it has seen enough to decide at all
   */
  race(sources: readonly (MeasurableSource | Refusal)[], isOver?: () => boolean): Promise<Decision>;
  /** Compiler runs so far. */
  compilerRuns(): number;
  /** What measures: "gcc 12.2.0 …" or "wasm". */
  readonly toolchain: string;
  close(): Promise<void>;
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
  /** Null for WASM. */
  readonly toolchain: Toolchain | null;
  /** A private directory for addons; the caller removes it. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
  /** Cores that may be used, 1 unless said: compilers run on all of them, from four on also while candidates are measured. */
  readonly cores?: number;
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
  const { task, toolchain, directory, signal, cores = 1, deadlineMs, cache = "hot", samples } = options;
  const limits = deadlineMs === undefined ? {} : { deadlineMs };
  const { runner = createRunner({ signal, relaxedSimd: true, ...limits }) } = options;
  runner.setTask(task);
  const builder = toolchain && createRunnableBuilder({ toolchain, directory, signal });
  const take = (sources: Iterable<MeasurableSource | Refusal>): Take =>
    builder ? takeBuilt(builder, [...sources], cores) : takeOneByOne(sources);

  /** Resolves when this thread is free, with the measurement to come. */
  async function start(built: BuiltRunnable, incumbentNs: number | null): Promise<Started> {
    if (built.kind !== "ready") return { outcome: Promise.resolve(built) };
    return new Promise((resolve) => {
      const onSent = (): void => resolve({ outcome });
      const outcome = measureCandidate(runner, built.candidate, { incumbentNs, cache, samples, onSent });
      outcome.catch(onSent);
    });
  }

  return {
    toolchain: `${toolchain?.identity ?? "wasm"}${cache === "cold" ? ", cold caches" : ""}`,
    compilerRuns: () => builder?.compilerRuns() ?? 0,
    async *measure(sources, incumbentNs, profiler = noProfiler) {
      let best = incumbentNs;
      const takeNext = take(sources);
      let next = await profiler.timeAsync("build", takeNext);
      while (next) {
        const run = next;
        const { outcome } = await profiler.timeAsync("run", () => start(run, best));
        const following = takeNext();
        // It is told when it is waited for.
        following.catch(() => undefined);
        const measurement = await profiler.timeAsync("run", () => outcome);
        const ns = searchedNs(measurement);
        if (ns !== null) best = Math.min(best ?? ns, ns);
        yield measurement;
        next = await profiler.timeAsync("build", () => following);
      }
      return undefined;
    },
    async race(sources, isOver) {
      const built = builder ? await builder.build(sources, cores) : sources.map(withoutCompiler);
      const entrants = built.flatMap((one, place) => (one.kind === "ready" ? [{ ...one, place }] : []));
      const { winner, runnerUp, timings } = await raceCandidates(
        runner,
        entrants.map(({ candidate }) => candidate),
        { cache, isOver },
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

interface Started {
  readonly outcome: Promise<Measurement>;
}

/** The next that can be run; null: that was the last. */
type Take = () => Promise<BuiltRunnable | null>;

/** Each is taken, and so generated, when it is asked for. */
function takeOneByOne(sources: Iterable<MeasurableSource | Refusal>): Take {
  const rest = sources[Symbol.iterator]();
  return async () => {
    const next = rest.next();
    return next.done ? null : withoutCompiler(next.value);
  };
}

function takeBuilt(builder: RunnableBuilder, sources: readonly (MeasurableSource | Refusal)[], cores: number): Take {
  const rest = buildAhead(sources, buildPolicy(cores, sources.length), (part, jobs) => builder.build(part, jobs));
  return async () => (await rest.next()).value ?? null;
}
