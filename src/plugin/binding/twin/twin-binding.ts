// The contract of a twin's binding: what files it comes with, and what the emitted module says of it.

import type { GpuVariant } from "../../kernel/compiled-kernel.ts";
import type { KernelTwin } from "../../kernel/twin.ts";
import type { KernelFacts, NativeFacts } from "../../runtime/facts.ts";
import type { AssetReferences, KernelAsset } from "../asset.ts";
import type { Expression, Written } from "../literal.ts";
import type { KernelSignature } from "../parameters.ts";

/** Place of a twin in the module that is written. */
export interface TwinPlace {
  /** Tensors and constants of the kernel. */
  readonly signature: KernelSignature;
  /** Addresses of the files, where they have any. */
  readonly references: AssetReferences;
  /** Name by which the module has imported the script of workers. */
  readonly workerText: string;
  /** Schedules for classes of GPUs. */
  readonly gpuVariants: readonly GpuVariant[];
  /** Whether code that is text is as its generator prints it; else it is as short as it can be. */
  readonly isReadable: boolean;
}

/** A name that the module imports. */
export interface ModuleImport {
  readonly name: string;
  /** Absolute path of the module. */
  readonly from: string;
}

/** Facts of a twin, by their name in the runtime: an addon is one of several. */
type TwinFacts = Exclude<Written<Pick<KernelFacts, "wasm" | "foreign" | "loops">>, Expression> & {
  readonly native?: readonly [Written<NativeFacts>];
};

/** Facts of a twin, and the runtime's function that opens it. */
export interface WrittenTwin {
  readonly kind: "written";
  readonly facts: TwinFacts;
  readonly implementation: ImplementationName;
  readonly imports?: readonly ModuleImport[];
}

/** Facts of what answers calls off the event loop, beside the twin that answers all others. */
export interface WrittenBeside {
  readonly kind: "beside";
  /** The runtime's function that makes such a kernel. */
  readonly create: "createGpuKernel" | "createCudaKernel" | "withoutCuda";
  /** The file of the runtime that has the function. Absent: the one that all kernels share. */
  readonly from?: "cuda";
  /** Code for the GPU; null: the build made none. Absent: the function takes none. */
  readonly gpu?: Written<object> | null;
}

/** An implementation in the runtime, by its name there. */
export type ImplementationName = "native" | "wasm" | "wasmOnThreads" | "foreign" | "loops";

/** The platform of the module has no use for the twin. */
export interface AbsentTwin {
  readonly kind: "absent";
  readonly reason: string;
}

export interface TwinBinding<Twin extends KernelTwin> {
  /** Whether pages can run it. */
  readonly runsInBrowsers: boolean;
  /** Every binary that it comes with. */
  assets(twin: Twin, op: string): readonly KernelAsset[];
  write(twin: Twin, place: TwinPlace): WrittenTwin | WrittenBeside | AbsentTwin;
}
