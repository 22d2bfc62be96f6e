// Facts of a machine kept on disk, a file for each class of machines and toolchain: another machine or toolchain measures anew.

import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { readRegularFile } from "../../native/file/regular-file.ts";
import { replaceFile } from "../../native/file/replace-file.ts";
import { type Decode, ShapeError, text } from "../support/strict.ts";

export interface MachineKey {
  readonly targetClass: string;
  readonly toolchain: string;
}

/** Decoders of a key, which is a part of what is stored. */
export const machineKey = { targetClass: text(2000), toolchain: text(200) };

export interface MachineFiles<Stored extends MachineKey> {
  /** Reads the facts. Null: there are none for this machine and toolchain, or none that can be trusted. */
  read(directory: string, key: MachineKey): Stored | null;
  /** Replaces the facts: readers see the old file or the new one. Throws what the file system throws. */
  write(directory: string, stored: Stored): void;
}

/** @param kind prefix of the files' names */
export function machineFiles<Stored extends MachineKey>(kind: string, decode: Decode<Stored>): MachineFiles<Stored> {
  const fileOf = (directory: string, { targetClass, toolchain }: MachineKey): string =>
    join(directory, `${kind}-${sha256(JSON.stringify([targetClass, toolchain])).slice(0, 16)}.json`);
  return {
    read(directory, key) {
      try {
        const stored = decode(JSON.parse(readRegularFile(fileOf(directory, key)).toString("utf8")), []);
        return stored.targetClass === key.targetClass && stored.toolchain === key.toolchain ? stored : null;
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        if (isMissing || error instanceof ShapeError || error instanceof SyntaxError) return null;
        throw error;
      }
    },
    write: (directory, stored) => replaceFile(fileOf(directory, stored), `${JSON.stringify(stored, null, 2)}\n`),
  };
}
