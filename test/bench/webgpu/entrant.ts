// Who competes on a GPU: a kernel of ours or a library, opened for one work.

import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../peers/work.ts";

export interface OpenedOnGpu {
  /** Records and submits so many runs; what they compute may not be there yet. */
  submit(runs: number): Promise<void>;
  /** Result of the last run, in our operator's layout. */
  result(): Promise<KernelArray>;
  close(): void;
}

export interface GpuPeer {
  readonly name: string;
  readonly version: string;
  /** Null: it has no such call. */
  open(call: PeerCall, inputs: readonly KernelArray[]): Promise<OpenedOnGpu | null>;
}
