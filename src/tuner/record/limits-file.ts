// The measured limits of a machine, kept on disk.

import type { MachineLimits } from "../../native/limits/machine-limits.ts";
import { type MachineFiles, type MachineKey, machineFiles, machineKey } from "./machine-file.ts";
import { number, object, oneOf } from "./strict.ts";

export const limitsSchema = 1;

export interface StoredLimits extends MachineLimits, MachineKey {
  readonly schema: typeof limitsSchema;
}

/** No core does more. */
const amount = number(1e-6, 1e9);

const decodeLimits = object<StoredLimits>({
  schema: oneOf(limitsSchema),
  ...machineKey,
  gflops: amount,
  reading: amount,
});

export const limitsFiles: MachineFiles<StoredLimits> = machineFiles("limits", decodeLimits);
