// A built kernel → the function that an import of it would be.

import { pathToFileURL } from "node:url";
import { DiagnosticError, type KernelParameter, type TypedArray, type WasmSource } from "../compiler/index.ts";
import type { Artifact, ArtifactInfo, NativeArtifact, WasmArtifact } from "../native/addon/artifact.ts";
import { loadNative, type NativeKernels } from "../native/load/load-native.ts";
import { type KernelSignature, layoutOf, resultsOf, sourcesOf, takenBy } from "../plugin/binding/parameters.ts";
import { workerScript } from "../plugin/binding/runtime-files.ts";
import type { AnyKernel, Packable, PackedKernel } from "../plugin/options/types.ts";
import { createKernel, native, wasm, wasmOnThreads } from "../plugin/runtime/entry/index.ts";
import type { KernelFacts, ModuleBytes, NativeFacts, WasmFacts } from "../plugin/runtime/facts.ts";
import { moduleText } from "../plugin/runtime/module-text.ts";

type Bench = NonNullable<NativeKernels["bench"]>;

/** A kernel as imports have it. */
export interface LoadedKernel extends AnyKernel, Partial<Packable<Readonly<Record<string, TypedArray>>, PackedKernel>> {
  /** Nanoseconds of one run, one number a sample; only of addons that were built with `bench`. */
  bench?(arrays: readonly TypedArray[], samples: number, maxNs: number, inner?: number): ReturnType<Bench>;
}

/** Facts for an artifact that no `build` has described. */
const unknown: ArtifactInfo = { op: "kernel", parameters: {}, numerics: "fast", schedule: null, target: "native" };

const bytesOf = ({ bytes, sharing }: WasmSource): ModuleBytes => ({
  text: moduleText(bytes),
  ...(sharing && { flagAt: sharing.flagAt }),
});

function wasmFacts({ source, packing }: WasmArtifact, kernel: KernelSignature): WasmFacts {
  const { sharing, relaxed, parameters } = source;
  const sources = sourcesOf(parameters, kernel);
  const prepare = packing?.prepare;
  return {
    modules: [{ kind: relaxed ? "wasm-relaxed" : "wasm", ...bytesOf(source) }],
    layout: layoutOf(source),
    worker: { text: Buffer.from(workerScript()).toString() },
    ...(sharing && { sharing }),
    ...(sources && { sources }),
    ...(prepare && {
      prepare: {
        ...bytesOf(prepare),
        layout: layoutOf(prepare),
        taken: takenBy(prepare.parameters, kernel),
        ...(prepare.sharing && { sharing: prepare.sharing }),
      },
    }),
  };
}

function nativeFacts({ path, kernels, packing }: NativeArtifact, kernel: KernelSignature): NativeFacts {
  const [run] = kernels;
  const sources = sourcesOf(run!.parameters, kernel);
  const prepare = packing?.prepare != null ? kernels[packing.prepare]!.parameters : null;
  return {
    url: () => pathToFileURL(path).href,
    index: 0,
    features: run!.features,
    platform: `${process.platform}-${process.arch}`,
    ...(sources && { sources }),
    ...(prepare && { prepare: { taken: takenBy(prepare, kernel), results: resultsOf(prepare) } }),
  };
}

/** How an artifact of a kind becomes a kernel. */
interface Form<Of extends Artifact> {
  /** Parameters of the kernel, and of what prepares its constants. */
  run(artifact: Of): readonly KernelParameter[];
  prepared(artifact: Of): readonly KernelParameter[];
  create(artifact: Of, signature: KernelSignature, facts: SharedFacts): AnyKernel;
  /** The timing function of what was built with `bench`. */
  bench(artifact: Of): Bench | undefined;
}

type SharedFacts = Omit<KernelFacts, "native" | "wasm">;

const wasmForm: Form<WasmArtifact> = {
  run: ({ source }) => source.parameters,
  prepared: ({ packing }) => packing?.prepare?.parameters ?? [],
  create: (artifact, signature, facts) =>
    createKernel({ ...facts, wasm: wasmFacts(artifact, signature) }, sharesLoops(artifact) ? wasmOnThreads : wasm),
  bench: () => undefined,
};

const nativeForm: Form<NativeArtifact> = {
  run: ({ kernels }) => kernels[0]!.parameters,
  prepared: ({ kernels, packing }) => (packing?.prepare == null ? [] : kernels[packing.prepare]!.parameters),
  create: (artifact, signature, facts) =>
    createKernel({ ...facts, native: [nativeFacts(artifact, signature)] }, native),
  bench({ path, kernels }) {
    const loaded = loadNative(path, { features: kernels[0]!.features });
    return loaded.kind === "loaded" ? loaded.kernels.bench : undefined;
  },
};

type Forms = { readonly [Kind in Artifact["kind"]]: Form<Extract<Artifact, { readonly kind: Kind }>> };

const forms: Forms = { wasm: wasmForm, native: nativeForm };

const formOf = ({ kind }: Artifact): Form<Artifact> => forms[kind];

function signatureOf(artifact: Artifact): KernelSignature {
  const { run, prepared } = formOf(artifact);
  const made = new Set(prepared(artifact).flatMap(({ role, name }) => (role === "output" ? [name] : [])));
  const tensors = run(artifact).filter(({ name }) => !made.has(name));
  return { tensors, constants: artifact.packing?.constants ?? [] };
}

/**
 * Loads a built kernel: the function that an import of it is, with `async`, `buffers`, `info` and, if it was built with `constants`,
 * `pack`.
 *
 * @throws DiagnosticError `target.unavailable` where this machine cannot run it
 * @example const C = load(await build(gemm, schedule, { target: "wasm", outDir: "kernels" }))(A, B);
 */
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
  const timed = bench(artifact);
  const own: Pick<LoadedKernel, "bench"> = timed
    ? { bench: (arrays, samples, maxNs, inner) => timed(0, arrays, samples, maxNs, inner) }
    : {};
  return Object.assign(kernel, own) as LoadedKernel;
}

const sharesLoops = ({ source, packing }: WasmArtifact): boolean =>
  Boolean(source.sharing ?? packing?.prepare?.sharing);

function requireTwin(kernel: AnyKernel): void {
  try {
    void kernel.info.twin;
  } catch (error) {
    const { message } = error as Error;
    throw new DiagnosticError({ code: "target.unavailable", message, loc: null, hint: null, detail: null });
  }
}
