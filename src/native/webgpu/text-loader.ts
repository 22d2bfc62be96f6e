// Texts for WebGPU in the measuring process: compiled by Dawn without a GPU, and not run. Bundled to a module of its own, which that process
// imports where a runnable names it: a compiler that crashes costs no build.

import type { WgslSource } from "../../compiler/index.ts";
import type { DeviceKernel, RunnableLoader } from "../runner/loader.ts";
import type { Runnable } from "../runner/protocol.ts";
import { createValidator, type WgslValidator } from "./validate.ts";

export interface WgslText extends Runnable, Pick<WgslSource, "text" | "launches"> {
  readonly kind: "wgsl-text";
  /** File of the package `webgpu`. */
  readonly dawn: string;
}

/** A kernel of no arguments that does nothing: what there was to find out was so when it was loaded. */
const nothing: DeviceKernel = {
  clock: "device",
  isExact: true,
  arrays: [],
  upload: () => undefined,
  time: () => 1,
  download: () => undefined,
};

let validator: Promise<WgslValidator | null> | null = null;

export const loader: RunnableLoader<WgslText> = {
  kind: "wgsl-text",
  async load({ text, launches, dawn }) {
    validator ??= createValidator({ path: dawn });
    const validate = await validator;
    const wrong = await validate?.({ text, launches });
    if (wrong) throw new Error(wrong);
    return nothing;
  },
};
