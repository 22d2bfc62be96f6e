// Expressions of one statement → locals for what they use several times, and the expressions in terms of them. Long
// chains of operations are cut into locals too, so that nothing which is left is deep. Short values are computed again.

import { operandsFirst, parentsFirst, usesOf } from "../support/graph.ts";
import { define, localFrom } from "./build.ts";
import { sameExpr } from "./expr-key.ts";
import { interner, isLargeExpr } from "./graph.ts";
import { lanesOf } from "./lanes.ts";
import type { Define, Expr } from "./loop-ir.ts";
import { eachOperand, mapOperands, operandsOf } from "./operands.ts";
import { type Surroundings, speculated } from "./speculate.ts";

/** Weight of an operation that is no addition or the like, and of the least that becomes a local. */
const costly = 4;
/** Operations inside each other: C compilers have limits for parentheses. */
const mostDepth = 48;

export interface LocalValues {
  /** Definitions of the locals, in order, to be put before the statement. */
  readonly defines: readonly Define[];
  readonly exprs: readonly Expr[];
}

/** @param fresh gives the name of the next local */
export function localValues(exprs: readonly Expr[], around: Surroundings, fresh: () => string): LocalValues {
  const isWide = exprs.some((expr) => partsInTurns(expr).length > 0);
  if (!isWide && (isShort(exprs) || isPlain(exprs))) return { defines: [], exprs };
  const intern = interner();
  const roots = exprs.map(intern);
  const order = [...new Set(roots.flatMap((root) => operandsFirst(root, valuesIn)))];
  const certain = new Set(roots.flatMap((root) => parentsFirst(root, certainlyIn)));
  const built = new Map<Expr, Expr>();
  const defines: Define[] = [];
  const inner = (operand: Expr): Expr => built.get(operand) ?? operand;
  for (const node of locals(order, roots)) {
    const value = mapOperands(node.expr, inner);
    const safe = node.isLocal && !certain.has(node.expr) ? speculated(value, around) : value;
    const local = node.isLocal && safe ? define(fresh(), safe) : null;
    if (local) defines.push(local);
    built.set(node.expr, local ? localFrom(local) : value);
  }
  return defines.length === 0 ? { defines, exprs } : { defines, exprs: roots.map(inner) };
}

/** Most statements are: too few operations for two values that are worth a local, and too few nodes for a deep one. */
function isShort(exprs: readonly Expr[]): boolean {
  if (exprs.some(isLargeExpr)) return false;
  let [weight, nodes] = [2 * costly, mostDepth];
  const add = (expr: Expr): void => {
    nodes--;
    weight -= weightOf(expr);
    if (nodes >= 0 && weight > 0 && expr.kind !== "load" && expr.kind !== "ramp") eachOperand(expr, add);
  };
  exprs.forEach(add);
  return nodes >= 0 && weight > 0;
}

/** Says whether no value worth a local is there twice, and nothing is deep: most longer statements are like that too. */
function isPlain(exprs: readonly Expr[]): boolean {
  if (exprs.some(isLargeExpr)) return false;
  const candidates = new Map<number, Expr[]>();
  let isRepeated = false;
  const sizeOf = (expr: Expr): TreeSize => {
    const size = { weight: weightOf(expr), nodes: 1, depth: 0 };
    if (isRepeated || expr.kind === "load" || expr.kind === "ramp") return size;
    eachOperand(expr, (operand) => {
      const own = sizeOf(operand);
      size.weight += own.weight;
      size.nodes += own.nodes;
      size.depth = Math.max(size.depth, own.depth + 1);
    });
    if (size.weight < costly) return size;
    const alike = candidates.get(size.nodes);
    isRepeated ||= alike?.some((other) => sameExpr(other, expr)) ?? false;
    if (alike) alike.push(expr);
    else candidates.set(size.nodes, [expr]);
    return size;
  };
  return exprs.every((expr) => sizeOf(expr).depth < mostDepth && !isRepeated);
}

/** Size of an expression written out as a tree. */
interface TreeSize {
  readonly weight: number;
  readonly nodes: number;
  readonly depth: number;
}

/**
 * Operands that are computed as values. The index of a load is not among them unless it is large: back ends compute
 * addresses in their own ways.
 */
const valuesIn = (expr: Expr): readonly Expr[] =>
  expr.kind === "load" || expr.kind === "ramp" ? operandsOf(expr).filter(isLargeExpr) : operandsOf(expr);

/** Vectors that a value longer than they are is made up of lane by lane: back ends write them for each part of it. */
function partsInTurns(expr: Expr): readonly Expr[] {
  if (expr.kind === "cast") return partsInTurns(expr.operand);
  if (expr.kind === "interleave") return expr.parts;
  return expr.kind === "pick" && expr.picks.length > lanesOf(expr.parts[0]!) ? expr.parts : [];
}

/** Operands that are computed whenever the expression is: a choice, an `and` and an `or` may leave some out. */
function certainlyIn(expr: Expr): readonly Expr[] {
  if (expr.kind === "select" && lanesOf(expr.condition) === 1) return [expr.condition];
  const isLazy = expr.kind === "binary" && (expr.op === "and" || expr.op === "or");
  return isLazy ? [expr.left] : valuesIn(expr);
}

interface Node {
  readonly expr: Expr;
  readonly isLocal: boolean;
}

/** Every node, operands first, and whether it is to be a local. */
function locals(order: readonly Expr[], roots: readonly Expr[]): readonly Node[] {
  const uses = usesOf(order, valuesIn);
  const parts = new Set(roots.flatMap(partsInTurns));
  /** Weight and depth of what is written where each node is used. */
  const sizes = new Map<Expr, { readonly weight: number; readonly depth: number }>();
  const none = { weight: 0, depth: 0 };
  return order.map((expr) => {
    let [weight, depth] = [weightOf(expr), 0];
    for (const operand of valuesIn(expr)) {
      const own = sizes.get(operand) ?? none;
      weight += own.weight;
      depth = Math.max(depth, own.depth + 1);
    }
    const isShared = weight >= costly && (uses.get(expr) ?? 0) + (roots.includes(expr) ? 1 : 0) > 1;
    const isLocal = isShared || depth >= mostDepth || (parts.has(expr) && weight > 0);
    sizes.set(expr, isLocal ? none : { weight, depth });
    return { expr, isLocal };
  });
}

const cheapOps: ReadonlySet<string> = new Set([
  ...["add", "sub", "mul", "min", "max", "neg", "abs", "not", "and", "or", "eq", "ne", "lt", "le", "gt", "ge"],
  ...["shl", "shr", "bitAnd", "bitOr", "bitXor"],
]);

function weightOf(expr: Expr): number {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
    case "load":
    case "ramp":
    case "broadcast":
    case "bitcast":
      return 0;
    case "unary":
    case "binary":
      return cheapOps.has(expr.op) ? 1 : costly;
    case "select":
    case "shuffle":
    case "cast":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
      return 1;
    case "intrinsic":
      return costly;
  }
}
