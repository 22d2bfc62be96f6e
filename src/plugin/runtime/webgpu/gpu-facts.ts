// Data about a kernel's code for WebGPU in its emitted module. The plugin writes it (binding/twin/webgpu.ts), the files beside this one
// read it.

import type { GpuClass, WgslLaunch } from "../../../compiler/index.ts";
import type { FunctionFacts } from "../facts.ts";

/** Code of one function: a text with an entry point a launch. `@group(0) @binding(n)` is parameter `n`, behind the last one scratch memory. */
export interface GpuCode {
  readonly text: string;
  readonly launches: readonly WgslLaunch[];
  /** Bytes of each scratch array. */
  readonly scratch: readonly number[];
}

/** One schedule of a kernel. */
export interface GpuSchedule extends Pick<FunctionFacts, "sources" | "prepare"> {
  /** Classes of GPUs on which it was the fastest that was measured; absent: it was on none. */
  readonly gpus?: readonly GpuClass[];
  /** The kernel, then what prepares constants. */
  readonly code: readonly GpuCode[];
}

export interface GpuFacts {
  /** The one for all comes first. */
  readonly schedules: readonly [GpuSchedule, ...GpuSchedule[]];
}

/** Schedules that may be the best on an adapter: that of its class, else all, of which none is known to be. */
export function schedulesFor({ schedules }: GpuFacts, gpu: GpuClass | null): readonly GpuSchedule[] {
  const own = schedules.find((schedule) => gpu !== null && schedule.gpus?.includes(gpu));
  return own ? [own] : schedules;
}
