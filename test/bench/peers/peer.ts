// A library that our kernels are held against. What it computes is checked and timed as if it were a candidate.

import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import type { NpmPeer } from "./npm/npm-peer.ts";
import type { PeerCall } from "./work.ts";

export interface Peer {
  readonly name: string;
  readonly version: string;
  /** Kernels that it chose for this CPU and for the call that is open, as it names them; null: it does not say. */
  chosen(): string | null;
  /**
   * Makes a call ready on these arrays, inputs before the output, and closes the one before it. Null: it has no such call.
   * The function returned takes a number of runs and gives the nanoseconds of all of them together.
   */
  open(call: PeerCall, arrays: readonly KernelArray[]): ((runs: number) => number) | null;
  close(): void;
}

/** A library that was looked for. */
export type Found =
  | { readonly kind: "found"; readonly peer: Peer }
  | { readonly kind: "found in npm"; readonly peer: NpmPeer }
  /** `remedy`: how to get it. */
  | { readonly kind: "missing"; readonly name: string; readonly remedy: string };

export interface PeerOptions {
  /** Folder for compiled files. */
  readonly directory: string;
  readonly threads: number;
}
