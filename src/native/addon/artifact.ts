// A built kernel on disk or in memory, and what it is for a GPU: code that a driver compiles. Stage 8.

import type {
  CSource,
  CudaLaunch,
  KernelParameter,
  Numerics,
  Parameters,
  WasmSource,
  WgslSource,
} from "../../compiler/index.ts";

/**
 * Constant inputs of a kernel, by name, and the kernel that runs once to bring them into the form that the main kernel
 * takes.
 */
export interface Packing<Prepare> {
  readonly constants: readonly string[];
  /** Preparing kernel; null: the main kernel takes the constant inputs as they are. */
  readonly prepare: Prepare | null;
}

/** Describes a loaded kernel, where its artifact was built from an operator. */
export interface ArtifactInfo {
  readonly op: string;
  readonly parameters: Parameters;
  readonly target: string;
  readonly numerics: Numerics;
  /** The schedule as text. */
  readonly schedule: string | null;
}

/** A Node-API addon file holding one or more kernels, addressed by index. */
export interface NativeArtifact {
  readonly kind: "native";
  /** Absolute path of the `.node` file. */
  readonly path: string;
  readonly kernels: readonly CSource[];
  /** The preparation of the first kernel, by index. */
  readonly packing?: Packing<number>;
  readonly info?: ArtifactInfo;
}

export interface WasmArtifact {
  readonly kind: "wasm";
  readonly source: WasmSource;
  readonly packing?: Packing<WasmSource>;
  readonly info?: ArtifactInfo;
}

/** Code for GPUs behind WebGPU. */
export interface WebgpuArtifact extends BesideTwin {
  readonly kind: "webgpu";
  readonly source: WgslSource;
  readonly packing?: Packing<WgslSource>;
}

/** Code for NVIDIA's GPUs, as texts that can be kept anywhere. */
export interface CudaArtifact extends BesideTwin {
  readonly kind: "cuda";
  /** Architecture of the GPUs that run it: "sm_80" and later ones, "sm_90a" alone. */
  readonly architecture: string;
  /** The kernel, then what prepares its constants, if anything does. */
  readonly kernels: readonly (CudaFunction & { readonly parameters: readonly KernelParameter[] })[];
  /** The preparation of the first kernel, by index. */
  readonly packing?: Packing<number>;
}

/** Code of one function: an entry point a launch, whose arguments are the addresses of all parameters, then of scratch memory. */
export interface CudaFunction {
  /** Virtual machine code, which drivers compile for GPUs of the architecture and for later ones. */
  readonly ptx: string;
  /**
   * Machine code in base64, which GPUs of the architecture run as it is: the compiler is that of the tuning, and the driver has none to do. Absent:
   * there was no compiler.
   */
  readonly cubin?: string;
  readonly launches: readonly CudaLaunch[];
  /** Bytes of each scratch array. */
  readonly scratch: readonly number[];
}

interface BesideTwin {
  /** Kernel that answers calls, and those of `async` where no GPU does; null: there is none. */
  readonly twin: WasmArtifact | null;
  readonly info?: ArtifactInfo;
}

/** A kernel for the CPU, which the measuring process runs. */
export type CpuArtifact = NativeArtifact | WasmArtifact;

export type GpuArtifact = WebgpuArtifact | CudaArtifact;

export type Artifact = CpuArtifact | GpuArtifact;
