// Expression of elements that lie beside each other → vector operations, each on all the rows of a box at once.

import type { Expr, Load } from "../../../src/compiler/index.ts";
import { exprKey } from "../../../src/compiler/index.ts";
import type { HardwareLoop, VectorOp } from "../isa/instruction.ts";
import { side } from "../machine.ts";
import { type Box, merged, withLoops } from "./box.ts";
import type { Emitter } from "./emitter.ts";
import { Refusal } from "./refusal.ts";
import { emitLoad } from "./transfer.ts";

export interface Vectors {
  readonly value: Expr;
  /** Place of the form of each element that is read, by its key. */
  readonly leaves: ReadonlyMap<string, number>;
  readonly box: Box;
  /** Place of the loop whose iterations are lanes; −1: there is one lane. */
  readonly lanes: number;
}

/** Where vectors lie in the sums: a step for each loop of the box; along the lanes they have no gaps. */
export interface Place {
  readonly address: number;
  readonly steps: readonly number[];
}

type Room = (elements: number) => number;
type Value = (Place & { readonly kind: "sums" }) | { readonly kind: "immediate"; readonly value: number };

/** Computes a value; what it needs of the sums is taken from `room`. */
export function evaluateVectors(emitter: Emitter, vectors: Vectors, room: Room): Place {
  const value = evaluate(emitter, vectors, vectors.value, room);
  if (value.kind === "sums") return value;
  const place = freePlace(vectors, room);
  const zeros = vectorBox(vectors, [place]);
  for (const { loops, at } of withLoops(zeros, emitter.machine.loops)) {
    const [sums = 0] = at;
    emitter.emit({ kind: "product", resets: true, sums, inputs: 0, weights: 0, loops: loops.map(padSteps) });
  }
  emitVector(emitter, vectors, "add", place, place, value);
  return place;
}

const padSteps = ({ count, steps: [step = 0] }: HardwareLoop): HardwareLoop => ({ count, steps: [step, 0, 0] });

/** Elements of the sums that `evaluateVectors` takes. */
export function roomFor(emitter: Emitter, vectors: Vectors): number {
  let taken = 0;
  const measured: Emitter = { ...emitter, emit: () => undefined };
  evaluateVectors(measured, vectors, (elements) => {
    taken += Math.ceil(elements / side) * side;
    return 0;
  });
  return taken;
}

function evaluate(emitter: Emitter, vectors: Vectors, expr: Expr, room: Room): Value {
  switch (expr.kind) {
    case "const":
      return { kind: "immediate", value: expr.value };
    case "load":
      return leafPlace(emitter, vectors, expr, room);
    case "cast":
      if (expr.dtype === "i32" || expr === vectors.value) return evaluate(emitter, vectors, expr.operand, room);
      throw new Refusal(`values become ${expr.dtype} on their way to memory only`);
    case "unary":
      if (expr.op !== "neg") throw new Refusal(`there is no vector operation for ${expr.op}`);
      return computed(emitter, vectors, "mul", [expr.operand, minusOne], room);
    case "binary":
      return binary(emitter, vectors, expr, room);
    default:
      throw new Refusal(`there is no vector operation for a ${expr.kind}`);
  }
}

const integer = (value: number): Expr => ({ kind: "const", dtype: "i32", value });
const minusOne = integer(-1);

function binary(emitter: Emitter, vectors: Vectors, expr: Extract<Expr, { kind: "binary" }>, room: Room): Value {
  const { op, left, right } = expr;
  if (expr.dtype !== "i32") throw new Refusal(`the vector unit computes i32, not ${expr.dtype}`);
  switch (op) {
    case "add":
    case "mul":
    case "min":
    case "max":
      return computed(emitter, vectors, op, left.kind === "const" ? [right, left] : [left, right], room);
    case "sub": {
      if (left.kind !== "const") return computed(emitter, vectors, op, [left, right], room);
      const negated: Expr = { kind: "binary", dtype: "i32", op: "mul", left: right, right: minusOne };
      return computed(emitter, vectors, "add", [negated, left], room);
    }
    case "shr":
      return computed(emitter, vectors, op, [left, right], room);
    case "floorDiv": {
      const shift = right.kind === "const" ? Math.log2(right.value) : Number.NaN;
      if (Number.isInteger(shift)) return computed(emitter, vectors, "shr", [left, integer(shift)], room);
      throw new Refusal("the vector unit divides by powers of two only");
    }
    default:
      throw new Refusal(`there is no vector operation for ${op}`);
  }
}

/** The result takes the place of its left operand where that was computed itself: nothing else reads it. */
function computed(
  emitter: Emitter,
  vectors: Vectors,
  op: VectorOp,
  [left, right]: readonly [Expr, Expr],
  room: Room,
): Value {
  const a = evaluate(emitter, vectors, left, room);
  const b = evaluate(emitter, vectors, right, room);
  if (a.kind === "immediate") throw new Refusal("a value is computed of constants alone");
  const result = left.kind === "load" || left.kind === "cast" ? freePlace(vectors, room) : a;
  emitVector(emitter, vectors, op, result, a, b);
  return { kind: "sums", ...result };
}

function emitVector(emitter: Emitter, vectors: Vectors, op: VectorOp, result: Place, left: Place, right: Value): void {
  const places = right.kind === "sums" ? [result, left, right] : [result, left];
  for (const { loops, at } of withLoops(vectorBox(vectors, places), emitter.machine.loops)) {
    const [to = 0, a = 0, b = 0] = at;
    const operand = right.kind === "sums" ? ({ kind: "sums", address: b } as const) : right;
    const steps = (it: HardwareLoop): readonly number[] => [0, 1, 2].map((form) => it.steps[form] ?? 0);
    emitter.emit({
      kind: "vector",
      op,
      result: to,
      left: a,
      right: operand,
      loops: loops.map((it) => ({ count: it.count, steps: steps(it) })),
    });
  }
}

/** Loops over the vectors of some places: 16 lanes are one iteration. */
const vectorBox = ({ box, lanes }: Vectors, places: readonly Place[]): Box =>
  merged({
    loops: box.loops.map(({ count }, at) =>
      at === lanes
        ? { count: Math.ceil(count / side), steps: places.map(() => side) }
        : { count, steps: places.map(({ steps }) => steps[at] ?? 0) },
    ),
    at: places.map(({ address }) => address),
  });

/** Elements of a row of whole vectors. */
const pitchOf = ({ box, lanes }: Vectors): number => Math.ceil((box.loops[lanes]?.count ?? 1) / side) * side;

const freePlace = (vectors: Vectors, room: Room): Place => compactPlace(vectors, () => true, room);

/** Room for a row of vectors in each iteration of some of the loops. */
function compactPlace(vectors: Vectors, isWalked: (place: number) => boolean, room: Room): Place {
  let length = pitchOf(vectors);
  const steps = vectors.box.loops.map(({ count }, place) => {
    if (place === vectors.lanes || !isWalked(place)) return 0;
    const step = length;
    length *= count;
    return step;
  });
  return { address: room(length), steps };
}

/** Where an element that is read lies: in the sums already, or brought there from memory. */
function leafPlace(emitter: Emitter, vectors: Vectors, leaf: Load, room: Room): Value {
  const form = vectors.leaves.get(exprKey(leaf)) ?? 0;
  const { box, lanes } = vectors;
  const stepOf = (place: number): number => box.loops[place]?.steps[form] ?? 0;
  const start = box.at[form] ?? 0;
  const own = emitter.place(leaf.buffer);
  if (own?.scratchpad === "sums") {
    return { kind: "sums", address: own.address + start, steps: box.loops.map((_, place) => stepOf(place)) };
  }
  if (own) throw new Refusal(`${leaf.buffer} lies in the ${own.scratchpad}, which the vector unit does not reach`);
  const place = compactPlace(vectors, (it) => stepOf(it) !== 0, room);
  const count = box.loops[lanes]?.count ?? 1;
  // Lanes beyond the last element are padding: the third form is negative there.
  const row: HardwareLoop = { count: pitchOf(vectors), steps: [1, 1, -1] };
  const rows = box.loops.flatMap((loop, at) =>
    at === lanes || stepOf(at) === 0 ? [] : [{ count: loop.count, steps: [place.steps[at] ?? 0, stepOf(at), 0] }],
  );
  const source = { kind: "load", scratchpad: "sums", buffer: leaf.buffer } as const;
  emitLoad(emitter, source, { loops: [...rows, row], at: [place.address, start, count - 1] }, [2]);
  return { kind: "sums", ...place };
}
