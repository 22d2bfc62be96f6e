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
// waits for the oldest one.

import { add, constInt, forLoop, ifThen, lt, mod, mul, seq, sync, syncBoxes, variable } from "../../ir/build.ts";
import type { Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { groupAxisOf, isThreadLoop } from "../../ir/thread-axes.ts";
import { updateFor, updateLoad, updateStore } from "../../ir/update.ts";
import { mapChildren, mapExpr, mapOwnExprs, mapStmt, substituteStmt, walkStmt } from "../../ir/visit.ts";
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

export const pipelineLoops: Pass = {
  name: "pipeline-loops",
  run(func) {
    const slots = new Map<string, number>();
    const ofThread = loopsInside(func.body, (loop) => groupAxisOf(loop) !== null);
    const repeated = loopsInside(func.body, (loop) => !isThreadLoop(loop));
    const withCopiesAhead = (stmt: Stmt): Stmt =>
      stmt.kind === "for" && !isThreadLoop(stmt) && (stmt.annotations[stagesWord] ?? 1) > 1
        ? pipelined(stmt, func, slots, { isOfGroup: !ofThread.has(stmt.name), isRepeated: repeated.has(stmt.name) })
        : stmt;
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

/** Names of the loops inside of others. */
function loopsInside(body: Stmt, isOuter: (loop: For) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "for" || !isOuter(stmt)) return;
    walkStmt(stmt.body, (inner) => {
      if (inner.kind === "for") names.add(inner.name);
    });
  });
  return names;
}

interface Around {
  /** Whether all threads of the group run the loop as one. */
  readonly isOfGroup: boolean;
  /** Whether a loop around it comes back to it. */
  readonly isRepeated: boolean;
}

/** The loop with its copies ahead; a loop that does not begin with copies stays. Notes the slots of what it copies to. */
function pipelined(loop: For, func: LoopFunc, slots: Map<string, number>, { isOfGroup, isRepeated }: Around): Stmt {
  const { [stagesWord]: stages = 1, [behindWord]: behind, ...annotations } = loop.annotations;
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
  for (const name of copied) slots.set(name, stages);
  const at = (stmts: readonly Stmt[], iteration: Expr, slot: Expr): readonly Stmt[] =>
    stmts.map((stmt) => inSlot(substituteStmt(stmt, new Map([[loop.name, iteration]])), copied, buffers, slot));
  const distance = Math.min(stages - 1 - (behind ?? 0), loop.extent);
  const [k, ahead] = [variable(loop.name), add(variable(loop.name), constInt(distance))];
  const early = variable(`${loop.name}.early`);
  const slotOf = (iteration: Expr): Expr => mod(iteration, constInt(stages));
  const computed = at(compute, k, slotOf(k));
  const areBoxes = isOfGroup && copies.every(isBox);
  // Products read what boxes have brought as it is; what threads have stored has to be published first.
  const published = areBoxes ? [] : [sync("publish")];
  const ended = areBoxes ? syncBoxes("fill", stages) : sync("commit");
  const next = ifThen(
    lt(ahead, constInt(loop.extent)),
    seq(...at(copies, ahead, slotOf(ahead)), ...(areBoxes ? [ended] : [])),
  );
  return seq(
    // Other threads may still read the slots that an earlier run of the loop has filled.
    ...(isRepeated ? [sync("barrier")] : []),
    forLoop(early.name, distance, seq(...at(copies, early, early), ended)),
    updateFor(plain, {
      body: seq(
        areBoxes ? syncBoxes("await-fill", stages) : sync("wait", distance - 1),
        ...(behind === undefined ? [] : [sync("wait-products", behind), ...published]),
        sync("barrier"),
        next,
        ...(areBoxes ? [] : [ended]),
        ...(behind === undefined ? computed : [sync("begin-products"), ...computed, sync("commit-products")]),
      ),
    }),
    ...(behind === undefined ? [] : [sync("wait-products")]),
  );
}

/** Says whether a copy is of tiles alone, each by one thread of the group. */
function isBox(stmt: Stmt): boolean {
  if (stmt.kind === "seq") return stmt.body.every(isBox);
  if (stmt.kind !== "for" || groupAxisOf(stmt)) return false;
  return stmt.annotations[warpWord] !== undefined || isBox(stmt.body);
}

function storesTo(stmt: Stmt): readonly string[] {
  const names: string[] = [];
  walkStmt(stmt, (each) => {
    if (each.kind === "store") names.push(each.buffer);
  });
  return names;
}

function readsAny(stmt: Stmt, names: ReadonlySet<string>): boolean {
  let found = false;
  walkStmt(
    stmt,
    () => undefined,
    (expr) => {
      found ||= expr.kind === "load" && names.has(expr.buffer);
    },
  );
  return found;
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
