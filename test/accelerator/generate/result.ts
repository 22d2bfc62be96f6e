// Nest that stores to memory → vector operations on the sums, and stores. Elements along which the result lies without gaps
// are lanes; what is read from memory is brought into the sums first, what is computed stays there until it is stored.
//
//   C[i*40 + j] = max(C.acc[i*48 + j] + bias[j], 0)   →   load sums[512] <- bias[0] 1x40 …
//                                                        vector sums[560] = sums[0] add sums[512] for …
//                                                        vector sums[560] = sums[560] max 0 for …
//                                                        store C[0] <- sums[560] 8x40 …

import type { Expr, Load, Store } from "../../../src/compiler/index.ts";
import { exprKey, walkExpr } from "../../../src/compiler/index.ts";
import { side } from "../machine.ts";
import { type Box, boxOf, each, type Known, merged, pick, rangesWhere, separated, within } from "./box.ts";
import type { Emitter } from "./emitter.ts";
import type { Nest } from "./nest.ts";
import { Refusal } from "./refusal.ts";
import { emitStore } from "./transfer.ts";
import { evaluateVectors, roomFor, type Vectors } from "./vectors.ts";

export function emitResult(emitter: Emitter, { loops, conditions, store }: Nest, known: Known): void {
  const [index] = store.indices;
  if (!index || !emitter.memory(store.buffer))
    throw new Refusal(`${store.buffer} is written by other operations than products`);
  const leaves = leavesOf(store.value);
  if (leaves.some((leaf) => leaf.buffer === store.buffer && exprKey(leaf) !== exprKey(elementOf(store)))) {
    throw new Refusal(`elements of ${store.buffer} are made of others, one after the other`);
  }
  const forms = [index, ...leaves.map(({ indices }) => indices[0] ?? index)];
  const checks = conditions.map((_, at) => forms.length + at);
  for (const part of separated(merged(boxOf(loops, [...forms, ...conditions], known)), checks)) {
    const ranges = rangesWhere(part, checks);
    if (!ranges) continue;
    const box = pick(within(part, ranges), [...forms.keys()]);
    for (const once of withoutRepeats(box)) {
      emitPart(emitter, { buffer: store.buffer, value: store.value, leaves, box: merged(once) });
    }
  }
}

/** Loops that come back to an element, as those of a sum do, are taken apart: all elements of a box are computed at once. */
function withoutRepeats(box: Box): readonly Box[] {
  const repeating = box.loops.findIndex(({ steps }) => steps[0] === 0);
  return repeating < 0 ? [box] : each(box, repeating).flatMap(withoutRepeats);
}

/** Elements to compute: forms of the box are where the result lies, and where each leaf does. */
interface Part {
  readonly buffer: string;
  readonly value: Expr;
  readonly leaves: readonly Load[];
  readonly box: Box;
}

/** Computes as much at a time as there is room for. */
function emitPart(emitter: Emitter, part: Part): void {
  const vectors = vectorsOf(part);
  if (roomFor(emitter, vectors) <= roomLeft(emitter)) {
    emitVectors(emitter, part, vectors);
    return;
  }
  for (const box of halves(part.box, vectors)) emitPart(emitter, { ...part, box });
}

const roomLeft = ({ machine, freeSums }: Emitter): number => machine.sums - freeSums;

function emitVectors(emitter: Emitter, { buffer, box }: Part, vectors: Vectors): void {
  emitter.withRoom((room) => {
    const { address, steps } = evaluateVectors(emitter, vectors, room);
    const remote = pick(box, [0]);
    const local = (place: number): number => (place === vectors.lanes ? 1 : (steps[place] ?? 0));
    emitStore(emitter, buffer, {
      loops: remote.loops.map(({ count, steps: [step = 0] }, place) => ({ count, steps: [local(place), step] })),
      at: [address, ...remote.at],
    });
  });
}

/** The box with the loop along which all lies without gaps: a lane an iteration. */
function vectorsOf({ value, leaves, box }: Part): Vectors {
  const lanes = box.loops.findIndex(({ steps }) => steps[0] === 1);
  const scattered = leaves.find((_, at) => lanes >= 0 && box.loops[lanes]?.steps[at + 1] !== 1);
  if (scattered)
    throw new Refusal(`elements of ${scattered.buffer} do not lie beside each other as those of the result do`);
  return { value, leaves: new Map(leaves.map((leaf, at) => [exprKey(leaf), at + 1])), box, lanes };
}

/** Two halves of the longest loop that is no vector, or of the vectors. */
function halves(box: Box, { lanes }: Vectors): readonly Box[] {
  const outer = box.loops.findIndex((_, place) => place !== lanes);
  if (outer >= 0) return each(box, outer);
  const count = box.loops[lanes]?.count ?? 1;
  if (count <= side) throw new Refusal("the sums have no room for one vector of each operand");
  const middle = Math.ceil(count / 2 / side) * side;
  return [within(box, [{ from: 0, to: middle }]), within(box, [{ from: middle, to: count }])];
}

const elementOf = ({ buffer, indices, value }: Store): Load => ({
  kind: "load",
  dtype: value.dtype,
  buffer,
  indices,
  active: null,
});

function leavesOf(value: Expr): readonly Load[] {
  const leaves = new Map<string, Load>();
  walkExpr(value, (it) => {
    if (it.kind === "load") leaves.set(exprKey(it), it);
  });
  return [...leaves.values()];
}
