// i32 expression + facts at its place → the interval of its values. Exact where each variable occurs once, and never too
// small.

import {
  empty,
  floorDivide,
  type Interval,
  intersect,
  larger,
  magnitude,
  modulo,
  multiply,
  smaller,
  unbounded,
  union,
} from "./interval.ts";
import type { Language, LinearForm, Operation } from "./language.ts";
import { linearForm } from "./linear-form.ts";
import type { Ranges } from "./ranges.ts";

type Of<Kind extends Operation<unknown>["kind"], Node> = Extract<Operation<Node>, { readonly kind: Kind }>;

/**
 * A language whose bounds are worked out. It says what its leaves are, and how far an answer is looked for: an operator's
 * author is to be understood, and is waited for; loop IR asks a million times, and its answers decide what code is made.
 */
export interface BoundedLanguage<Node, Memory> extends Language<Node> {
  readonly boundsOfLeaf: (leaf: Node, ranges: Ranges<Node, Memory>) => Interval;
  /** Bounds of an operand: `boundsOfNode`, and what the language does with numbers that do not fit its types. */
  readonly boundsOfOperand: (operand: Node, ranges: Ranges<Node, Memory>) => Interval;
  /** Bounds of an atom of a form, which need not be a node of the expression that was asked for. */
  readonly boundsOfAtom: (atom: Node, ranges: Ranges<Node, Memory>) => Interval;
  readonly boundsOfDivisor: (divisor: Node, ranges: Ranges<Node, Memory>) => Interval;
  /** Bounds of a form that follow from the facts about sums; null: they say nothing about it. */
  readonly boundsFromFacts: (form: LinearForm<Node>, ranges: Ranges<Node, Memory>) => Interval | null;
  /** The ranges on a side of a choice; null: it is never taken. */
  readonly rangesOfSide: (choice: Node, side: boolean, ranges: Ranges<Node, Memory>) => Ranges<Node, Memory> | null;
}

/** Bounds of a node by its operation. */
export function boundsOfNode<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  node: Node,
  ranges: Ranges<Node, Memory>,
): Interval {
  const operation = language.arithmetic(node);
  if (!operation) return language.boundsOfLeaf(node, ranges);
  switch (operation.kind) {
    case "const":
      return { min: operation.value, max: operation.value };
    case "unary":
      return boundsOfUnary(language, node, operation, ranges);
    case "binary":
      return boundsOfBinary(language, node, operation, ranges);
    case "select":
      return boundsOfChoice(language, node, operation, ranges);
  }
}

function boundsOfUnary<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  node: Node,
  { op, operand }: Of<"unary", Node>,
  ranges: Ranges<Node, Memory>,
): Interval {
  if (op === "neg") return boundsOfForm(language, linearForm(language, node), ranges);
  return op === "abs" ? magnitude(language.boundsOfOperand(operand, ranges)) : unbounded;
}

export function boundsOfForm<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  form: LinearForm<Node>,
  ranges: Ranges<Node, Memory>,
): Interval {
  let min = form.constant;
  let max = form.constant;
  for (const { atom, coefficient } of form.terms) {
    const bounds = boundsOfAtom(language, atom, ranges);
    min += coefficient * (coefficient > 0 ? bounds.min : bounds.max);
    max += coefficient * (coefficient > 0 ? bounds.max : bounds.min);
  }
  const known = ranges.hasFacts ? language.boundsFromFacts(form, ranges) : null;
  return known ? intersect({ min, max }, known) : { min, max };
}

function boundsOfAtom<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  atom: Node,
  ranges: Ranges<Node, Memory>,
): Interval {
  const bounds = language.boundsOfAtom(atom, ranges);
  const fact = ranges.hasFacts && !language.isVariable(atom) ? ranges.get(language.keyOf(atom)) : null;
  return fact ? intersect(bounds, fact) : bounds;
}

function boundsOfBinary<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  node: Node,
  { op, left, right }: Of<"binary", Node>,
  ranges: Ranges<Node, Memory>,
): Interval {
  const of = (operand: Node): Interval => language.boundsOfOperand(operand, ranges);
  switch (op) {
    case "add":
    case "sub":
      return boundsOfForm(language, linearForm(language, node), ranges);
    case "mul": {
      const isMultiple = [left, right].some((side) => language.arithmetic(side)?.kind === "const");
      if (isMultiple) return boundsOfForm(language, linearForm(language, node), ranges);
      return multiply(of(left), of(right));
    }
    case "floorDiv":
    case "mod": {
      const by = language.boundsOfDivisor(right, ranges);
      if (by.min < 1) return unbounded;
      return op === "mod" ? modulo(of(left), by) : floorDivide(of(left), by);
    }
    case "min":
      return smaller(of(left), of(right));
    case "max":
      return larger(of(left), of(right));
    default:
      return unbounded;
  }
}

function boundsOfChoice<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  node: Node,
  choice: Of<"select", Node>,
  ranges: Ranges<Node, Memory>,
): Interval {
  const [whenTrue, whenFalse] = [language.rangesOfSide(node, true, ranges), language.rangesOfSide(node, false, ranges)];
  const yes = whenTrue && language.boundsOfOperand(choice.then, whenTrue);
  const no = whenFalse && language.boundsOfOperand(choice.else, whenFalse);
  if (yes && no) return union(yes, no);
  return yes ?? no ?? empty;
}
