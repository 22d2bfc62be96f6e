// An expression → a text that stands for it in a table.

import { sha256 } from "../support/digest.ts";
import { isLarge, operandsFirst } from "../support/graph.ts";
import { children } from "./expr-visit.ts";
import { headOf } from "./interned.ts";
import { printExpr } from "./print.ts";
import type { ScalarExpr } from "./scalar-expr.ts";

/** A text that is the same exactly for the same expression: of a small one its own text, of a large one a digest. */
export function keyOf(expr: ScalarExpr): string {
  if (!isLarge(expr, children)) return printExpr(expr);
  const open = (node: ScalarExpr): readonly ScalarExpr[] => (digests.has(node) ? [] : children(node));
  for (const node of operandsFirst(expr, open)) {
    const operands = children(node).map((operand) => digests.get(operand));
    if (!digests.has(node)) digests.set(node, sha256(`${headOf(node)} ${operands.join()}`));
  }
  return digests.get(expr)!;
}

const digests = new WeakMap<ScalarExpr, string>();
