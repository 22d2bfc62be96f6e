// The limits of one core of this machine for a target, measured within a second: what a roofline is drawn with.

import type { Target } from "../../compiler/index.ts";
import { withMachineLock } from "../machine-lock.ts";
import { withPrivateDirectory } from "../private-directory.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import { nativeLimits } from "./native-limits.ts";
import { wasmLimits } from "./wasm-limits.ts";

export interface MachineLimits {
  /** 1e9 operations a second in f32, a multiplication and an addition being two. */
  readonly gflops: number;
  /** GB/s from memory. */
  readonly reading: number;
}

/**
 * Nothing else is measured meanwhile.
 *
 * @param toolchain null for WASM
 * @returns null where they could not be built
 */
export const measureLimits = (target: Target, toolchain: Toolchain | null): Promise<MachineLimits | null> =>
  withMachineLock("measure", {}, async () =>
    toolchain ? withPrivateDirectory((directory) => nativeLimits(target, toolchain, directory)) : wasmLimits(),
  );
