// A loop of each thread with the word `stages`, whose body first copies to the memory of the group and then computes → copies that run ahead
// of the computing, so many iterations less one, into as many slots. Copies of an iteration are a batch; before an iteration
// computes, its own batch is waited for.
//
//   for k in 0..64 (stages: 3)          for p in 0..2: { A.pack[p*512 + …] = A[p…]; commit }
//     A.pack[…] = A[k…]           →     for k in 0..64
//     C[…] += A.pack[…]                   wait for all but 1; barrier
//                                         if (k + 2 < 64) A.pack[(k + 2) % 3 * 512 + …] = A[(k + 2)…]
//                                         commit
//                                         C[…] += A.pack[k % 3 * 512 + …]
//
// Copies with the word `warp` are boxes: one thread has each copied as a whole. There the batch ends beside its copies, and an iteration
// waits for the oldest one. With the word `warp-specialized` that thread computes nothing, and runs ahead of those that do as far as slots are
// free: these release a slot in place of the barrier. Where a loop around comes back to such a loop (persistent groups), its copies go on to the
// first iterations of the next round.

import { accessedBuffers } from "../../ir/accessed-buffers.ts";
import {
  add,
  constInt,
  floorDiv,
  forLoop,
  ifThen,
  lt,
  mod,
  mul,
  seq,
  sync,
  syncBoxes,
  variable,
} from "../../ir/build.ts";
import type { Buffer, Expr, For, If, LoopFunc, Stmt, Var } from "../../ir/loop-ir.ts";
import { groupAxisOf, isThreadLoop } from "../../ir/thread-axes.ts";
import { updateFor, updateLoad, updateStore } from "../../ir/update.ts";
import {
  childrenOf,
  mapChildren,
  mapExpr,
  mapOwnExprs,
  mapStmt,
  substituteStmt,
  walkOwnExprs,
  walkStmt,
} from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";
import { warpWord } from "./warp-tiles.ts";

/** Word of a loop: the number of slots. */
export const stagesWord = "stages";

/**
 * Word of a loop whose products run on their own: how many batches of them may be under way while the next is begun. A slot is
 * filled again only when all threads have waited for the products that read it, so copies run ahead by so many slots less.
 */
export const behindWord = "products-behind";

/** Word of a loop whose boxes are asked for by threads of their own (warp specialization). It says nothing of other copies. */
export const specializedWord = "warp-specialized";

export const pipelineLoops: Pass = {
  name: "pipeline-loops",
  run(func) {
    const slots = new Map<string, number>();
    const around = loopsAround(func.body);
    /** Copies that begin before a loop, by its name. */
    const early = new Map<string, Stmt>();
    const withCopiesAhead = (stmt: Stmt): Stmt => {
      if (stmt.kind !== "for" || isThreadLoop(stmt)) return stmt;
      const loop = isPipelined(stmt)
        ? pipelined(stmt, func, { slots, early, outer: around.get(stmt.name) ?? [] })
        : stmt;
      const before = early.get(stmt.name);
      early.delete(stmt.name);
      return before ? seq(before, loop) : loop;
    };
    // Outside of loops over threads there is nobody who copies meanwhile.
    const ofThreads = (stmt: Stmt): Stmt =>
      stmt.kind === "for" && isThreadLoop(stmt) ? mapStmt(stmt, withCopiesAhead) : mapChildren(stmt, ofThreads);
    const body = ofThreads(func.body);
    const buffers = func.buffers.map((buffer) => ({
      ...buffer,
      shape: [buffer.shape[0]! * (slots.get(buffer.name) ?? 1)],
    }));
    return { ...func, buffers, body };
  },
};

const isPipelined = (loop: For): boolean => (loop.annotations[stagesWord] ?? 1) > 1;

type Around = For | If;

/** Loops and choices around each loop, by its name, the outermost first. */
function loopsAround(body: Stmt): ReadonlyMap<string, readonly Around[]> {
  const around = new Map<string, readonly Around[]>();
  const visit = (stmt: Stmt, outer: readonly Around[]): void => {
    if (stmt.kind === "for") around.set(stmt.name, outer);
    const inside = stmt.kind === "for" || stmt.kind === "if" ? [...outer, stmt] : outer;
    for (const child of childrenOf(stmt)) visit(child, inside);
  };
  visit(body, []);
  return around;
}

interface Noted {
  /** Slots of the buffers that copies fill. */
  readonly slots: Map<string, number>;
  /** Copies that begin before a loop, by its name. */
  readonly early: Map<string, Stmt>;
  /** Loops and choices around the pipelined loop, the outermost first. */
  readonly outer: readonly Around[];
}

/** The loop with its copies ahead; a loop that does not begin with copies stays. Notes the slots of what it copies to, and copies before it. */
function pipelined(loop: For, func: LoopFunc, { slots, early, outer }: Noted): Stmt {
  const {
    [stagesWord]: stages = 1,
    [behindWord]: behind,
    [specializedWord]: specialized,
    ...annotations
  } = loop.annotations;
  const plain = updateFor(loop, { annotations });
  const buffers = buffersOf(func);
  const body = loop.body.kind === "seq" ? loop.body.body : [];
  const first = body.findIndex((stmt) => !storesTo(stmt).every((name) => buffers.get(name)?.memory === "group"));
  const copies = body.slice(0, first);
  const copied = new Set(copies.flatMap(storesTo));
  const compute = body.slice(first);
  if (copied.size === 0 || compute.flatMap(storesTo).some((name) => copied.has(name))) return plain;
  // Copies are under way until they are waited for: a statement that reads back what it stores cannot be one.
  if (copies.some((stmt) => readsAny(stmt, copied))) return plain;
  // A slot has what its own iteration copies, and nothing that was there before the loop.
  if (accessedOutside(func.body, loop, copied)) return plain;
  for (const name of copied) slots.set(name, stages);
  const loops = outer.filter((each) => each.kind === "for");
  const rounds = loops.filter((each) => !isThreadLoop(each));
  const isOfGroup = loops.every((each) => groupAxisOf(each) === null);
  const areBoxes = isOfGroup && copies.every(isBox);
  // Where copies go on from round to round, iterations are counted through them all.
  const goOn = areBoxes && specialized !== undefined && canGoOn(outer, rounds[0], copies, copied);
  const counted = goOn ? [...rounds, loop] : [loop];
  const slotAt = (iteration: Expr): Expr => mod(iteration, constInt(stages));
  const at = (stmts: readonly Stmt[], slot: Expr): readonly Stmt[] =>
    stmts.map((stmt) => inSlot(stmt, copied, buffers, slot));
  const pipeline: Pipeline = {
    loop: plain,
    stages,
    behind,
    iteration: iterationOf(counted),
    iterations: product(counted.map(({ extent }) => extent)),
    copiesAt(iteration, slot = slotAt(iteration)) {
      const values = valuesAt(iteration, counted);
      return at(
        copies.map((stmt) => substituteStmt(stmt, values)),
        slot,
      );
    },
    computed: products(at(compute, slotAt(iterationOf(counted))), behind),
  };
  if (!goOn) return behindBarriers(pipeline, rounds.length > 0, areBoxes);
  const { before, repeated } = behindReleases(pipeline);
  early.set(counted[0]!.name, before);
  return repeated;
}

/**
 * Says whether the boxes of a loop may be asked for in earlier rounds: a launch has all rounds, each of them has the loop, and nothing else in them
 * has copies ahead, or stores what these copies read.
 *
 * @param outermost loop whose iterations are rounds, or are made of such; undefined: there is one round
 */
function canGoOn(
  outer: readonly Around[],
  outermost: For | undefined,
  copies: readonly Stmt[],
  copied: ReadonlySet<string>,
): boolean {
  if (!outermost) return true;
  const inside = outer.slice(outer.indexOf(outermost));
  if (outermost === outer[0] || inside.some((each) => each.kind === "if" || isThreadLoop(each))) return false;
  let pipelines = 0;
  walkStmt(outermost, (stmt) => {
    if (stmt.kind === "for" && isPipelined(stmt)) pipelines += 1;
  });
  const { loaded } = accessedBuffers(seq(...copies));
  return pipelines === 1 && storesTo(outermost).every((name) => copied.has(name) || !loaded.has(name));
}

/** Number of an iteration of loops, each inside of the one before. */
const iterationOf = (loops: readonly For[]): Expr =>
  loops.reduce<Expr>((count, { name, extent }) => add(mul(count, constInt(extent)), variable(name)), constInt(0));

/** Values of the loops in such an iteration. */
function valuesAt(iteration: Expr, loops: readonly For[]): ReadonlyMap<string, Expr> {
  const values = new Map<string, Expr>();
  let left = iteration;
  for (const [at, { name, extent }] of [...loops.entries()].toReversed()) {
    values.set(name, at === 0 ? left : mod(left, constInt(extent)));
    left = floorDiv(left, constInt(extent));
  }
  return values;
}

interface Pipeline {
  readonly loop: For;
  readonly stages: number;
  /** Batches of products that may be under way; undefined: none of them run on their own. */
  readonly behind: number | undefined;
  /** Number of the iteration, and how many there are: of all rounds, where copies go on from one to the next. */
  readonly iteration: Expr;
  readonly iterations: number;
  /** The copies of an iteration; by default in its slot. */
  readonly copiesAt: (iteration: Expr, slot?: Expr) => readonly Stmt[];
  /** Statements that compute with the slot of the iteration. */
  readonly computed: readonly Stmt[];
}

const products = (stmts: readonly Stmt[], behind: number | undefined): readonly Stmt[] =>
  behind === undefined ? stmts : [sync("begin-products"), ...stmts, sync("commit-products")];

/** All threads wait for each other in each iteration, and begin copies then: into the slot that they have read before. */
function behindBarriers(pipeline: Pipeline, isRepeated: boolean, areBoxes: boolean): Stmt {
  const { loop, stages, behind, iteration, iterations, copiesAt, computed } = pipeline;
  const distance = Math.min(stages - 1 - (behind ?? 0), iterations);
  // Products read what boxes have brought as it is; what threads have stored has to be published first.
  const published = areBoxes ? [] : [sync("publish")];
  const ended = areBoxes ? syncBoxes("fill", stages) : sync("commit");
  const [early, ahead] = [earlyIn(loop), add(iteration, constInt(distance))];
  const next = ifThen(lt(ahead, constInt(iterations)), seq(...copiesAt(ahead), ...(areBoxes ? [ended] : [])));
  return seq(
    // Other threads may still read the slots that an earlier run of the loop has filled.
    ...(isRepeated ? [sync("barrier")] : []),
    forLoop(early.name, distance, seq(...copiesAt(early, early), ended)),
    updateFor(loop, {
      body: seq(
        areBoxes ? syncBoxes("await-fill", stages) : sync("wait", distance - 1),
        ...(behind === undefined ? [] : [sync("wait-products", behind), ...published]),
        sync("barrier"),
        next,
        ...(areBoxes ? [] : [ended]),
        ...computed,
      ),
    }),
    ...(behind === undefined ? [] : [sync("wait-products")]),
  );
}

/** A loop, and what is done before the first round of it. */
interface GoingOn {
  readonly before: Stmt;
  readonly repeated: Stmt;
}

/** A slot is filled again when all threads have released it, which they do once its products are computed. */
function behindReleases(pipeline: Pipeline): GoingOn {
  const { loop, stages, behind, iteration, iterations, copiesAt, computed } = pipeline;
  const distance = Math.min(stages - 1, iterations);
  const filled = (copies: readonly Stmt[]): Stmt =>
    seq(syncBoxes("await-release", stages), ...copies, syncBoxes("fill", stages));
  const [early, ahead] = [earlyIn(loop), add(iteration, constInt(distance))];
  const release = syncBoxes("release", stages);
  const isOld = lt(constInt((behind ?? 0) - 1), variable(loop.name));
  // A further loop of the launch counts on, as does a further round: each batch is released once.
  const last = Array.from({ length: Math.min(behind ?? 0, loop.extent) }, () => release);
  return {
    before: forLoop(early.name, distance, filled(copiesAt(early, early))),
    repeated: seq(
      updateFor(loop, {
        body: seq(
          syncBoxes("await-fill", stages),
          ...computed,
          ...(behind === undefined ? [release] : [sync("wait-products", behind), ifThen(isOld, release)]),
          ifThen(lt(ahead, constInt(iterations)), filled(copiesAt(ahead))),
        ),
      }),
      ...(behind === undefined ? [] : [sync("wait-products")]),
      ...last,
    ),
  };
}

/** Variable of the iterations that are copied before the loop. */
const earlyIn = ({ name }: For): Var => variable(`${name}.early`);

/** Says whether a copy is of tiles alone, each by one thread of the group. */
function isBox(stmt: Stmt): boolean {
  if (stmt.kind === "seq") return stmt.body.every(isBox);
  if (stmt.kind !== "for" || groupAxisOf(stmt)) return false;
  return stmt.annotations[warpWord] !== undefined || isBox(stmt.body);
}

const storesTo = (stmt: Stmt): readonly string[] => [...accessedBuffers(stmt).stored];

const readsAny = (stmt: Stmt, names: ReadonlySet<string>): boolean =>
  [...accessedBuffers(stmt).loaded].some((name) => names.has(name));

/** Says whether some buffers are stored to, or loaded from, outside of a loop. */
function accessedOutside(stmt: Stmt, loop: For, names: ReadonlySet<string>): boolean {
  if (stmt.kind === "for" && stmt.name === loop.name) return false;
  let found = stmt.kind === "store" && names.has(stmt.buffer);
  walkOwnExprs(stmt, (expr) => {
    found ||= expr.kind === "load" && names.has(expr.buffer);
  });
  return found || childrenOf(stmt).some((child) => accessedOutside(child, loop, names));
}

/** The statement with every access to a copy moved to a slot. */
function inSlot(stmt: Stmt, copied: ReadonlySet<string>, buffers: ReadonlyMap<string, Buffer>, slot: Expr): Stmt {
  const moved = (name: string, indices: readonly Expr[]): readonly Expr[] => [
    add(mul(slot, constInt(buffers.get(name)!.shape[0]!)), indices[0]!),
  ];
  return mapStmt(stmt, (each) => {
    const own = mapOwnExprs(each, (root) =>
      mapExpr(root, (expr) =>
        expr.kind === "load" && copied.has(expr.buffer)
          ? updateLoad(expr, { indices: moved(expr.buffer, expr.indices) })
          : expr,
      ),
    );
    return own.kind === "store" && copied.has(own.buffer)
      ? updateStore(own, { indices: moved(own.buffer, own.indices) })
      : own;
  });
}
