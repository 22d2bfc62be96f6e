// A calibration kept on disk, a file a class of machines and toolchain: whoever has another one measures anew.

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import type { MachineModel } from "../cost-model/machine-model.ts";
import { integer, number, object, oneOf, ShapeError, text } from "./strict.ts";

export const calibrationSchema = 1;

export interface StoredCalibration {
  readonly schema: typeof calibrationSchema;
  readonly targetClass: string;
  readonly toolchain: string;
  /** Candidates that it was fitted to. */
  readonly samples: number;
  readonly machine: MachineModel;
}

/** No number of a machine is beyond these. */
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

const decodeCalibration = object<StoredCalibration>({
  schema: oneOf(calibrationSchema),
  targetClass: text(2000),
  toolchain: text(200),
  samples: integer(0, 1e6),
  machine: decodeMachine,
});

type Key = Pick<StoredCalibration, "targetClass" | "toolchain">;

const fileOf = (directory: string, { targetClass, toolchain }: Key): string =>
  join(directory, `calibration-${sha256(JSON.stringify([targetClass, toolchain])).slice(0, 16)}.json`);

/** Null: there is none for this machine and toolchain, or none that can be trusted. */
export function readCalibration(directory: string, key: Key): StoredCalibration | null {
  try {
    const stored = decodeCalibration(JSON.parse(readFileSync(fileOf(directory, key), "utf8")), []);
    return stored.targetClass === key.targetClass && stored.toolchain === key.toolchain ? stored : null;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing || error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Beside the file first, then renamed: readers see the old one or the new one. */
export function writeCalibration(directory: string, calibration: StoredCalibration): void {
  const file = fileOf(directory, calibration);
  const temporary = `${file}.${randomUUID()}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(temporary, `${JSON.stringify(calibration, null, 2)}\n`);
  renameSync(temporary, file);
}
