// Builds candidates one at a time into artifacts, by a builder that a user brings or by ours, for a builder or a runner of a
// user's: sources → runnables, and the artifact behind each of them.

import { aFunction, aName, awaitOwn, badAnswer, generatorOf, invariant, requireFields } from "../../compiler/index.ts";
import type { CpuArtifact } from "../../native/addon/artifact.ts";
import type { BuildFailure } from "../../native/addon/build.ts";
import {
  type ArtifactSource,
  artifactSource,
  isArtifact,
  makeArtifact,
  runnablesOf,
} from "../../native/backend/artifact.ts";
import type { Runnable } from "../../native/runner/protocol.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import { noTime } from "../support/time-limit.ts";
import {
  type Buildable,
  isSource,
  type MeasurableSource,
  type ReadyRunnable,
  type RunnableBuilder,
  readyToRun,
} from "./runnable-builder.ts";

/** One kernel to be built. */
export interface BuildRequest {
  /** Code of the kernel: C as text, or a WASM module as bytes. */
  readonly source: ArtifactSource;
  /** Kernel that brings constant inputs into the form which `source` takes, built with it; null: there is none. */
  readonly prepare: ArtifactSource | null;
  /** Names of the constant inputs. */
  readonly constants: readonly string[];
  /** Private directory for files, removed at the end; empty for WASM. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

/** Builds by the compiler that was found here; a WASM module is an artifact as it is. */
export type StandardBuild = (request: BuildRequest) => Promise<CpuArtifact | BuildFailure>;

/**
 * Turns code into artifacts, such as by another compiler, other flags, or a rewriting of the module's bytes.
 *
 * @example
 * const optimized: OwnBuilder = {
 *   name: "wasm-opt",
 *   build: (request, standard) => standard({ ...request, source: { ...request.source, bytes: wasmOpt(request.source.bytes) } }),
 * };
 */
export interface OwnBuilder {
  /** Name in the records, which are kept apart from those of other builders. */
  readonly name: string;
  /**
   * Builds a kernel. A candidate that cannot be built is `{ kind: "build-failed", reason }`; an error that is thrown ends
   * the tuning.
   *
   * @param standard our builder, for what yours leaves to it
   */
  readonly build: (
    request: BuildRequest,
    standard: StandardBuild,
  ) => Promise<CpuArtifact | BuildFailure> | CpuArtifact | BuildFailure;
}

/** A builder that remembers the artifact behind each runnable. */
export interface ArtifactBuilder extends RunnableBuilder {
  artifactOf(runnable: Runnable): CpuArtifact;
}

export interface ArtifactBuilderOptions {
  /** The user's builder; undefined: ours. */
  readonly builder: OwnBuilder | undefined;
  readonly toolchain: Toolchain | null;
  readonly directory: string;
  readonly constants: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** @throws DiagnosticError `extension.malformed`; later, when building, `extension.threw` and `extension.bad-answer` */
export function createArtifactBuilder(options: ArtifactBuilderOptions): ArtifactBuilder {
  const { builder, toolchain, directory, constants, signal } = options;
  if (builder) requireFields<OwnBuilder>("builder", builder, { name: aName, build: aFunction });
  const artifacts = new WeakMap<Runnable, CpuArtifact>();
  /** Built kernels by their code: finalists were built before. */
  const known = new Map<string, Promise<ReadyRunnable>>();
  let runs = 0;

  const standard: StandardBuild = ({ source, prepare, constants, directory, signal }) => {
    if (toolchain && generatorOf(source).needsToolchain) runs += 1;
    const packed = constants.length > 0 ? constants : null;
    return makeArtifact({ source, prepare, constants: packed }, { outDir: directory, toolchain, bench: true, signal });
  };

  async function build({
    prepare = null,
    bounds: _,
    ...source
  }: MeasurableSource): Promise<CpuArtifact | BuildFailure> {
    const request: BuildRequest = {
      source: artifactSource(source),
      prepare: prepare && artifactSource(prepare),
      constants,
      directory,
      signal,
    };
    if (!builder) return standard(request);
    const what = `build of builder "${builder.name}"`;
    const answer: unknown = await awaitOwn(what, () => builder.build(request, standard));
    if (isBuilt(answer)) return answer;
    throw badAnswer(what, answer, 'an artifact as `build` gives it, or { kind: "build-failed", reason }');
  }

  async function runnable(source: MeasurableSource): Promise<ReadyRunnable> {
    const artifact = await build(source);
    if (artifact.kind === "build-failed") return artifact;
    const { kernel, preparation } = runnablesOf(artifact);
    const built = readyToRun(kernel, source, preparation);
    if (built.kind === "ready") artifacts.set(built.candidate, artifact);
    return built;
  }

  function once(source: MeasurableSource): Promise<ReadyRunnable> {
    const code = generatorOf(source).code(source);
    const key = typeof code === "string" ? code : Buffer.from(code).toString("latin1");
    const found = known.get(key) ?? runnable(source);
    known.set(key, found);
    return found;
  }

  return {
    async build(sources, jobs, leftMs) {
      const built: ReadyRunnable[] = [];
      const buildOne = (source: Buildable): Promise<ReadyRunnable> | ReadyRunnable => {
        if (!isSource(source)) return source;
        return leftMs && leftMs() <= 0 ? noTime("there was no time to build it") : once(source);
      };
      for (let at = 0; at < sources.length; at += jobs)
        built.push(...(await Promise.all(sources.slice(at, at + jobs).map(buildOne))));
      return built;
    },
    compilerRuns: () => runs,
    close: async () => undefined,
    artifactOf(candidate) {
      const artifact = artifacts.get(candidate);
      invariant(artifact, "a runnable comes from the builder");
      return artifact;
    },
  };
}

function isBuilt(answer: unknown): answer is CpuArtifact | BuildFailure {
  if (isArtifact(answer)) return true;
  if (typeof answer !== "object" || answer === null || !("kind" in answer) || !("reason" in answer)) return false;
  return answer.kind === "build-failed" && typeof answer.reason === "string";
}
