// Assigns each buffer of a function its memory in C: the caller's arrays, the workspace at constant offsets, or the
// stack. All threads share one workspace; behind it each thread has another for itself.

import { byteSize } from "../../expr/dtype.ts";
import { isParameter } from "../../ir/buffer.ts";
import type { Buffer } from "../../ir/loop-ir.ts";
import type { Program } from "../../launch/program.ts";
import { product } from "../../support/integer-math.ts";

export interface BufferPlace {
  readonly buffer: Buffer;
  readonly place:
    | { readonly kind: "argument"; readonly index: number }
    | { readonly kind: "workspace"; readonly offset: number }
    /** Offset in the workspace that each thread has of its own. */
    | { readonly kind: "slot"; readonly offset: number }
    | { readonly kind: "stack" };
}

export interface WorkspaceLayout {
  readonly placements: readonly BufferPlace[];
  /** Bytes of scratch memory that the kernel wants. */
  readonly workspaceBytes: number;
  /** Bytes of the part of the workspace that all threads share, and (`slotBytes`) of each thread's own part. */
  readonly sharedBytes: number;
  readonly slotBytes: number;
}

/** Register buffers that were not turned into locals go to the stack up to this size: 256 zmm registers, and half of L1. */
const stackBytes = 16384;

const align64 = (bytes: number): number => Math.ceil(bytes / 64) * 64;

export const lengthOf = ({ shape }: Buffer): number => product(shape);
export const bytesOf = (buffer: Buffer): number => lengthOf(buffer) * byteSize[buffer.dtype];

export function layoutOf(buffers: readonly Buffer[], { own, threads }: Program): WorkspaceLayout {
  const placements: BufferPlace[] = [];
  let [index, offset, slotOffset] = [0, 0, 0];
  for (const buffer of buffers) {
    if (isParameter(buffer)) {
      placements.push({ buffer, place: { kind: "argument", index: index++ } });
    } else if (buffer.memory === "register" && bytesOf(buffer) <= stackBytes) {
      placements.push({ buffer, place: { kind: "stack" } });
    } else if (own.has(buffer.name)) {
      placements.push({ buffer, place: { kind: "slot", offset: slotOffset } });
      slotOffset += align64(bytesOf(buffer));
    } else {
      placements.push({ buffer, place: { kind: "workspace", offset } });
      offset += align64(bytesOf(buffer));
    }
  }
  return {
    placements,
    workspaceBytes: offset + slotOffset * threads,
    sharedBytes: offset,
    slotBytes: slotOffset,
  };
}
