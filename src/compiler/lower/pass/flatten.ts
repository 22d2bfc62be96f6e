// Accesses with several indices → one, in elements, in linear form with the constant last. Buffers get one dimension.
//
//   B[k, j0*16 + 3] of 97×83   →   B[k*83 + j0*16 + 3]

import { boundsOf } from "../../ir/bounds.ts";
import { flatIndex } from "../../ir/build.ts";
import { assume } from "../../ir/compare.ts";
import type { Buffer, Expr, Prefetch, Stmt } from "../../ir/loop-ir.ts";
import { insideLoop, noRanges, type Ranges } from "../../ir/ranges.ts";
import { seqOf, simplifyIndex } from "../../ir/simplify.ts";
import { updateFor, updateIf, updateLoad, updatePrefetch, updateStore } from "../../ir/update.ts";
import { mapExpr, mapOwnExprs, mapShared } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";

export const flatten: Pass = {
  name: "flatten",
  run: (func) => ({
    ...func,
    buffers: func.buffers.map((buffer) => ({ ...buffer, shape: [lengthOf(buffer)] })),
    body: flattenStmt(func.body, noRanges, buffersOf(func)),
  }),
};

/** Number of elements. */
export const lengthOf = ({ shape }: Pick<Buffer, "shape">): number => product(shape);

type Buffers = ReturnType<typeof buffersOf>;

function flattenStmt(stmt: Stmt, ranges: Ranges, buffers: Buffers): Stmt {
  switch (stmt.kind) {
    case "for":
      return updateFor(stmt, { body: flattenStmt(stmt.body, insideLoop(ranges, stmt), buffers) });
    case "seq":
      return seqOf(
        mapShared(stmt.body, (each) => flattenStmt(each, ranges, buffers)),
        stmt,
      );
    case "if": {
      const condition = flattenExpr(stmt.condition, ranges, buffers);
      const yes = flattenStmt(stmt.then, assume(condition, ranges), buffers);
      return updateIf(stmt, { condition, then: yes, else: stmt.else && flattenStmt(stmt.else, ranges, buffers) });
    }
    case "store": {
      const { indices, value, active } = mapOwnExprs(stmt, (expr) => flattenExpr(expr, ranges, buffers)) as typeof stmt;
      return updateStore(stmt, { indices: [flat(buffers, stmt.buffer, indices, ranges)], value, active });
    }
    case "sync":
      return stmt;
    case "prefetch":
      return flattenPrefetch(stmt, ranges, buffers);
    case "define":
    case "assign":
    case "block":
      return mapOwnExprs(stmt, (expr) => flattenExpr(expr, ranges, buffers));
  }
}

/** Flattens a prefetch, and drops it if it lies outside of the buffer in all iterations, as those of a tail may. */
function flattenPrefetch(stmt: Prefetch, ranges: Ranges, buffers: Buffers): Stmt {
  const index = flat(buffers, stmt.buffer, stmt.indices, ranges);
  const { min, max } = boundsOf(index, ranges);
  return max < 0 || min >= lengthOf(buffers.get(stmt.buffer)!) ? seqOf([]) : updatePrefetch(stmt, [index]);
}

const flattenExpr = (expr: Expr, ranges: Ranges, buffers: Buffers): Expr =>
  mapExpr(expr, (each) =>
    each.kind === "load" ? updateLoad(each, { indices: [flat(buffers, each.buffer, each.indices, ranges)] }) : each,
  );

const flat = (buffers: Buffers, name: string, indices: readonly Expr[], ranges: Ranges): Expr =>
  simplifyIndex(flatIndex(buffers.get(name)!.shape, indices), ranges);
