// Nest of a product, or of the zeros that one begins with → product instructions, the nest's loops as theirs.

import type { Expr } from "../../../src/compiler/index.ts";
import type { ProductOperation } from "../isa/instruction.ts";
import { type Box, boxOf, type Known, merged, pick, rangesWhere, separated, within, withLoops } from "./box.ts";
import type { Emitter } from "./emitter.ts";
import type { Nest } from "./nest.ts";
import { Refusal } from "./refusal.ts";

export function emitProduct(emitter: Emitter, { loops, conditions, store }: Nest, known: Known): void {
  const { value } = store;
  const factors = value.kind === "intrinsic" ? value.operands.slice(1) : [];
  if (value.kind === "broadcast" && !isZero(value.value))
    throw new Refusal(`${store.buffer} begins with another value than 0`);
  const forms = [startOf(store.indices[0]), ...factors.map((it) => startOf(it.kind === "load" ? it.indices[0] : it))];
  const buffers = [store.buffer, ...factors.map((it) => (it.kind === "load" ? it.buffer : ""))];
  const places = buffers.map((name) => emitter.place(name)?.address ?? 0);
  const own = [...forms.keys()];
  const checks = conditions.map((_, at) => forms.length + at);
  for (const part of separated(merged(boxOf(loops, [...forms, ...conditions], known)), checks)) {
    const ranges = rangesWhere(part, checks);
    if (!ranges) continue;
    for (const box of withLoops(merged(pick(within(part, ranges), own)), emitter.machine.loops)) {
      emitter.emit(operationOf(box, places, factors.length === 0));
    }
  }
}

const isZero = (expr: Expr): boolean => expr.kind === "const" && expr.value === 0;

/** First element of a vector that lies without gaps. */
function startOf(index: Expr | undefined): Expr {
  if (index?.kind === "ramp" && index.stride === 1 && index.base.kind !== "ramp") return index.base;
  throw new Refusal("an operand of a product does not lie without gaps");
}

const operationOf = ({ loops, at }: Box, places: readonly number[], resets: boolean): ProductOperation => {
  const address = (operand: number): number => (at[operand] ?? 0) + (places[operand] ?? 0);
  const steps = (it: readonly number[]): readonly number[] => [0, 1, 2].map((operand) => it[operand] ?? 0);
  return {
    kind: "product",
    resets,
    sums: address(0),
    inputs: resets ? 0 : address(1),
    weights: resets ? 0 : address(2),
    loops: loops.map((loop) => ({ count: loop.count, steps: steps(loop.steps) })),
  };
};
