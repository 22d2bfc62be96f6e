// Messages between a dev server and the process that tunes for it.

import type { Diagnostic } from "../../compiler/index.ts";
import type { TuneProgress } from "../../tuner/tuning/tuning.ts";
import type { CompileOptions, KernelRequest } from "../kernel/compiled-kernel.ts";

export interface TuneOrder {
  readonly id: number;
  readonly request: KernelRequest;
  readonly options: CompileOptions;
}

export type FromTuner =
  | { readonly kind: "ready" }
  | { readonly kind: "line"; readonly id: number; readonly level: "debug" | "info" | "warn"; readonly line: string }
  | {
      readonly kind: "progress";
      readonly id: number;
      readonly kernel: string;
      readonly flops: number;
      readonly progress: TuneProgress;
    }
  /** Lock and store have what there is to be had. */
  | { readonly kind: "done"; readonly id: number; readonly isDecided: boolean }
  | { readonly kind: "failed"; readonly id: number; readonly diagnostic: Diagnostic };
