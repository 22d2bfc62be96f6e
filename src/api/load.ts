// A built kernel → the function that an import of it would be.

import { DiagnosticError, type OnCuda, type OnGpu, type TypedArray } from "../compiler/index.ts";
import type { Artifact, ArtifactInfo, CudaArtifact, WebgpuArtifact } from "../native/addon/artifact.ts";
import type { KernelSignature } from "../plugin/binding/parameters.ts";
import type { AnyKernel, Packable, PackedKernel } from "../plugin/options/types.ts";
import { type Bench, formOf } from "./artifact-forms.ts";

/** A kernel as imports have it. */
export interface LoadedKernel extends AnyKernel, Partial<Packable<Readonly<Record<string, TypedArray>>, PackedKernel>> {
  /** Nanoseconds of one run, one number a sample; only of addons that were built with `bench`. */
  bench?(arrays: readonly TypedArray[], samples: number, maxNs: number, inner?: number): ReturnType<Bench>;
}

/** Facts for an artifact that no `build` has described. */
const unknown: ArtifactInfo = { op: "kernel", parameters: {}, numerics: "fast", schedule: null, target: "native" };

function signatureOf(artifact: Artifact): KernelSignature {
  const { run, prepared } = formOf(artifact);
  const made = new Set((prepared(artifact) ?? []).flatMap(({ role, name }) => (role === "output" ? [name] : [])));
  const tensors = run(artifact).filter(({ name }) => !made.has(name));
  return { tensors, constants: artifact.packing?.constants ?? [] };
}

/**
 * Loads a built kernel: the function that an import of it is, with `async`, `buffers`, `info` and, if it was built with `constants`,
 * `pack`. A kernel for a GPU has `on`, and one for CUDA `device`; its twin answers calls.
 *
 * @throws DiagnosticError `target.unavailable` where this machine cannot run it
 * @example const C = load(await build(gemm, schedule, { target: "wasm", outDir: "kernels" }))(A, B);
 * @example const C = await load(await build(gemm, schedule, { target: "cuda-sm90" })).async(A, B);
 */
export function load(artifact: WebgpuArtifact): LoadedKernel & OnGpu;
export function load(artifact: CudaArtifact): LoadedKernel & OnCuda;
export function load(artifact: Artifact): LoadedKernel;
export function load(artifact: Artifact): LoadedKernel {
  const signature = signatureOf(artifact);
  const facts = {
    ...(artifact.info ?? unknown),
    ...{ gflops: null, cacheKey: "", errorBound: null, reason: null, constants: signature.constants },
    tensors: signature.tensors.map(({ name, dtype, shape, role }) => ({ name, dtype, shape, role })),
  };
  const { create, bench } = formOf(artifact);
  const kernel = create(artifact, signature, facts);
  requireTwin(kernel);
  const timed = bench?.(artifact);
  const own: Pick<LoadedKernel, "bench"> = timed
    ? { bench: (arrays, samples, maxNs, inner) => timed(0, arrays, samples, maxNs, inner) }
    : {};
  return Object.assign(kernel, own) as LoadedKernel;
}

function requireTwin(kernel: AnyKernel): void {
  try {
    void kernel.info.twin;
  } catch (error) {
    const { message } = error as Error;
    throw new DiagnosticError({ code: "target.unavailable", message, loc: null, hint: null, detail: null });
  }
}
