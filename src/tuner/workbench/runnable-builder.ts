// Builds sources into what a runner takes: C by the compiler, several processes at a time, each text once; WASM as it is.

import { type CSource, sha256, type WasmSource } from "../../compiler/index.ts";
import { type BuiltKernel, buildEach } from "../../native/addon/build.ts";
import { timeoutSignal } from "../../native/machine/clock.ts";
import { toRunnable } from "../../native/runner/client.ts";
import type { HasBounds, Runnable } from "../../native/runner/protocol.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import type { Measurement } from "../data/measurement.ts";
import { forever, type LeftMs, type NoTime, noTime } from "../support/time-limit.ts";

/**
 * A kernel, bounds of its results if it computes them otherwise than the operator is written, and the kernel that prepares
 * what it takes of constant inputs.
 */
export type MeasurableSource = (CSource | WasmSource) & HasBounds & { readonly prepare?: CSource | WasmSource | null };

/** Measurement of a candidate that never became source. */
export type Refusal = Extract<Measurement, { readonly kind: "build-failed" }>;

/** Input of a workbench for one candidate. */
export type Buildable = MeasurableSource | Refusal | NoTime;

export type BuiltRunnable = { readonly kind: "ready"; readonly candidate: Runnable } | Refusal | NoTime;

export interface RunnableBuilder {
  /**
   * Builds each source, in their order, with at most `jobs` compiler processes at a time. Compilers that run when the time
   * is over are killed, and what they were building is not built.
   */
  build(sources: readonly Buildable[], jobs: number, leftMs?: LeftMs): Promise<readonly BuiltRunnable[]>;
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
    outDir: directory,
    toolchain,
    bench: true,
    signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
  };
  /** Built kernels by the digest of their text: finalists were built before. */
  const known = new Map<string, BuiltRunnable>();
  const running = new Set<Promise<unknown>>();
  let compilerRuns = 0;

  async function compile(
    sources: ReadonlyMap<string, MeasurableSource & CSource>,
    jobs: number,
    leftMs: LeftMs,
  ): Promise<void> {
    const kernels = [...sources.values()].flatMap(withPreparation);
    const shares = equalShares(kernels, jobs);
    compilerRuns += shares.length;
    const compiled = (await allOf(shares.map((share) => buildShare(share, leftMs)))).flat();
    const built = new Map(shares.flat().map((kernel, k) => [kernel, compiled[k]!]));
    for (const [key, source] of sources) {
      const own = withPreparation(source).map((kernel) => built.get(kernel)!);
      const missing = own.find((it) => it.kind === "no-time");
      // A kernel that was not built in time may be asked for again, when there is more time.
      if (!missing) known.set(key, fromBuilt(source, own as readonly BuiltKernel[]));
    }
  }

  /** Builds one compiler's share; what is not built when the time is over is marked so. */
  async function buildShare(share: readonly CSource[], leftMs: LeftMs): Promise<readonly (BuiltKernel | NoTime)[]> {
    const ms = leftMs();
    if (ms === Number.POSITIVE_INFINITY) return buildEach(share, options);
    const limit = timeoutSignal(ms);
    try {
      return await buildEach(share, { ...options, signal: AbortSignal.any([options.signal, limit]) });
    } catch (error) {
      if (options.signal.aborted || !limit.aborted) throw error;
      return share.map(() => notBuilt);
    }
  }

  return {
    async build(sources, jobs, leftMs = forever) {
      const native = sources.flatMap((source) => (source.kind === "c" ? [[textDigest(source), source] as const] : []));
      const compiling = compile(new Map(native.filter(([key]) => !known.has(key))), jobs, leftMs);
      running.add(compiling);
      await compiling.finally(() => running.delete(compiling));
      return sources.map((source) =>
        source.kind === "c" ? (known.get(textDigest(source)) ?? notBuilt) : withoutCompiler(source),
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

/**
 * Splits kernels into at most `most` shares of about as much text: compilers that begin together end together. The longest
 * kernel comes first, each goes to the share that has the least so far (Graham 1969).
 */
function equalShares(kernels: readonly CSource[], most: number): readonly (readonly CSource[])[] {
  const shares = Array.from({ length: Math.min(most, kernels.length) }, () => ({ length: 0, own: [] as CSource[] }));
  for (const kernel of kernels.toSorted((a, b) => b.text.length - a.text.length)) {
    const share = shares.reduce((least, other) => (other.length < least.length ? other : least));
    share.own.push(kernel);
    share.length += kernel.text.length;
  }
  return shares.map(({ own }) => own);
}

/** Makes a runnable of a source that needs no compiler: WASM. C is refused. */
export function withoutCompiler(source: Buildable): BuiltRunnable {
  if (source.kind === "build-failed" || source.kind === "no-time") return source;
  if (source.kind === "c") return { kind: "build-failed", reason: "there is no compiler" };
  const { prepare } = source;
  const kernel = prepare?.kind === "wasm" ? toRunnable({ kind: "wasm", source: prepare }, 0) : null;
  return readyToRun(toRunnable({ kind: "wasm", source }, 0), source, kernel);
}

/** Digest of a kernel's code: equal for kernels of equal code. */
const textDigest = (source: MeasurableSource & CSource): string =>
  sha256(
    withPreparation(source)
      .map(({ text }) => text)
      .join("\0"),
  );

/** Returns the kernels of one source: its own, and the one that prepares constants. */
const withPreparation = (source: MeasurableSource & CSource): readonly CSource[] =>
  source.prepare?.kind === "c" ? [source, source.prepare] : [source];

/** @param built the source's own kernel, and the one that prepares constants */
function fromBuilt(source: MeasurableSource & CSource, [kernel, prepare]: readonly BuiltKernel[]): BuiltRunnable {
  if (kernel!.kind !== "built") return kernel!;
  if (prepare && prepare.kind !== "built") return prepare;
  const preparing = prepare ? toRunnable(prepare.artifact, prepare.index) : null;
  return readyToRun(toRunnable(kernel!.artifact, kernel!.index), source, preparing);
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
): BuiltRunnable {
  const preparation = kernel && prepare ? { kernel, parameters: prepare.parameters, used: parameters } : undefined;
  return { kind: "ready", candidate: { ...candidate, bounds, preparation } };
}
