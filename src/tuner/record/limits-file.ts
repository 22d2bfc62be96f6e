// The measured limits of a machine, kept on disk.

import { type MachineLimits, type Rates, type ReadingSpeed, rateNames } from "../../native/limits/machine-limits.ts";
import { type Decode, integer, list, nullable, number, object, oneOf } from "../support/strict.ts";
import { type MachineFiles, type MachineKey, machineFiles, machineKey } from "./machine-file.ts";

export const limitsSchema = 2;

export interface StoredLimits extends MachineLimits, MachineKey {
  readonly schema: typeof limitsSchema;
}

/** Bounds of a limit: no core does more. */
const amount = number(1e-6, 1e9);

const rates = Object.fromEntries(rateNames.map((name) => [name, nullable(amount)])) as {
  readonly [K in keyof Rates]: Decode<number | null>;
};

export const decodeLimits: Decode<StoredLimits> = object<StoredLimits>({
  schema: oneOf(limitsSchema),
  ...machineKey,
  rates: object<Rates>(rates),
  reading: list(object<ReadingSpeed>({ bytes: integer(1, 2 ** 40), speed: amount }), 64),
});

export const limitsFiles: MachineFiles<StoredLimits> = machineFiles("limits", decodeLimits);
