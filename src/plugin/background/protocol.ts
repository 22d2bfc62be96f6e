// Messages between a dev server and the process that tunes for it.

import type { Diagnostic } from "../../compiler/index.ts";
import type { Access } from "../../native/network/page-listener.ts";
import type { TuneProgress } from "../../tuner/tuning/tuning.ts";
import type { KernelRequest } from "../kernel/kernel-request.ts";
import type { CompileOptions } from "../options/options.ts";

interface Order {
  readonly id: number;
  readonly options: CompileOptions;
}

/** Tunes a kernel on this machine. */
export interface TuneOrder extends Order {
  readonly kind: "tune";
  readonly request: KernelRequest;
}

/** Has the browser of a visiting page tune kernels for the class of its GPU. */
export interface VisitOrder extends Order {
  readonly kind: "visit";
  readonly requests: readonly KernelRequest[];
  readonly access: Access;
}

export type TunerOrder = TuneOrder | VisitOrder;

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
  /** A page is waited for at a pipe. */
  | { readonly kind: "listening"; readonly id: number; readonly pipe: string }
  /** Lock and store have what there is to be had. `decided`: places of the requests that have a new decision. */
  | { readonly kind: "done"; readonly id: number; readonly decided: readonly number[] }
  | { readonly kind: "failed"; readonly id: number; readonly diagnostic: Diagnostic };
