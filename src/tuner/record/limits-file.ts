// The measured limits of a machine, kept on disk: a file a class of machines and toolchain.

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import type { MachineLimits } from "../../native/limits/machine-limits.ts";
import { number, object, oneOf, ShapeError, text } from "./strict.ts";

export const limitsSchema = 1;

export interface StoredLimits extends MachineLimits {
  readonly schema: typeof limitsSchema;
  readonly targetClass: string;
  readonly toolchain: string;
}

/** No core does more. */
const amount = number(1e-6, 1e9);

const decodeLimits = object<StoredLimits>({
  schema: oneOf(limitsSchema),
  targetClass: text(2000),
  toolchain: text(200),
  gflops: amount,
  reading: amount,
});

type Key = Pick<StoredLimits, "targetClass" | "toolchain">;

const fileOf = (directory: string, { targetClass, toolchain }: Key): string =>
  join(directory, `limits-${sha256(JSON.stringify([targetClass, toolchain])).slice(0, 16)}.json`);

/** Null: there are none of this machine and toolchain, or none that can be trusted. */
export function readLimits(directory: string, key: Key): StoredLimits | null {
  try {
    const stored = decodeLimits(JSON.parse(readFileSync(fileOf(directory, key), "utf8")), []);
    return stored.targetClass === key.targetClass && stored.toolchain === key.toolchain ? stored : null;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing || error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Beside the file first, then renamed: readers see the old one or the new one. Throws what the file system throws. */
export function writeLimits(directory: string, limits: StoredLimits): void {
  const file = fileOf(directory, limits);
  const temporary = `${file}.${randomUUID()}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(temporary, `${JSON.stringify(limits)}\n`);
  renameSync(temporary, file);
}
