// Sources of a kernel for the CPU → the artifact that `build` gives, and the runnables of one: an addon, or a WASM module as it is.

import {
  type CSource,
  isCSource,
  isWasmSource,
  type KernelSource,
  refuse,
  type WasmSource,
} from "../../compiler/index.ts";
import type { CpuArtifact } from "../addon/artifact.ts";
import { type BuildFailure, buildNative } from "../addon/build.ts";
import type { Runnable } from "../runner/protocol.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import { addonRunnable } from "./c.ts";
import { wasmRunnable } from "./wasm.ts";

/** Sources that artifacts are made of. */
export type ArtifactSource = CSource | WasmSource;

export interface ArtifactParts<Source extends KernelSource = KernelSource> {
  readonly source: Source;
  /** Kernel that brings constant inputs into the form which `source` takes; null: there is none. */
  readonly prepare: Source | null;
  /** Names of the constant inputs; none: there is no packing. */
  readonly constants: readonly string[] | null;
}

export interface ArtifactOptions {
  /** Directory of the addon, which exists. */
  readonly outDir: string;
  /** Compiler; null: only sources that need none can be built. */
  readonly toolchain: Toolchain | null;
  /** Whether the addon can time itself. */
  readonly bench: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the source if artifacts are made of it. */
export function artifactSource(source: KernelSource): ArtifactSource {
  if (isCSource(source) || isWasmSource(source)) return source;
  const hint = "tune and predict work for it; artifacts are addons and WASM modules";
  throw refuse("backend.no-binding", `back end "${source.kind}" makes no artifact of ${source.name}`, hint);
}

/** @throws DiagnosticError `backend.no-binding` */
export async function makeArtifact(
  { source, prepare, constants }: ArtifactParts,
  { outDir, toolchain, bench, signal }: ArtifactOptions,
): Promise<CpuArtifact | BuildFailure> {
  const own = artifactSource(source);
  if (isWasmSource(own)) {
    const packing = constants && { constants, prepare: prepare && isWasmSource(prepare) ? prepare : null };
    return { kind: "wasm", source: own, ...(packing && { packing }) };
  }
  if (!toolchain) return { kind: "build-failed", reason: "there is no compiler" };
  const sources = prepare && isCSource(prepare) ? [own, prepare] : [own];
  const built = await buildNative(sources, { outDir, toolchain, bench, signal });
  if (built.kind === "build-failed" || !constants) return built;
  return { ...built, packing: { constants, prepare: prepare ? 1 : null } };
}

/** Kernels of an artifact, as the runner takes them. */
export interface ArtifactRunnables {
  readonly kernel: Runnable;
  /** The kernel that prepares constants; null: there is none. */
  readonly preparation: Runnable | null;
}

export function runnablesOf(artifact: CpuArtifact): ArtifactRunnables {
  switch (artifact.kind) {
    case "wasm": {
      const prepare = artifact.packing?.prepare ?? null;
      return { kernel: wasmRunnable(artifact.source), preparation: prepare && wasmRunnable(prepare) };
    }
    case "native": {
      const at = artifact.packing?.prepare ?? null;
      return { kernel: addonRunnable(artifact, 0), preparation: at === null ? null : addonRunnable(artifact, at) };
    }
  }
}

/** Says whether a value that a user's builder gave is an artifact. */
export function isArtifact(value: unknown): value is CpuArtifact {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const { kind, path, kernels, source } = value as Readonly<Record<string, unknown>>;
  if (kind === "native") return typeof path === "string" && Array.isArray(kernels) && kernels.length > 0;
  const bytes = typeof source === "object" && source !== null && "bytes" in source ? source.bytes : null;
  return kind === "wasm" && bytes instanceof Uint8Array;
}
