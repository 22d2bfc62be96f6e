// Puts statements before stores, definitions, assignments and conditions: what they use, worked out ahead. A statement
// that introduces no local stays as it is.

import { assume } from "../../ir/compare.ts";
import type { Assign, Define, If, LoopFunc, Stmt, Store } from "../../ir/loop-ir.ts";
import { insideLoop, noRanges, type Ranges } from "../../ir/ranges.ts";
import { updateFor, updateIf } from "../../ir/update.ts";
import { walkStmt } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";

/** A statement with expressions of its own; of an `if` its condition. */
export type Leaf = Store | Define | Assign | If;

/** The leaf, rewritten, with what comes before it. */
export type Expand = (leaf: Leaf, ranges: Ranges) => readonly Stmt[];

export function expandLeaves(func: LoopFunc, expand: Expand): LoopFunc {
  const body = single(expandInto(func.body, noRanges, expand));
  return body === func.body ? func : { ...func, body };
}

const single = (stmts: readonly Stmt[]): Stmt => (stmts.length === 1 ? stmts[0]! : { kind: "seq", body: stmts });

/** Statements that take the place of one in a sequence. */
function expandInto(stmt: Stmt, ranges: Ranges, expand: Expand): readonly Stmt[] {
  switch (stmt.kind) {
    case "for": {
      const body = single(expandInto(stmt.body, insideLoop(ranges, stmt), expand));
      return [body === stmt.body ? stmt : updateFor(stmt, { body })];
    }
    case "seq": {
      const body = flatMap(stmt.body, (child) => expandInto(child, ranges, expand));
      const same = body.length === stmt.body.length && body.every((child, at) => child === stmt.body[at]);
      return [same ? stmt : { kind: "seq", body }];
    }
    case "if": {
      const yes = single(expandInto(stmt.then, assume(stmt.condition, ranges), expand));
      const no = stmt.else && single(expandInto(stmt.else, ranges, expand));
      const same = yes === stmt.then && no === stmt.else;
      return expand(same ? stmt : updateIf(stmt, { then: yes, else: no }), ranges);
    }
    case "prefetch":
    case "sync":
      return [stmt];
    case "store":
    case "define":
    case "assign":
      return expand(stmt, ranges);
    case "block":
      invariant(false, `blocks are lowered before values become locals: ${stmt.name}`);
  }
}

/** Gives a name that nothing in the function has. */
export type Fresh = (stem: string) => string;

/** Looks at the function when the first name is asked for: most functions need none. */
export function freshNames(func: LoopFunc): Fresh {
  let taken: ReadonlySet<string> | null = null;
  let count = 0;
  return (stem) => {
    taken ??= namesIn(func);
    let name = `${stem}.${count++}`;
    while (taken.has(name)) name = `${stem}.${count++}`;
    return name;
  };
}

function namesIn({ body }: LoopFunc): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for" || stmt.kind === "define") names.add(stmt.name);
  });
  return names;
}
