// Neighbouring lanes of a vector in a register, taken out of it or put into it, as calls of instructions that every machine with vectors
// has some of:
//
//   part(A)   for lane in 0..2: C[lane] = A[2 + lane]        with(C, A)   for lane in 0..2: C[2 + lane] = A[lane]

import { byteSize, type DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, broadcast, constInt, constOf, forLoop, loadOf, store, variable } from "../ir/build.ts";
import type { CIntrinsicText, IntrinsicTexts } from "../ir/intrinsic-text.ts";
import type { Buffer, Expr, IntrinsicCall, Local, LoopFunc } from "../ir/loop-ir.ts";

/** Lanes `start` to `start + lanes` of a vector. */
export interface Part {
  readonly start: number;
  readonly lanes: number;
}

export function partOf(whole: Local, { start, lanes }: Part): Expr {
  const dtype = whole.dtype as DType;
  const [C, A] = [vector("C", dtype, lanes), vector("A", dtype, whole.lanes)];
  const lane = variable("lane");
  const name = `part_${start}_${lanes}_of_${dtype}x${whole.lanes}`;
  const meaning = copy(name, [C, A], lanes, lane, add(lane, constInt(start)));
  return call(meaning, [broadcast(constOf(dtype, 0), lanes), whole], textOfPart(dtype, { start, lanes }));
}

export function withPart(whole: Local, { start, lanes }: Part, value: Expr): Expr {
  const dtype = whole.dtype as DType;
  const [C, A] = [vector("C", dtype, whole.lanes), vector("A", dtype, lanes)];
  const lane = variable("lane");
  const name = `with_${start}_${lanes}_of_${dtype}x${whole.lanes}`;
  const meaning = copy(name, [C, A], lanes, add(lane, constInt(start)), lane);
  return call(meaning, [whole, value], textOfWith(whole, { start, lanes }));
}

const vector = (name: string, dtype: DType, lanes: number): Buffer => localBuffer({ name, dtype, shape: [lanes] });

function copy(name: string, buffers: readonly [Buffer, Buffer], lanes: number, to: Expr, from: Expr): LoopFunc {
  const [C, A] = buffers;
  return { name, buffers, body: forLoop("lane", lanes, store(C, [to], loadOf(A, [from]))) };
}

function call(meaning: LoopFunc, operands: readonly Expr[], c: string): IntrinsicCall {
  const { dtype, shape } = meaning.buffers[0]!;
  const vectors: CIntrinsicText = { kind: "vectors", gcc: c, clang: c };
  const text: IntrinsicTexts = { c: vectors };
  return { kind: "intrinsic", dtype, lanes: shape[0]!, name: meaning.name, operands, meaning, text };
}

// ── C ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Bytes of a part that compilers move at once: a lane of another vector. */
const laneBytes = 8;

const isLane = (dtype: DType, { start, lanes }: Part): boolean =>
  lanes * byteSize[dtype] === laneBytes && start % lanes === 0;

const ofLanes = (bytes: string): string => `long long __attribute__((vector_size(${bytes})))`;

function textOfPart(dtype: DType, part: Part): string {
  const { start, lanes } = part;
  if (lanes === 1) return `A[${start}]`;
  if (isLane(dtype, part)) return `(__typeof__(C))((${ofLanes("sizeof(A)")})A)[${start / lanes}]`;
  return `(__typeof__(C)){${Array.from({ length: lanes }, (_, lane) => `A[${start + lane}]`).join(", ")}}`;
}

function textOfWith({ dtype }: Local, part: Part): string {
  const { start, lanes } = part;
  if (lanes > 1 && isLane(dtype as DType, part)) {
    const put = `whole[${start / lanes}] = (long long)A`;
    return `({ ${ofLanes("sizeof(C)")} whole = (${ofLanes("sizeof(C)")})C; ${put}; (__typeof__(C))whole; })`;
  }
  const each = Array.from({ length: lanes }, (_, lane) => `whole[${start + lane}] = A${lanes > 1 ? `[${lane}]` : ""};`);
  return `({ __typeof__(C) whole = C; ${each.join(" ")} whole; })`;
}
