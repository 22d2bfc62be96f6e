// A schedule as data: a list of instructions that the primitives replay on the naive loop nest. Stages 3 and 5.
//
// A template is the same list with tunables where a concrete trace has numbers, and instructions that hold only under
// a decision. Instructions name loops and blocks by their names, which the primitives derive from their arguments
// (splitting `C.i` gives `C.i.0`, `C.i.1`, …), so a trace needs no result handles.

import type { DType } from "../expr/dtype.ts";
import type { TailStrategy, ThreadAxis } from "../ir/loop-ir.ts";

/** A dimension of a packed layout: a whole dimension of the operand, or one half of it cut into tiles. */
export interface LayoutDim<N> {
  readonly dim: number;
  readonly part: "whole" | "outer" | "inner";
  /** Elements of one tile: for `outer` and `inner`; 1 for `whole`. */
  readonly tile: N;
}

/** The reads of one block that differ by constants only: X[k, i] and X[k, i + 1], but not X[k, j]. */
export interface CopiedReads {
  readonly block: string;
  /** The indices over the axes of the block, without constants, as `readPattern` gives them. */
  readonly pattern: string;
  /** Name of the copy. */
  readonly copy: string;
}

/**
 * "perfect": the factors divide the extent, which is checked. "shift": the last tile is moved inwards, and computes some
 * elements again.
 */
/** Storage scope that an instruction names. Those of parameters are refused: no buffer becomes one. */
export type StorageScope = "input" | "output" | "workspace" | "group" | "register";

export type SplitTail = TailStrategy | "perfect" | "shift";

/** Arguments of each primitive; N is `number` in a concrete trace and `Operand` in a template. */
export interface InstructionArgs<N> {
  /** loop → factors.length loops named loop.0 (outermost), loop.1, …; one factor may be 0: it is inferred (rounded up). */
  readonly split: { readonly loop: string; readonly factors: readonly N[]; readonly tail: SplitTail };
  /** Two nested loops, nothing between them → one, named `outer+inner`. */
  readonly fuse: { readonly outer: string; readonly inner: string };
  /** Loops of one chain, in the order wanted; the positions that they take are those that they had together. */
  readonly reorder: { readonly loops: readonly string[] };
  /** Cuts a loop before the iterations `at` (ascending) into loops named loop@0, loop@1, …; what is inside is named alike. */
  readonly "loop-partition": { readonly loop: string; readonly at: readonly N[] };
  /** Two loops of one extent, the second right after the first → one, named as the first. */
  readonly "merge-loops": { readonly first: string; readonly second: string };
  /** Writes the body out once an iteration; with `depth` it stays a loop, which the C compiler is asked to unroll. */
  readonly unroll: { readonly loop: string; readonly depth?: N };
  readonly vectorize: { readonly loop: string };
  /** Gives the iterations to the threads of a GPU's grid. */
  readonly bind: { readonly loop: string; readonly axis: ThreadAxis };
  /** Leaves a word at the loop for the code generators. */
  readonly annotate: { readonly loop: string; readonly key: string; readonly value: N };
  /** At each iteration of the loop, asks for the cache lines of `buffer` that the iteration `distance` ahead touches. */
  readonly prefetch: { readonly buffer: string; readonly loop: string; readonly distance: N };
  /** Threads share the iterations; null: those of every outermost loop whose iterations are independent. */
  readonly parallel: { readonly loop: string | null };
  /** Moves the producer block under a loop of its consumers; it computes just the region that they read there. */
  readonly "compute-at": { readonly block: string; readonly loop: string };
  /** Moves the consumer block under a loop of its producer; it computes just what is complete after an iteration. */
  readonly "reverse-compute-at": { readonly block: string; readonly loop: string };
  /** Puts the expression of a map block in place of every read of it. */
  readonly inline: { readonly block: string };
  /** Puts a map block's expression into the store of the block that it reads, its only producer, and drops the block. */
  readonly "reverse-inline": { readonly block: string };
  /** Copies what the loop's body reads of `buffer` into `buffer.pack`, laid out as `layout` says, before the body. */
  readonly "cache-read": {
    readonly buffer: string;
    readonly loop: string;
    readonly layout: readonly LayoutDim<N>[];
    /** Some of the reads only, and a copy with a name of its own; absent: all of them. */
    readonly reads?: CopiedReads;
  };
  /** Gathers what the loop's body adds up into `block.acc` (scope) and writes it back after the body. */
  readonly "cache-write": { readonly block: string; readonly loop: string; readonly scope: StorageScope };
  /** Moves the initialisation of a reduction into a block of its own, before `loop`. */
  readonly "decompose-reduction": { readonly block: string; readonly loop: string };
  /** Keeps the partial results of each iteration of a reduce loop apart in `block.rf`, and reduces those at the end. */
  readonly rfactor: { readonly loop: string };
  /** Computes what a reduction takes in as a stage `block.element`, for itself and for all that compute the same. */
  readonly "share-element": { readonly block: string };
  /** The loop and those inside it become what the intrinsic computes. */
  readonly tensorize: { readonly loop: string; readonly intrinsic: string };
  /** Gives a local buffer elements of another type, which holds all values of its own: i8 → i16. */
  readonly "set-dtype": { readonly buffer: string; readonly dtype: DType };
  /** Loop that the storage of a buffer lives in (null: the root), and the values that one iteration of its producer leaves to the next. */
  readonly "hoist-storage": {
    readonly buffer: string;
    readonly loop: string | null;
    readonly reuse: "none" | "slide" | "fold";
  };
  /** All that is written and read of a buffer moves; an input is copied into the layout first, as `buffer.layout`. */
  readonly "transform-layout": { readonly buffer: string; readonly layout: readonly LayoutDim<N>[] };
  /** Rounds the extents of the block's axes up to multiples (1: as it is), with operands padded by neutral values. */
  readonly pad: { readonly block: string; readonly multiples: readonly N[] };
  /** Elements of dimension `dim` become k·factor + offset elements apart. */
  readonly "storage-align": {
    readonly buffer: string;
    readonly dim: number;
    readonly factor: N;
    readonly offset: N;
  };
  /** Two copies of a pack alternate: the next tile is packed before the current one is used. */
  readonly "double-buffer": { readonly buffer: string };
  readonly "set-scope": { readonly buffer: string; readonly scope: StorageScope };
}

export type InstructionKind = keyof InstructionArgs<number>;

export type InstructionOf<K extends InstructionKind, N = number> = { readonly kind: K } & InstructionArgs<N>[K];
export type Instruction<N = number> = { [K in InstructionKind]: InstructionOf<K, N> }[InstructionKind];
export type Trace = readonly Instruction[];

/** A number that is known, or the value of a tunable, perhaps times a constant: vectors of a tile × lanes. */
export type Operand = number | { readonly tunable: string; readonly times?: number };

/** The tunable has one of the values. */
export interface Condition {
  readonly tunable: string;
  readonly oneOf: readonly number[];
}

/** An instruction that is part of the schedule only where all conditions hold. */
export interface TemplateInstruction {
  readonly instruction: Instruction<Operand>;
  readonly when: readonly Condition[];
}

/** Values of the tunables by name: a point of a space. Stage 4. */
export type Assignment = Readonly<Record<string, number>>;
