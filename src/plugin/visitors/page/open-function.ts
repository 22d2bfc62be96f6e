// A function of a candidate as the page runs it, whatever its code is. Types only.

import type { JobTensor } from "../messages.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A function with its arrays in place. */
export interface OpenFunction {
  write(tensor: JobTensor, bytes: Bytes): void;
  read(tensor: JobTensor): Promise<Bytes>;
  /** Runs it so many times. Resolves when all are done. */
  run(count: number): Promise<void>;
  close(): void;
}
