// The code of a bundle → the same code with a check around each condition that can only be an expression of the language:
// JavaScript would take such a one for true, and build one side in silence.
//
//     const inside = y.ge(0).and(y.lt(H));     →     const inside = y.ge(0).and(y.lt(H));
//     return inside ? image(y) : 0;                  return $guard(inside, "?:", true) ? image(y) : 0;
//
// A value that may be an expression or nothing, such as a parameter of a helper, is left alone: its truth is a fair question.

import type { AnyNode } from "acorn";
import { childrenOf, conditionsOf, type NameScope, nameOfCallee, noScope, originOf, scopeOf } from "./conditions.ts";

/** Name of the check in the code. */
export const guardName = "$unpluginKernelGuard";

export interface Insertion {
  /** Index in the code before anything was inserted. */
  readonly at: number;
  readonly text: string;
}

/** Marks of a condition in code. The bundler's own functions have some, and stand before the first comment. */
const condition = /[?!]|&&|\|\||==|\b(?:if|while|for|switch)\b/;

/** Insertions in the order of the code; none where the code has no conditions, or is not understood. */
export async function guardConditions(code: string): Promise<readonly Insertion[]> {
  const start = Math.max(0, code.indexOf("\n// "));
  if (!condition.test(code.slice(start))) return [];
  const program = await parsed(code);
  if (!program) return [];
  const guards = new Map<AnyNode, readonly Insertion[]>();
  visit(program, noScope, { code, guards, elements: new Set() });
  const insertions = [...guards.values()].flat().filter(({ at }) => at >= start);
  return insertions.sort((left, right) => left.at - right.at);
}

export const inserted = (code: string, insertions: readonly Insertion[]): string => {
  let [text, from] = ["", 0];
  for (const { at, text: more } of insertions) {
    text += code.slice(from, at) + more;
    from = at;
  }
  return text + code.slice(from);
};

async function parsed(code: string): Promise<AnyNode | null> {
  const { parse } = await import("acorn"); // most operators have no conditions, and need no parser
  try {
    return parse(code, { ecmaVersion: "latest", sourceType: "script", allowReturnOutsideFunction: true });
  } catch (error) {
    if (error instanceof SyntaxError) return null; // newer than this parser: it runs without checks
    throw error;
  }
}

/** Work in progress: what the code holds, and the checks that it gets. */
interface Guarding {
  readonly code: string;
  readonly guards: Map<AnyNode, readonly Insertion[]>;
  /** Functions of computes: their parameters are axes. */
  readonly elements: Set<AnyNode>;
}

function visit(node: AnyNode, outer: NameScope, guarding: Guarding): void {
  const scope = scopeOf(node, outer, guarding);
  for (const { value, sign } of conditionsOf(node)) guardValue(value, sign, scope, guarding);
  if (node.type === "CallExpression" && nameOfCallee(node) === "compute")
    for (const argument of node.arguments) guarding.elements.add(argument);
  for (const child of childrenOf(node)) visit(child, scope, guarding);
}

/** Values that decide a condition: of `a && b` the right side, the left is a condition of its own. */
function partsOf(node: AnyNode): readonly AnyNode[] {
  if (node.type === "LogicalExpression") return [node.right];
  return node.type === "ConditionalExpression" ? [node.consequent, node.alternate] : [];
}

function guardValue(node: AnyNode, sign: string, scope: NameScope, guarding: Guarding): void {
  const parts = partsOf(node);
  if (parts.length > 0) {
    for (const part of parts) guardValue(part, sign, scope, guarding);
    return;
  }
  const { code, guards } = guarding;
  const origin = originOf(node, scope, code);
  if (origin === null || guards.has(node)) return;
  guards.set(node, [
    { at: node.start, text: `${guardName}(` },
    { at: node.end, text: `, ${JSON.stringify(sign)}, ${origin})` },
  ]);
}
