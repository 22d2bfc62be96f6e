// Builds sources into what a runner takes, by the executor of their back end: those that need a compiler several processes at a time,
// each code once; others one by one, as they are asked for.

import { generatorOf, type KernelSource, sha256 } from "../../compiler/index.ts";
import type { BuiltRunnable, ExecutorOptions } from "../../native/backend/executor.ts";
import { executorOf } from "../../native/backend/executors.ts";
import { timeoutSignal } from "../../native/machine/clock.ts";
import type { HasBounds, Runnable } from "../../native/runner/protocol.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import type { Measurement } from "../data/measurement.ts";
import { forever, type LeftMs, type NoTime, noTime } from "../support/time-limit.ts";

/** A kernel, and bounds of its results if it computes them otherwise than the operator is written. */
export type MeasurableSource = KernelSource &
  HasBounds & {
    /** Prepares what the kernel takes of constant inputs. */
    readonly prepare?: KernelSource | null;
    /** The same kernel in the form that other engines run: a finalist races in both. */
    readonly twin?: KernelSource | null;
  };

/** Measurement of a candidate that never became source. */
export type Refusal = Extract<Measurement, { readonly kind: "build-failed" }>;

/** Input of a workbench for one candidate. */
export type Buildable = MeasurableSource | Refusal | NoTime;

export type ReadyRunnable = { readonly kind: "ready"; readonly candidate: Runnable } | Refusal | NoTime;

export interface RunnableBuilder {
  /**
   * Builds each source, in their order, with at most `jobs` compiler processes at a time. Compilers that run when the time
   * is over are killed, and what they were building is not built.
   */
  build(sources: readonly Buildable[], jobs: number, leftMs?: LeftMs): Promise<readonly ReadyRunnable[]>;
  /** Number of compiler processes so far. */
  compilerRuns(): number;
  /** Kills compilers; resolves when none runs. */
  close(): Promise<void>;
}

export interface RunnableBuilderOptions {
  readonly toolchain: Toolchain;
  /** Directory of the addons; the caller removes it. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

export function createRunnableBuilder({ toolchain, directory, signal }: RunnableBuilderOptions): RunnableBuilder {
  const own = new AbortController();
  const options = {
    directory,
    toolchain,
    signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
  };
  /** Built kernels by the digest of their text: finalists were built before. */
  const known = new Map<string, ReadyRunnable>();
  const running = new Set<Promise<unknown>>();
  let compilerRuns = 0;

  async function compile(sources: ReadonlyMap<string, MeasurableSource>, jobs: number, leftMs: LeftMs): Promise<void> {
    const kernels = [...sources.values()].flatMap(withPreparation);
    const shares = equalShares(kernels, jobs);
    compilerRuns += shares.length;
    const compiled = (await allOf(shares.map((share) => buildShare(share, leftMs)))).flat();
    const built = new Map(shares.flat().map((kernel, k) => [kernel, compiled[k]!]));
    for (const [key, source] of sources) {
      const own = withPreparation(source).map((kernel) => built.get(kernel)!);
      const missing = own.find((it) => it.kind === "no-time");
      // A kernel that was not built in time may be asked for again, when there is more time.
      if (!missing) known.set(key, fromBuilt(source, own as readonly BuiltRunnable[]));
    }
  }

  /** Builds one compiler's share; what is not built when the time is over is marked so. */
  async function buildShare(
    share: readonly KernelSource[],
    leftMs: LeftMs,
  ): Promise<readonly (BuiltRunnable | NoTime)[]> {
    const ms = leftMs();
    if (ms === Number.POSITIVE_INFINITY) return buildAll(share, options);
    const limit = timeoutSignal(ms);
    try {
      return await buildAll(share, { ...options, signal: AbortSignal.any([options.signal, limit]) });
    } catch (error) {
      if (options.signal.aborted || !limit.aborted) throw error;
      return share.map(() => notBuilt);
    }
  }

  return {
    async build(sources, jobs, leftMs = forever) {
      const wanted = sources.flatMap((source) =>
        isSource(source) && isCompiled(source) ? [[codeDigest(source), source] as const] : [],
      );
      const compiling = compile(new Map(wanted.filter(([key]) => !known.has(key))), jobs, leftMs);
      running.add(compiling);
      await compiling.finally(() => running.delete(compiling));
      return Promise.all(
        sources.map((source) =>
          isSource(source) && isCompiled(source)
            ? (known.get(codeDigest(source)) ?? notBuilt)
            : withoutCompiler(source, options),
        ),
      );
    },
    compilerRuns: () => compilerRuns,
    async close() {
      own.abort(new Error("the workbench is closed"));
      await Promise.allSettled(running);
    },
  };
}

const notBuilt: NoTime = noTime("the compiler was not done in time");

/** Waits as Promise.all does, but rejects only when no promise is pending: the directory may be removed then. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Says whether there is a kernel to be built. */
export const isSource = (it: Buildable): it is MeasurableSource => "parameters" in it;

const isCompiled = (source: KernelSource): boolean => generatorOf(source).needsToolchain;

/** Builds kernels of one task, and so of one back end. */
const buildAll = async (
  kernels: readonly KernelSource[],
  options: ExecutorOptions,
): Promise<readonly BuiltRunnable[]> => executorOf(kernels[0]!).build(kernels, options);

/** Number of characters that a compiler has to read. */
const lengthOf = (kernel: KernelSource): number => generatorOf(kernel).sizeOf(kernel).characters;

/**
 * Splits kernels into at most `most` shares of about as much text: compilers that begin together end together. The longest
 * kernel comes first, each goes to the share that has the least so far (Graham 1969).
 */
function equalShares(kernels: readonly KernelSource[], most: number): readonly (readonly KernelSource[])[] {
  const shares = Array.from({ length: Math.min(most, kernels.length) }, () => ({
    length: 0,
    own: [] as KernelSource[],
  }));
  const lengths = new Map(kernels.map((kernel) => [kernel, lengthOf(kernel)]));
  for (const kernel of kernels.toSorted((a, b) => lengths.get(b)! - lengths.get(a)!)) {
    const share = shares.reduce((least, other) => (other.length < least.length ? other : least));
    share.own.push(kernel);
    share.length += lengths.get(kernel)!;
  }
  return shares.map(({ own }) => own);
}

/** Makes a runnable of a source whose back end needs no compiler. Others are refused. */
export async function withoutCompiler(
  source: Buildable,
  options: Omit<ExecutorOptions, "toolchain">,
): Promise<ReadyRunnable> {
  if (!isSource(source)) return source;
  if (isCompiled(source)) return { kind: "build-failed", reason: "there is no compiler" };
  return fromBuilt(source, await buildAll(withPreparation(source), { ...options, toolchain: null }));
}

/** Digest of a kernel's code: equal for kernels of equal code. */
const codeDigest = (source: MeasurableSource): string =>
  sha256(
    withPreparation(source)
      .map((kernel) => generatorOf(kernel).code(kernel))
      .join("\0"),
  );

/** Returns the kernels of one source: its own, and the one that prepares constants. */
const withPreparation = (source: MeasurableSource): readonly KernelSource[] =>
  source.prepare ? [source, source.prepare] : [source];

/** @param built the source's own kernel, and the one that prepares constants */
function fromBuilt(source: MeasurableSource, [kernel, prepare]: readonly BuiltRunnable[]): ReadyRunnable {
  if (kernel!.kind !== "built") return kernel!;
  if (prepare && prepare.kind !== "built") return prepare;
  return readyToRun(kernel!.runnable, source, prepare?.runnable ?? null);
}

/**
 * Makes a runnable of a built kernel.
 *
 * @param kernel the kernel that prepares constants; null: there is none
 */
export function readyToRun(
  candidate: Runnable,
  { bounds, prepare, parameters }: MeasurableSource,
  kernel: Runnable | null,
): ReadyRunnable {
  const preparation = kernel && prepare ? { kernel, parameters: prepare.parameters, used: parameters } : undefined;
  return { kind: "ready", candidate: { ...candidate, bounds, preparation } };
}
