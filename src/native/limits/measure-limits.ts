// Measures the limits of one core of this machine for a target, within a second.

import type { CpuTarget } from "../../compiler/index.ts";
import { withPrivateDirectory } from "../file/private-directory.ts";
import { createMeasureLock } from "../lock/measure-lock.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import type { MachineLimits } from "./machine-limits.ts";
import { nativeLimits } from "./native-limits.ts";
import { wasmLimits } from "./wasm-limits.ts";

/**
 * Measures the limits. Nothing else is measured meanwhile.
 *
 * @param toolchain null for WASM
 * @returns the limits, or null where the probes could not be built
 */
export const measureLimits = (target: CpuTarget, toolchain: Toolchain | null): Promise<MachineLimits | null> =>
  createMeasureLock({ directory: null, onNotice: () => undefined }).alone(async () =>
    toolchain ? withPrivateDirectory((directory) => nativeLimits(target, toolchain, directory)) : wasmLimits(),
  );
