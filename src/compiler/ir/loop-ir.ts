// The loop IR: what a schedule transforms and what the code generators print. Discriminated unions, never mutated.
//
// The loop IR has three forms, one type for all, told apart by `verify`:
//   scheduled  loops over blocks; multi-dimensional accesses; what the primitives rewrite
//   lowered    no blocks: explicit conditions, vectors and locals; what the passes produce step by step
//   flat       as lowered, and every access has exactly one index, in elements; what the code generators read

import type { DType } from "../expr/dtype.ts";
import type { BinaryOp, UnaryOp } from "../expr/scalar-expr.ts";
import type { IntrinsicTexts } from "./intrinsic-text.ts";

/** Types of the loop IR. i64 exists only here: the bit patterns of f64 in the expansion of exp, log and friends. */
export type IrType = DType | "i64";

/** Operators of the loop IR: bit operations (i32 and i64 only) join the user's operators. `shr` keeps the sign. */
export type IrBinaryOp = BinaryOp | "shl" | "shr" | "bitAnd" | "bitOr" | "bitXor";

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Const {
  readonly kind: "const";
  readonly dtype: IrType;
  /** Any number that `dtype` holds; an i64 constant is limited to ±2^53. */
  readonly value: number;
}

/** A loop variable, or inside a block one of its axes. Always i32. */
export interface Var {
  readonly kind: "var";
  readonly dtype: "i32";
  readonly name: string;
}

/** A scalar or vector that `define` introduced. */
export interface Local {
  readonly kind: "local";
  readonly dtype: IrType;
  readonly lanes: number;
  readonly name: string;
}

/**
 * Reads a buffer. With a `ramp` as its last index it gives a vector. `active`, if not null, is a scalar i32: only that
 * many leading lanes are read (≤ 0: none, ≥ lanes: all), the others are 0.
 */
export interface Load {
  readonly kind: "load";
  readonly dtype: IrType;
  readonly buffer: string;
  readonly indices: readonly Expr[];
  readonly active: Expr | null;
}

export interface Unary {
  readonly kind: "unary";
  readonly dtype: IrType;
  readonly op: UnaryOp;
  readonly operand: Expr;
}

/** An operator of two operands, which have the same type and lanes. Comparisons give bool. Integer arithmetic wraps. */
export interface Binary {
  readonly kind: "binary";
  readonly dtype: IrType;
  readonly op: IrBinaryOp;
  readonly left: Expr;
  readonly right: Expr;
}

/**
 * A choice. With a scalar condition only the chosen side is evaluated; with a vector condition both are (verify checks that
 * neither can leave its buffer), lane by lane.
 */
export interface Select {
  readonly kind: "select";
  readonly dtype: IrType;
  readonly condition: Expr;
  readonly then: Expr;
  readonly else: Expr;
}

/** Converts the value. Float → integer truncates towards zero and saturates, NaN gives 0; integer → narrower wraps. */
export interface Cast {
  readonly kind: "cast";
  readonly dtype: IrType;
  readonly operand: Expr;
}

/** The same bits as another type: f32 ↔ i32, f64 ↔ i64. */
export interface Bitcast {
  readonly kind: "bitcast";
  readonly dtype: IrType;
  readonly operand: Expr;
}

/**
 * The value of a local in another thread of the subgroup, whose coordinate along x differs by `mask`, bit by bit. All threads of a
 * group evaluate a shuffle together. A shuffle is the whole value of a `define`, and stands only in functions of threads.
 */
export interface Shuffle {
  readonly kind: "shuffle";
  readonly dtype: IrType;
  /** A scalar local. */
  readonly operand: Expr;
  readonly mask: number;
}

/** The i32 vector base, base + stride, base + 2·stride, …; the lanes of a base that is itself a ramp again each time: rows. */
export interface Ramp {
  readonly kind: "ramp";
  readonly dtype: "i32";
  readonly base: Expr;
  readonly stride: number;
  readonly lanes: number;
}

/** A scalar in all lanes; a vector again and again, as often as it takes to fill them. */
export interface Broadcast {
  readonly kind: "broadcast";
  readonly dtype: IrType;
  readonly value: Expr;
  readonly lanes: number;
}

/** A vector put together from scalars, each evaluated on its own: what cannot be vectorised otherwise. */
export interface Lanes {
  readonly kind: "lanes";
  readonly dtype: IrType;
  readonly elements: readonly Expr[];
}

/** The lanes of several vectors (not of bools) of one type in turns: the first of each, the second of each, … */
export interface Interleave {
  readonly kind: "interleave";
  readonly dtype: IrType;
  /** Vectors whose lanes take turns: two, four or eight. */
  readonly parts: readonly Expr[];
}

/** Lanes of vectors (not of bools) of one type and length in any order, some of them again and again. */
export interface LanePick {
  readonly kind: "pick";
  readonly dtype: IrType;
  readonly parts: readonly Expr[];
  /** Number of each lane, counted through all parts. */
  readonly picks: readonly number[];
}

/** Operations by which the lanes of a vector can be combined in any order. */
export type FoldOp = "add" | "mul" | "min" | "max";

/**
 * The lanes of a vector (a power of two of them, no bools) as one scalar: each lane of the lower half is combined with that of the upper half, and
 * so on, until one is left. After VectorReduce of Halide.
 */
export interface LaneFold {
  readonly kind: "fold";
  readonly dtype: IrType;
  readonly op: FoldOp;
  readonly operand: Expr;
}

/**
 * One instruction of a machine, on whole vectors. It gives what `meaning` leaves in its first buffer, when each buffer
 * starts with the lanes of the operand of its place.
 */
export interface IntrinsicCall {
  readonly kind: "intrinsic";
  readonly dtype: IrType;
  readonly lanes: number;
  readonly name: string;
  readonly operands: readonly Expr[];
  /** Meaning in the flat form, one store under loops. */
  readonly meaning: LoopFunc;
  /** Text for the code generator of a target that has the instruction. */
  readonly text: IntrinsicTexts;
}

export type Expr =
  | Const
  | Var
  | Local
  | Load
  | Unary
  | Binary
  | Select
  | Cast
  | Bitcast
  | Shuffle
  | Ramp
  | Broadcast
  | Lanes
  | Interleave
  | LanePick
  | LaneFold
  | IntrinsicCall;

// ── statements ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** "tensorized X": the loop and those inside are what the intrinsic X computes; where they are not, it is vectorized. */
export type TensorizedMark = `tensorized ${string}`;

/** A coordinate of the grid of threads of a GPU. */
export type ThreadAxis = `${"blockIdx" | "threadIdx"}.${"x" | "y" | "z"}`;

export type LoopMark = "serial" | "parallel" | "vectorized" | "unrolled" | TensorizedMark | ThreadAxis;

/**
 * Treatment of the iterations in which the loops of a split overshoot the axis they came from:
 *   guard  test each instance
 *   cut    peel the iterations that overshoot into a copy of the loop's body with tightened bounds
 *   mask   compute the surplus where it is harmless (local buffers), and store only the leading lanes elsewhere
 */
export type TailStrategy = "guard" | "cut" | "mask";

/** `for name in 0..extent`. Names are unique within a function in the scheduled form. */
export interface For {
  readonly kind: "for";
  readonly name: string;
  readonly extent: number;
  readonly mark: LoopMark;
  readonly tail: TailStrategy;
  /**
   * Words for what comes after the schedule, which takes those that it knows: `unroll`, the times a C compiler is to unroll
   * the loop; `prefetch B`, how many iterations ahead the lines of B are asked for.
   */
  readonly annotations: Readonly<Record<string, number>>;
  readonly body: Stmt;
}

export interface Seq {
  readonly kind: "seq";
  readonly body: readonly Stmt[];
}

export interface If {
  readonly kind: "if";
  readonly condition: Expr;
  readonly then: Stmt;
  readonly else: Stmt | null;
}

/** Writes a buffer; `active` as for loads: the other lanes of memory are left alone. */
export interface Store {
  readonly kind: "store";
  readonly buffer: string;
  readonly indices: readonly Expr[];
  readonly value: Expr;
  readonly active: Expr | null;
}

/** Introduces a local, visible in the statements that follow it in the same `seq` and inside them. */
export interface Define {
  readonly kind: "define";
  readonly name: string;
  readonly dtype: IrType;
  readonly lanes: number;
  /** Registers that hold it. Texts leave it out: the instructions that take or give a fragment tell, which `verify` checks. */
  readonly memory: Registers;
  readonly value: Expr;
}

export interface Assign {
  readonly kind: "assign";
  readonly name: string;
  readonly value: Expr;
}

/**
 * Asks for the cache line of an element ahead of its use, perhaps an element outside of the buffer. It computes nothing:
 * code generators may leave it out. Only in the lowered and flat forms; before, it is a word at a loop.
 */
export interface Prefetch {
  readonly kind: "prefetch";
  readonly buffer: string;
  readonly indices: readonly Expr[];
  /** Whether the line is fetched for writing. */
  readonly writes: boolean;
}

/**
 * Where threads of a group wait for each other. It computes nothing, and a run of one thread after another may leave it out.
 *   barrier  all threads of the group have come this far, and see what the others have stored
 *   commit   ends a batch of copies that go on in the background
 *   wait     all but the last `pending` batches of the thread have arrived
 *   fill     ends a batch of boxes, tiles that one thread has copied in the background as a whole; batches fill `slots` in turns
 *   await-fill  the oldest batch of boxes that was not yet waited for has arrived
 *   release  the thread has no more use for the oldest batch of boxes that it has not yet released
 *   await-release  all threads have released the slot that the next batch of boxes fills; at first each slot is free
 *   publish  what the thread has stored in the memory of the group is seen by products that run on their own
 *   begin-products, commit-products, wait-products   the same for such products: they may read sums, a batch of them ends, and
 *            all but the last `pending` batches are computed
 * Only in the lowered and flat forms, for machines with groups of threads.
 */
export interface Sync {
  readonly kind: "sync";
  readonly what:
    | "barrier"
    | "commit"
    | "wait"
    | BoxSync
    | "publish"
    | "begin-products"
    | "commit-products"
    | "wait-products";
  /** Batches that need not have arrived; 0 where nothing waits for batches. */
  readonly pending: number;
  /** Slots that batches of boxes fill; only of those. */
  readonly slots?: number;
}

/** Kinds of `Sync` about batches of boxes: they have slots. */
export type BoxSync = "fill" | "await-fill" | "release" | "await-release";

export interface BlockAxis {
  readonly name: string;
  readonly extent: number;
  readonly role: "spatial" | "reduce";
}

/**
 * One instance of a stage: the only statement that computes in the scheduled form. `bindings[a]` gives the value of
 * `axes[a]` in terms of the loops around it; **an instance with a binding outside 0..extent does not run**, so a split
 * that overshoots needs no condition of its own. `init`, if not null, is stored at `indices` before the first update of
 * an element, that is where all loops that reduce axes depend on, and no spatial axis does, are 0, for any values of the
 * reduce axes: an element that gets no update is `init`. `value` may read `buffer[indices]` (an update).
 * `indices`, `init` and `value` may name the axes **and the loops around the block** (axis names have no dot, loop names
 * have one), as caches that start where a loop stands do.
 */
export interface Block {
  readonly kind: "block";
  /** Name that is unique within a function: the stage's, or that plus a suffix (`C.init`, `A.pack`). */
  readonly name: string;
  readonly axes: readonly BlockAxis[];
  readonly bindings: readonly Expr[];
  readonly buffer: string;
  readonly indices: readonly Expr[];
  readonly init: Expr | null;
  readonly value: Expr;
}

export type Stmt = For | Seq | If | Store | Define | Assign | Prefetch | Sync | Block;

// ── functions ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Part of a buffer between the kernel and its caller. */
export type BufferRole = "input" | "output" | "local";

/**
 * Memory that a buffer lies in: the caller's, the kernel's scratch memory, the memory that a group of threads shares, or
 * registers (where every index becomes constant).
 */
export type BufferMemory = "caller" | LocalMemory;
export type LocalMemory = "workspace" | "group" | Registers;

/**
 * Registers of two kinds. A "register" holds a scalar or a vector that anything may compute with. A "fragment" holds an
 * operand of a matrix instruction, such as a tile of AMX: it is moved whole, or set to zeros, and only such instructions
 * compute with it. A schedule says "register"; the lowering finds out which of these buffers are fragments.
 */
export type Registers = "register" | "fragment";

export interface Buffer {
  readonly name: string;
  readonly dtype: DType;
  /** Extents, row-major; a flat buffer has one dimension. */
  readonly shape: readonly number[];
  readonly role: BufferRole;
  /** Parameters are in the caller's memory, and nothing else is. */
  readonly memory: BufferMemory;
}

export interface LoopFunc {
  /** Name that describes the kernel and is an identifier: gemm_f32_512x512x512. */
  readonly name: string;
  /** Buffers: inputs in order, then outputs in order, then the rest. */
  readonly buffers: readonly Buffer[];
  readonly body: Stmt;
}
