// An artifact of any kind → a kernel: the facts that its emitted module would have, and the runtime's function that takes them.

import { pathToFileURL } from "node:url";
import { type KernelParameter, lanesFor, type WasmSource, type WgslSource } from "../compiler/index.ts";
import type {
  Artifact,
  CudaArtifact,
  CudaFunction,
  NativeArtifact,
  WasmArtifact,
  WebgpuArtifact,
} from "../native/addon/artifact.ts";
import { loadNative, type NativeKernels } from "../native/load/load-native.ts";
import { type KernelSignature, layoutOf, resultsOf, sourcesOf, takenBy } from "../plugin/binding/parameters.ts";
import { workerScript } from "../plugin/binding/runtime-files.ts";
import type { AnyKernel } from "../plugin/options/types.ts";
import type { CudaCode, CudaFacts } from "../plugin/runtime/cuda/cuda-facts.ts";
import { createCudaKernel } from "../plugin/runtime/entry/cuda.ts";
import { createGpuKernel, createKernel, native, wasm, wasmOnThreads } from "../plugin/runtime/entry/index.ts";
import type { FunctionFacts, KernelFacts, ModuleBytes, NativeFacts, WasmFacts } from "../plugin/runtime/facts.ts";
import { moduleText } from "../plugin/runtime/module-text.ts";
import type { GpuCode, GpuFacts } from "../plugin/runtime/webgpu/gpu-facts.ts";

export type Bench = NonNullable<NativeKernels["bench"]>;

type SharedFacts = Omit<KernelFacts, "native" | "wasm">;

/** How an artifact of a kind becomes a kernel. */
interface Form<Of extends Artifact> {
  /** Parameters of the kernel, and of what prepares its constants; null: nothing does. */
  run(artifact: Of): readonly KernelParameter[];
  prepared(artifact: Of): readonly KernelParameter[] | null;
  create(artifact: Of, signature: KernelSignature, facts: SharedFacts): AnyKernel;
  /** The timing function of what was built with `bench`. */
  bench?(artifact: Of): Bench | undefined;
}

type HasParameters<Of extends Artifact> = Pick<Form<Of>, "run" | "prepared">;

/** Artifacts that hold their sources. */
const ofSources: HasParameters<WasmArtifact | WebgpuArtifact> = {
  run: ({ source }) => source.parameters,
  prepared: ({ packing }) => packing?.prepare?.parameters ?? null,
};

/** Artifacts that hold kernels by their numbers. */
const ofKernels: HasParameters<NativeArtifact | CudaArtifact> = {
  run: ({ kernels }) => kernels[0]!.parameters,
  prepared: ({ kernels, packing }) => (packing?.prepare == null ? null : kernels[packing.prepare]!.parameters),
};

const wasmForm: Form<WasmArtifact> = {
  ...ofSources,
  create: (artifact, signature, facts) =>
    createKernel({ ...facts, wasm: wasmFacts(artifact, signature) }, wayOf(artifact)),
};

const nativeForm: Form<NativeArtifact> = {
  ...ofKernels,
  create: (artifact, signature, facts) =>
    createKernel({ ...facts, native: [nativeFacts(artifact, signature)] }, native),
  bench({ path, kernels }) {
    const loaded = loadNative(path, { features: kernels[0]!.features });
    return loaded.kind === "loaded" ? loaded.kernels.bench : undefined;
  },
};

const webgpuForm: Form<WebgpuArtifact> = {
  ...ofSources,
  create: (artifact, signature, facts) =>
    createGpuKernel(
      withTwin(facts, artifact.twin, signature),
      webgpuFacts(artifact, signature),
      ...(artifact.twin ? [wayOf(artifact.twin)] : []),
    ),
};

const cudaForm: Form<CudaArtifact> = {
  ...ofKernels,
  create: (artifact, signature, facts) =>
    createCudaKernel(
      withTwin(facts, artifact.twin, signature),
      cudaFacts(artifact, signature),
      ...(artifact.twin ? [wayOf(artifact.twin)] : []),
    ),
};

type Forms = { readonly [Kind in Artifact["kind"]]: Form<Extract<Artifact, { readonly kind: Kind }>> };

const forms: Forms = { wasm: wasmForm, native: nativeForm, webgpu: webgpuForm, cuda: cudaForm };

export const formOf = ({ kind }: Artifact): Form<Artifact> => forms[kind];

const withTwin = (facts: SharedFacts, twin: WasmArtifact | null, signature: KernelSignature): KernelFacts =>
  twin ? { ...facts, wasm: wasmFacts(twin, signature) } : facts;

const sharesLoops = ({ source, packing }: WasmArtifact): boolean =>
  Boolean(source.sharing ?? packing?.prepare?.sharing);

const wayOf = (artifact: WasmArtifact) => (sharesLoops(artifact) ? wasmOnThreads : wasm);

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

/** Facts of code that takes arrays as they are. */
function functionFacts<Of extends Artifact>(
  form: HasParameters<Of>,
  artifact: Of,
  kernel: KernelSignature,
): Pick<FunctionFacts, "sources" | "prepare"> {
  const sources = sourcesOf(form.run(artifact), kernel);
  const prepare = form.prepared(artifact);
  return {
    ...(sources && { sources }),
    ...(prepare && { prepare: { taken: takenBy(prepare, kernel), results: resultsOf(prepare) } }),
  };
}

const nativeFacts = (artifact: NativeArtifact, kernel: KernelSignature): NativeFacts => ({
  url: () => pathToFileURL(artifact.path).href,
  index: 0,
  features: artifact.kernels[0]!.features,
  platform: `${process.platform}-${process.arch}`,
  ...functionFacts(ofKernels, artifact, kernel),
});

function webgpuFacts(artifact: WebgpuArtifact, kernel: KernelSignature): GpuFacts {
  const { source, packing } = artifact;
  const codeOf = ({ text, launches, scratch }: WgslSource): GpuCode => ({
    text,
    launches,
    scratch: scratch.map(({ bytes }) => bytes),
  });
  const sources = [source, ...(packing?.prepare ? [packing.prepare] : [])];
  const lanes = lanesFor(sources);
  const facts = functionFacts(ofSources, artifact, kernel);
  return { schedules: [{ code: sources.map(codeOf), ...(lanes && { lanes }), ...facts }] };
}

function cudaFacts(artifact: CudaArtifact, kernel: KernelSignature): CudaFacts {
  const codeOf = ({ ptx, cubin, launches, scratch }: CudaFunction): CudaCode => ({
    text: ptx,
    ...(cubin !== undefined && { cubin }),
    launches,
    scratch,
  });
  const { architecture, kernels } = artifact;
  return { architecture, code: kernels.map(codeOf), ...functionFacts(ofKernels, artifact, kernel) };
}
