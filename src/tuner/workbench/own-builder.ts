// Builds candidates one at a time into artifacts, by a builder that a user brings or by ours, for a builder or a runner of a
// user's: sources → runnables, and the artifact behind each of them.

import {
  aFunction,
  aName,
  awaitOwn,
  badAnswer,
  type CSource,
  generatorOf,
  invariant,
  isCSource,
  isWasmSource,
  type KernelSource,
  malformed,
  requireFields,
  type WasmSource,
} from "../../compiler/index.ts";
import type { Artifact } from "../../native/addon/artifact.ts";
import { type BuildFailure, buildNative } from "../../native/addon/build.ts";
import { addonRunnable } from "../../native/backend/c.ts";
import { wasmRunnable } from "../../native/backend/wasm.ts";
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
  readonly source: CSource | WasmSource;
  /** Kernel that brings constant inputs into the form which `source` takes, built with it; null: there is none. */
  readonly prepare: CSource | WasmSource | null;
  /** Names of the constant inputs. */
  readonly constants: readonly string[];
  /** Private directory for files, removed at the end; empty for WASM. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

/** Builds by the compiler that was found here; a WASM module is an artifact as it is. */
export type StandardBuild = (request: BuildRequest) => Promise<Artifact | BuildFailure>;

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
  ) => Promise<Artifact | BuildFailure> | Artifact | BuildFailure;
}

/** A builder that remembers the artifact behind each runnable. */
export interface ArtifactBuilder extends RunnableBuilder {
  artifactOf(runnable: Runnable): Artifact;
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
  const artifacts = new WeakMap<Runnable, Artifact>();
  /** Built kernels by their code: finalists were built before. */
  const known = new Map<string, Promise<ReadyRunnable>>();
  let runs = 0;

  const standard: StandardBuild = async ({ source, prepare, constants, directory, signal }) => {
    const isPacking = constants.length > 0;
    if (isWasmSource(source)) {
      const packing = { constants, prepare: prepare && isWasmSource(prepare) ? prepare : null };
      return { kind: "wasm", source, ...(isPacking && { packing }) };
    }
    if (!toolchain) return { kind: "build-failed", reason: "there is no compiler" };
    const sources = prepare && isCSource(prepare) ? [source, prepare] : [source];
    runs += 1;
    const built = await buildNative(sources, { outDir: directory, toolchain, bench: true, signal });
    if (built.kind === "build-failed" || !isPacking) return built;
    return { ...built, packing: { constants, prepare: prepare ? 1 : null } };
  };

  async function build({ prepare = null, bounds: _, ...source }: MeasurableSource): Promise<Artifact | BuildFailure> {
    const request: BuildRequest = {
      source: buildable(source),
      prepare: prepare && buildable(prepare),
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
    const built = readyToRun(runnableOf(artifact), source, preparationOf(artifact));
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

/** Artifacts are addons and modules: kernels of other back ends have none. */
function buildable(source: KernelSource): CSource | WasmSource {
  if (isCSource(source) || isWasmSource(source)) return source;
  throw malformed(`builder or runner is for C and WASM, and ${source.name} is code of back end ${source.kind}`);
}

const runnableOf = (artifact: Artifact): Runnable =>
  artifact.kind === "wasm" ? wasmRunnable(artifact.source) : addonRunnable(artifact, 0);

/** Returns the kernel of an artifact that prepares constants, as the runner takes it; null: there is none. */
function preparationOf(artifact: Artifact): Runnable | null {
  if (artifact.kind === "wasm") {
    const prepare = artifact.packing?.prepare;
    return prepare ? wasmRunnable(prepare) : null;
  }
  const at = artifact.packing?.prepare ?? null;
  return at === null ? null : addonRunnable(artifact, at);
}

function isBuilt(answer: unknown): answer is Artifact | BuildFailure {
  if (typeof answer !== "object" || answer === null || !("kind" in answer)) return false;
  const { kind, reason, path, kernels, source } = answer as Readonly<Record<string, unknown>>;
  if (kind === "build-failed") return typeof reason === "string";
  if (kind === "native") return typeof path === "string" && Array.isArray(kernels) && kernels.length > 0;
  const bytes = typeof source === "object" && source !== null && "bytes" in source ? source.bytes : null;
  return kind === "wasm" && bytes instanceof Uint8Array;
}
