// A loop with the word `shuffle` adds up what neighbours have in registers. Each thread begins with its own part, and in each step adds what a
// neighbour has come to, which is of twice as many parts. In the end all of them have the sum.
//
//   for l in 0..4 (shuffle: 1)             let own = v[threadIdx.x]
//     S[0] = S[0] + v[4 * p + l]     →     let other1 = shuffle(own, 1);   let both1 = own + other1
//                                          let other2 = shuffle(both1, 2); let both2 = both1 + other2
//                                          S[0] = S[0] + both2
//
// Where the loop is no such sum, or the threads of a group are others, it stays a loop, and the parts go through the memory of the group.

import { binary, define, localOf, seq, shuffle } from "../../../ir/build.ts";
import { sameExpr } from "../../../ir/expr-key.ts";
import type { Binary, Expr, For, Load, Local, Stmt, Store } from "../../../ir/loop-ir.ts";
import { simplifyExpr } from "../../../ir/simplify.ts";
import { updateBinary, updateLoad, updateStore } from "../../../ir/update.ts";
import { substitute, varsIn, walkStmt } from "../../../ir/visit.ts";
import { isPowerOfTwo } from "../../../support/integer-math.ts";

/** Word of a loop whose iterations are neighbouring threads. */
export const shuffleWord = "shuffle";

/** A sum over neighbours. */
export interface ShuffledSum {
  /** The store of the start, before the first part; null: the element has a value already. */
  readonly init: Store | null;
  readonly stored: Store;
  /** The value that is stored, of the element and a part. */
  readonly update: Binary;
  readonly element: Load;
}

const commutes: ReadonlySet<string> = new Set(["add", "mul", "min", "max"]);

/** Returns the sum that a loop is; null: it is none, or has no such word. */
export function shuffledSum({ name, extent, annotations, body }: For): ShuffledSum | null {
  if (annotations[shuffleWord] === undefined || !isPowerOfTwo(extent)) return null;
  const stmts = body.kind === "seq" ? body.body : [body];
  const stored = stmts.at(-1);
  if (stored?.kind !== "store" || stored.active || stored.value.kind !== "binary") return null;
  const update = stored.value;
  const element = update.left;
  const isUpdate = commutes.has(update.op) && element.kind === "load" && isPlaceOf(element, stored);
  const isHandedOn = update.dtype === "f32" || update.dtype === "i32";
  if (!isUpdate || !isHandedOn || stored.indices.some((index) => varsIn(index).has(name))) return null;
  const first = stmts.length === 2 ? initIn(stmts[0]!, name, stored) : null;
  return stmts.length === 1 || first ? { init: first, stored, update, element } : null;
}

const isPlaceOf = (access: Load | Store, { buffer, indices }: Store): boolean =>
  access.buffer === buffer &&
  access.active === null &&
  access.indices.every((index, dim) => sameExpr(index, indices[dim]!));

/** The store of the first iteration, to the same place; null: it is something else. */
function initIn(stmt: Stmt, loop: string, stored: Store): Store | null {
  if (stmt.kind !== "if" || stmt.else || stmt.then.kind !== "store" || stmt.condition.kind !== "binary") return null;
  const { op, left, right } = stmt.condition;
  const isFirst =
    op === "eq" && left.kind === "var" && left.name === loop && right.kind === "const" && right.value === 0;
  return isFirst && isPlaceOf(stmt.then, stored) ? stmt.then : null;
}

/** Number of neighbours of the sums inside of a statement; 0: there are none, or they are of different numbers. */
export function shuffledLanes(stmt: Stmt): number {
  const counts = new Set<number>();
  walkStmt(stmt, (each) => {
    if (each.kind === "for" && shuffledSum(each)) counts.add(each.extent);
  });
  const [lanes] = counts;
  return counts.size === 1 ? lanes! : 0;
}

/**
 * @param coordinates places of the thread, by the names of the loops that they stand for
 * @param stem begins the names of the sum's locals
 */
export function byShuffles(
  { init, stored, update, element }: ShuffledSum,
  lanes: number,
  coordinates: ReadonlyMap<string, Expr>,
  stem: string,
): Stmt {
  const at = (expr: Expr): Expr => simplifyExpr(substitute(expr, coordinates));
  const { dtype, op } = update;
  const stmts: Stmt[] = [];
  const named = (name: string, value: Expr): Local => {
    stmts.push(define(`${stem}.${name}`, value));
    return localOf(`${stem}.${name}`, dtype);
  };
  let sum = named("own", at(update.right));
  for (let mask = 1; mask < lanes; mask *= 2) {
    const other = named(`other${mask}`, shuffle(sum, mask));
    sum = named(`both${mask}`, binary(op, sum, other));
  }
  const indices = stored.indices.map(at);
  const value = updateBinary(update, { left: updateLoad(element, { indices }), right: sum });
  const first = init ? [updateStore(init, { indices, value: at(init.value) })] : [];
  return seq(...first, ...stmts, updateStore(stored, { indices, value }));
}
