// Copies of boxes, and the barriers at which they arrive → PTX. The remainder of the number of batches so far by the slots is the slot of the next,
// and the quotient says the phase of its barrier.

import { add, constInt, eq, lt, mod, variable } from "../../../ir/build.ts";
import type { BoxSync, Expr, Store } from "../../../ir/loop-ir.ts";
import { groupAxes, laneAxis } from "../../../ir/thread-axes.ts";
import { isPowerOfTwo } from "../../../support/integer-math.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import { boxCopyOf, type SlotBarriers } from "../plan/boxes.ts";
import { quotientOf } from "./arithmetic.ts";
import type { Batches, PtxContext } from "./context.ts";
import { constant, type Emitter, type Value } from "./emitter.ts";
import { elementAddress, evaluate } from "./expression.ts";
import { int } from "./registers.ts";

const isZero = (expr: Expr): Expr => eq(expr, constInt(0));
const isFirstThread = isZero(groupAxes.map(variable).reduce<Expr>((sum, axis) => add(sum, axis), constInt(0)));
const isFirstOfX = isZero(variable(laneAxis));
const isFirstLane = isZero(mod(variable(laneAxis), constInt(warpLanes)));

/** Asks for a tile, by the first lane of the threads that come here. */
export function printBoxes(stmt: Store, context: PtxContext): void {
  const { emitter, isCopier } = context;
  const copy = boxCopyOf(stmt, context.facts, context.plan.cluster);
  const map = context.mapOf(copy.array, copy.shape);
  const [column, row] = [copy.column, copy.row].map((index) => evaluate(index, context));
  const slot = barrierAt("filled", context.batches.get(copy.slots)!.filled, copy.slots, context);
  const facts = { ...context.facts, swizzled: new Map<string, number>() };
  const ask = isCopier ? "" : `@${evaluate(isFirstOfX, context).text} `;
  for (let at = 0; at < copy.boxes; at++) {
    const index = add(copy.to, constInt(at * copy.elements));
    const { base, offset } = elementAddress(stmt.buffer, index, stmt.value.dtype, { ...context, facts });
    const target = plus(base, offset, emitter);
    const line = plus(row!, at * copy.rows, emitter);
    const [how, groups] =
      copy.groups === 1 ? ["", ""] : [".multicast::cluster", `, ${groupsOf(copy.groups, emitter).text}`];
    emitter.lines(
      `${ask}mbarrier.expect_tx.shared::cta.b64 [${slot.text}], ${copy.bytes};`,
      `${ask}cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes${how} [${target.text}], [${map.text}, {${column!.text}, ${line.text}}], [${slot.text}]${groups};`,
    );
  }
}

/** The first groups of a cluster, a bit each. */
const groupsOf = (count: number, { compute }: Emitter): Value =>
  compute("mov.b16", "b16", [constant("b16", 2 ** count - 1)], true);

const plus = (value: Value, by: number, { compute }: Emitter): Value =>
  by === 0 ? value : compute("add.s32", "b32", [value, int(by)], true);

/** Address of the barrier whose turn it is. */
function barrierAt(kind: SlotBarriers["kind"], batches: Value, slots: number, context: PtxContext): Value {
  const { emitter, plan, groupBase } = context;
  const { start } = plan.barriers.find((it) => it.kind === kind && it.slots === slots)!;
  const slot = turnOf(batches, slots, emitter).rest;
  return emitter.compute("mad.lo.s32", "b32", [slot, int(8), plus(groupBase, start, emitter)], true);
}

/** How often all slots had their turn, and which has it now. */
function turnOf(batches: Value, slots: number, emitter: Emitter): { readonly rounds: Value; readonly rest: Value } {
  const { compute } = emitter;
  if (isPowerOfTwo(slots)) {
    return {
      rounds: compute("shr.u32", "b32", [batches, int(Math.log2(slots))], true),
      rest: compute("and.b32", "b32", [batches, int(slots - 1)], true),
    };
  }
  const rounds = quotientOf(batches, slots, emitter);
  return { rounds, rest: compute("mad.lo.s32", "b32", [rounds, int(-slots), batches], true) };
}

/** End of a batch of boxes or of its use, or the wait for either. Each warp releases a slot once. */
export function printBoxSync(what: BoxSync, slots: number, context: PtxContext): void {
  const { emitter, isCopier, plan } = context;
  const { filled, awaited, released } = context.batches.get(slots)!;
  const next = (count: Value): void => {
    emitter.lines(`add.s32 ${count.text}, ${count.text}, 1;`);
    emitter.changed(count);
  };
  const arrive = (slot: Value, only: Expr | null): void => {
    const guard = only ? `@${evaluate(only, context).text} ` : "";
    emitter.lines(`${guard}mbarrier.arrive.shared::cta.b64 _, [${slot.text}];`);
  };
  switch (what) {
    case "fill":
      arrive(barrierAt("filled", filled, slots, context), isCopier ? null : isFirstThread);
      next(filled);
      break;
    case "await-fill":
      printWait(barrierAt("filled", awaited, slots, context), phaseOf(awaited, slots, emitter), emitter);
      next(awaited);
      break;
    case "release": {
      const slot = barrierAt("free", released, slots, context);
      if (plan.cluster) printArrivals(slot, plan.cluster.groups, context);
      else arrive(slot, isFirstLane);
      next(released);
      break;
    }
    case "await-release": {
      // The phase before the first one is over.
      const before = emitter.compute("xor.b32", "b32", [phaseOf(filled, slots, emitter), int(1)], true);
      printWait(barrierAt("free", filled, slots, context), before, emitter, plan.cluster ? ".acquire.cluster" : "");
    }
  }
}

const phaseOf = (batches: Value, slots: number, emitter: Emitter): Value =>
  emitter.compute("and.b32", "b32", [turnOf(batches, slots, emitter).rounds, int(1)], true);

/** Lanes of a warp arrive at the barrier of a group of the cluster each, as each group fills the slots of all of them. */
function printArrivals(slot: Value, groups: number, context: PtxContext): void {
  const { emitter } = context;
  const lane = mod(variable(laneAxis), constInt(warpLanes));
  const guard = evaluate(lt(lane, constInt(groups)), context);
  const there = emitter.register("b32");
  emitter.lines(
    `@${guard.text} mapa.shared::cluster.u32 ${there.text}, ${slot.text}, ${evaluate(lane, context).text};`,
    `@${guard.text} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [${there.text}];`,
  );
}

/** All threads of the cluster meet. */
export const printMeeting = ({ lines }: Emitter): void =>
  lines("barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;");

/** @param order how what others have done before is ordered; by default within the group */
function printWait(slot: Value, phase: Value, emitter: Emitter, order = ""): void {
  const [label, isOver] = [emitter.label(), emitter.register("pred")];
  emitter.lines(
    `${label}:`,
    `mbarrier.try_wait.parity${order}.shared::cta.b64 ${isOver.text}, [${slot.text}], ${phase.text};`,
    `@!${isOver.text} bra ${label};`,
  );
}

/** Begins the barriers of a group, and the counts of batches. */
export function printBarriers(context: PtxContext): ReadonlyMap<number, Batches> {
  const { emitter, plan } = context;
  const batches = new Map<number, Batches>();
  if (plan.barriers.length === 0) return batches;
  const first = evaluate(isFirstThread, context);
  const count = (): Value => {
    const variable = emitter.variable("b32");
    emitter.lines(`mov.b32 ${variable.text}, 0;`);
    return variable;
  };
  for (const { kind, slots, arrivals, start } of plan.barriers) {
    if (kind === "filled") batches.set(slots, { filled: count(), awaited: count(), released: count() });
    for (let at = 0; at < slots; at++) {
      const address = `[${context.groupBase.text}+${start + 8 * at}]`;
      emitter.lines(`@${first.text} mbarrier.init.shared::cta.b64 ${address}, ${arrivals};`);
    }
  }
  emitter.lines(`@${first.text} fence.proxy.async.shared::cta;`);
  if (plan.cluster) {
    emitter.lines(`@${first.text} fence.mbarrier_init.release.cluster;`);
    printMeeting(emitter);
  } else emitter.lines("bar.sync 0;");
  return batches;
}
