// A calibration kept on disk.

import type { MachineModel } from "../prior/machine-model.ts";
import { type Decode, integer, number, object, oneOf } from "../support/strict.ts";
import { type MachineFiles, type MachineKey, machineFiles, machineKey } from "./machine-file.ts";

export const calibrationSchema = 1;

export interface StoredCalibration extends MachineKey {
  readonly schema: typeof calibrationSchema;
  /** Number of candidates that it was fitted to. */
  readonly samples: number;
  readonly machine: MachineModel;
}

/** Bounds of a machine's numbers: none is beyond these. */
const amount = number(1e-6, 1e9);

const decodeMachine = object<MachineModel>({
  clockGhz: amount,
  arithmeticPerCycle: amount,
  loadsPerCycle: amount,
  instructionsPerCycle: amount,
  arithmeticLatency: amount,
  l2BytesPerCycle: amount,
  l3BytesPerCycle: amount,
  memoryBytesPerCycle: amount,
  packBytesPerCycle: amount,
  cyclesPerParallelTask: amount,
  loadsPerSpill: amount,
  visibleShare: amount,
  cyclesPerIteration: amount,
  shortBody: amount,
  growth: amount,
});

export const decodeCalibration: Decode<StoredCalibration> = object<StoredCalibration>({
  schema: oneOf(calibrationSchema),
  ...machineKey,
  samples: integer(0, 1e6),
  machine: decodeMachine,
});

export const calibrationFiles: MachineFiles<StoredCalibration> = machineFiles("calibration", decodeCalibration);
