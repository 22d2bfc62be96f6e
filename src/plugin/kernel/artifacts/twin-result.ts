// Outcomes of building the target's own twin.

import type { ScheduleFacts } from "../built-kernel.ts";
import type { CudaTwin, ForeignTwin, NativeTwin, WebgpuTwin } from "../twin.ts";

export interface BuiltTwin {
  readonly kind: "built";
  readonly twin: NativeTwin | ForeignTwin | WebgpuTwin | CudaTwin;
  readonly facts: ScheduleFacts;
  readonly compilerRuns: number;
}

export type TwinResult =
  | BuiltTwin
  | { readonly kind: "no-compiler" }
  /** A compiler that never runs it says that its text is wrong. */
  | { readonly kind: "refused"; readonly why: string }
  /** Its back end names no module that opens its kernels. */
  | { readonly kind: "no-binding" }
  /** The schedule does not lead to its source. */
  | { readonly kind: "stale" };
