// Outcomes of building the target's own twin.

import type { ScheduleFacts } from "../built-kernel.ts";
import type { ForeignTwin, NativeTwin, WebgpuTwin } from "../twin.ts";

export interface BuiltTwin {
  readonly kind: "built";
  readonly twin: NativeTwin | ForeignTwin | WebgpuTwin;
  readonly facts: ScheduleFacts;
  readonly compilerRuns: number;
}

export type TwinResult =
  | BuiltTwin
  | { readonly kind: "no-compiler" }
  /** Its back end names no module that opens its kernels. */
  | { readonly kind: "no-binding" }
  /** The schedule does not lead to its source. */
  | { readonly kind: "stale" };
