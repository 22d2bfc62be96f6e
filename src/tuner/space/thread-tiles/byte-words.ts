// Words of bytes along the depth of a sum, and the instruction that takes two of them: its loops.

import { type Instruction, type Operand, wordElements } from "../../../compiler/index.ts";

export interface ByteDot {
  /** Name of the intrinsic. */
  readonly intrinsic: string;
  /** Operations of a call, its sum among them. */
  readonly operations: number;
  /** The loop that is cut into words, and the one over the elements of a word. */
  readonly cut: string;
  readonly elements: string;
}

type Instructions = readonly Instruction<Operand>[];

/** Cuts the depth into words. */
export const cutWords = (dot: ByteDot | null): Instructions =>
  dot ? [{ kind: "split", loop: dot.cut, factors: [0, wordElements], tail: "perfect" }] : [];

/** The elements of a word become an instruction, once their sum is in a register. */
export const takeWords = (dot: ByteDot | null): Instructions =>
  dot ? [{ kind: "tensorize", loop: dot.elements, intrinsic: dot.intrinsic }] : [];

/** Elements of a sum's depth that a thread takes at once. */
export const atOnceIn = (dot: ByteDot | null): number => (dot ? wordElements : 1);
