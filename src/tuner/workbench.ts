// Where candidates are built, checked and timed: a toolchain and a runner behind one call, sources in, measurements out.

import { type CSource, sha256, type WasmSource } from "../compiler/index.ts";
import { type BuiltKernel, buildEach } from "../native/build.ts";
import { createRunner, type Runner, toRunnable } from "../native/runner/client.ts";
import type { HasBounds, Runnable, RunTask } from "../native/runner/protocol.ts";
import type { Toolchain } from "../native/toolchain/toolchain.ts";
import { measureCandidate, raceCandidates } from "./measure/measure.ts";
import type { Measurement, Timing } from "./measure/measurement.ts";
import { noProfiler, type Profiler } from "./profile.ts";

/**
 * A kernel, how near its results have to come if it computes them otherwise than the operator is written, and the kernel
 * that prepares what it takes of constant inputs.
 */
export type MeasurableSource = (CSource | WasmSource) & HasBounds & { readonly prepare?: CSource | WasmSource | null };

/** What a candidate that never became source is measured as. */
export type Refusal = Extract<Measurement, { readonly kind: "build-failed" }>;

export interface Workbench {
  /**
   * One measurement for each, in their order; the time of the best so far lets losers stop early. Native kernels are all
   * built first. Of WASM modules the next is taken from the iterable while one is measured.
   */
  measure(
    sources: Iterable<MeasurableSource | Refusal>,
    incumbentNs: number | null,
    profiler?: Profiler,
  ): AsyncIterator<Measurement, undefined>;
  /** Finalists against each other, the first of them the incumbent. */
  race(sources: readonly (MeasurableSource | Refusal)[]): Promise<Decision>;
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
  /** Compiler processes at a time; nothing is measured while they run. */
  readonly jobs?: number;
  /** Longest time for one candidate. */
  readonly deadlineMs?: number;
  /** The workbench closes it at its end; one of its own unless said. */
  readonly runner?: Runner | undefined;
}

export function createWorkbench({
  task,
  toolchain,
  directory,
  signal,
  jobs = 1,
  deadlineMs,
  runner = createRunner({ signal, relaxedSimd: true, ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
}: WorkbenchOptions): Workbench {
  runner.setTask(task);
  let compilerRuns = 0;

  /** Finalists were built before. */
  const known = new Map<string, BuiltRunnable>();

  async function build(sources: readonly (MeasurableSource | Refusal)[]): Promise<readonly BuiltRunnable[]> {
    const keys = sources.map((source) => (source.kind === "c" ? textDigest(source) : ""));
    const unknown = sources.filter((source, at) => source.kind === "c" && !known.has(keys[at]!));
    const native = unknown.flatMap((source) => (source.kind === "c" ? withPreparation(source) : []));
    if (!toolchain) return sources.map(withoutCompiler);
    const batches = inBatches(native, Math.ceil(native.length / jobs));
    compilerRuns += batches.length;
    const options = { outDir: directory, toolchain, bench: true, signal };
    const built = (await allOf(batches.map((batch) => buildEach(batch, options)))).flat().values();
    const next = (): BuiltKernel => built.next().value!;
    return sources.map((source, at) => {
      if (source.kind !== "c") return withoutCompiler(source);
      const one = known.get(keys[at]!) ?? fromBuilt(source, next);
      known.set(keys[at]!, one);
      return one;
    });
  }

  const compiled = (
    sources: readonly (MeasurableSource | Refusal)[],
    profiler: Profiler,
  ): Promise<readonly BuiltRunnable[]> => profiler.timeAsync("build", () => build(sources));

  /** Resolves when this thread is free, with the measurement to come. */
  async function start(
    built: BuiltRunnable,
    bestNs: number | null,
  ): Promise<{ readonly outcome: Promise<Measurement> }> {
    if (built.kind !== "ready") return { outcome: Promise.resolve(built) };
    return new Promise((resolve) => {
      const outcome = measureCandidate(runner, built.candidate, bestNs, () => resolve({ outcome }));
      outcome.catch(() => resolve({ outcome }));
    });
  }

  return {
    toolchain: toolchain?.identity ?? "wasm",
    compilerRuns: () => compilerRuns,
    async *measure(sources, incumbentNs, profiler = noProfiler) {
      let best = incumbentNs;
      const built = (toolchain ? await compiled([...sources], profiler) : lazily(sources, withoutCompiler))[
        Symbol.iterator
      ]();
      for (let next = built.next(); !next.done; ) {
        const run = next.value;
        const { outcome } = await profiler.timeAsync("run", () => start(run, best));
        next = built.next();
        const measurement = await profiler.timeAsync("run", () => outcome);
        if (measurement.kind === "ok") best = Math.min(best ?? Number.POSITIVE_INFINITY, measurement.timing.medianNs);
        yield measurement;
      }
      return undefined;
    },
    async race(sources) {
      const built = await build(sources);
      const entrants = built.flatMap((one, place) => (one.kind === "ready" ? [{ ...one, place }] : []));
      const { winner, runnerUp, timings } = await raceCandidates(
        runner,
        entrants.map(({ candidate }) => candidate),
      );
      const placeOf = (entrant: number): number => entrants[entrant]?.place ?? 0;
      return {
        winner: placeOf(winner),
        runnerUp: runnerUp === null ? null : placeOf(runnerUp),
        timing: timings[winner] ?? null,
      };
    },
    close: () => runner.close(),
  };
}

/** As Promise.all, but none is still running when it rejects: the directory may go then. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

const inBatches = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

type BuiltRunnable = { readonly kind: "ready"; readonly candidate: Runnable } | Refusal;

function* lazily<T, R>(items: Iterable<T>, make: (item: T) => R): Iterable<R> {
  for (const item of items) yield make(item);
}

function withoutCompiler(source: MeasurableSource | Refusal): BuiltRunnable {
  if (source.kind === "build-failed") return source;
  if (source.kind === "c") return { kind: "build-failed", reason: "there is no compiler" };
  const { prepare } = source;
  const kernel = prepare?.kind === "wasm" ? toRunnable({ kind: "wasm", source: prepare }, 0) : null;
  return ready(toRunnable({ kind: "wasm", source }, 0), source, kernel);
}

/** Equal for kernels of equal code. */
const textDigest = (source: MeasurableSource & CSource): string =>
  sha256(
    withPreparation(source)
      .map(({ text }) => text)
      .join("\0"),
  );

/** The kernels of one source, in the order in which `fromBuilt` takes them. */
const withPreparation = (source: MeasurableSource & CSource): readonly CSource[] =>
  source.prepare?.kind === "c" ? [source, source.prepare] : [source];

function fromBuilt(source: MeasurableSource & CSource, next: () => BuiltKernel): BuiltRunnable {
  const [kernel, prepare] = withPreparation(source).map(next);
  if (kernel!.kind !== "built") return kernel!;
  if (prepare && prepare.kind !== "built") return prepare;
  const preparing = prepare ? toRunnable(prepare.artifact, prepare.index) : null;
  return ready(toRunnable(kernel!.artifact, kernel!.index), source, preparing);
}

function ready(
  candidate: Runnable,
  { bounds, prepare, parameters }: MeasurableSource,
  kernel: Runnable | null,
): BuiltRunnable {
  const preparation = kernel && prepare ? { kernel, parameters: prepare.parameters, used: parameters } : undefined;
  return { kind: "ready", candidate: { ...candidate, bounds, preparation } };
}
