// Data about a kernel's code for WebGPU in its emitted module. The plugin writes it (binding/twin/webgpu.ts), the files beside this one
// read it.

import { type GpuKind, gpuClassOf, gpuKindOf, type WgslLaunch } from "../../../compiler/index.ts";
import { isSoftware, subgroupLanesOf } from "../../../native/webgpu/adapter-name.ts";
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
  /** Kinds of GPUs on which it was the fastest that was measured; absent: it was on none. */
  readonly gpus?: readonly GpuKind[];
  /** Threads that subgroups have to have at the least; absent: it needs none. */
  readonly lanes?: number;
  /** The kernel, then what prepares constants. */
  readonly code: readonly GpuCode[];
}

export interface GpuFacts {
  /** The one for all comes first. */
  readonly schedules: readonly [GpuSchedule, ...GpuSchedule[]];
}

/** Schedules that may be the best on a device: that of its kind, or of its class, else all that it can run, of which none is known to be. */
export function schedulesFor({ schedules }: GpuFacts, device: GPUDevice): readonly GpuSchedule[] {
  const lanes = subgroupLanesOf(device);
  const info = device.adapterInfo as GPUAdapterInfo | undefined;
  const able = schedules.filter((schedule) => (schedule.lanes ?? 0) <= lanes);
  const gpu = info ? gpuClassOf(info.vendor, isSoftware(info)) : null;
  const kinds = gpu ? [gpuKindOf(gpu, lanes), gpu] : [];
  const own = kinds.map((kind) => able.find(({ gpus }) => gpus?.includes(kind))).find((it) => it !== undefined);
  return own ? [own] : able;
}
