// Data about a kernel's code for WebGPU in its emitted module. The plugin writes it (binding/twin/webgpu.ts), the files beside this one
// read it.

import type { WgslLaunch } from "../../../compiler/index.ts";
import type { FunctionFacts } from "../facts.ts";

/** Code of one function: a text with an entry point a launch. `@group(0) @binding(n)` is parameter `n`, behind the last one scratch memory. */
export interface GpuCode {
  readonly text: string;
  readonly launches: readonly WgslLaunch[];
  /** Bytes of each scratch array. */
  readonly scratch: readonly number[];
}

export interface GpuFacts extends Pick<FunctionFacts, "sources" | "prepare"> {
  /** The kernel, then what prepares constants. */
  readonly code: readonly GpuCode[];
  /** Features that the device is asked for: "shader-f16". */
  readonly features: readonly string[];
}
