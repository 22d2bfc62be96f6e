// A condition, and whether it holds → facts about the sums that it compares. i - 1 < n, where it holds: i ≤ n.

import { type BoundedLanguage, boundsOfForm } from "./bounds.ts";
import { add, type Interval, intersect, isBounded, isEmpty, scale } from "./interval.ts";
import type { LinearTerm, Operation } from "./language.ts";
import { addForms, isExact, linearForm } from "./linear-form.ts";
import { type Ranges, withFact } from "./ranges.ts";
import { factsAbout } from "./sum-facts.ts";

/** A language whose conditions are taken apart. */
export interface ConditionalLanguage<Node, Memory> extends BoundedLanguage<Node, Memory> {
  /** The node as logic, or as a comparison of two i32; null: it is neither. */
  readonly condition: (node: Node) => Operation<Node> | null;
}

/** The ranges where `condition` has the value `holds`. */
export function assume<Node, Memory>(
  language: ConditionalLanguage<Node, Memory>,
  condition: Node,
  holds: boolean,
  ranges: Ranges<Node, Memory>,
): Ranges<Node, Memory> {
  const operation = language.condition(condition);
  if (operation?.kind === "unary")
    return operation.op === "not" ? assume(language, operation.operand, !holds, ranges) : ranges;
  if (operation?.kind !== "binary") return ranges;
  const { op, left, right } = operation;
  if (op === "and" || op === "or") {
    // A true `and` makes both operands true, a false `or` makes both false. The other two cases give no fact about
    // either.
    if ((op === "and") !== holds) return ranges;
    return assume(language, right, holds, assume(language, left, holds, ranges));
  }
  const signs = differences[op];
  if (!signs) return ranges;
  return assumeDifference(language, left, right, holds ? signs.holding : signs.failing, ranges);
}

/** Intervals in which a - b lies where a comparison holds, and where it fails; null: that is no interval. */
const differences: Readonly<
  Partial<Record<string, { readonly holding: Interval | null; readonly failing: Interval | null }>>
> = (() => {
  const zero: Interval = { min: 0, max: 0 };
  const positive: Interval = { min: 1, max: Number.POSITIVE_INFINITY };
  const atLeastZero: Interval = { min: 0, max: Number.POSITIVE_INFINITY };
  const [negative, atMostZero] = [scale(positive, -1), scale(atLeastZero, -1)];
  return {
    eq: { holding: zero, failing: null },
    ne: { holding: null, failing: zero },
    lt: { holding: negative, failing: atLeastZero },
    ge: { holding: atLeastZero, failing: negative },
    gt: { holding: positive, failing: atMostZero },
    le: { holding: atMostZero, failing: positive },
  };
})();

function assumeDifference<Node, Memory>(
  language: ConditionalLanguage<Node, Memory>,
  left: Node,
  right: Node,
  difference: Interval | null,
  ranges: Ranges<Node, Memory>,
): Ranges<Node, Memory> {
  const [a, b] = [exactForm(language, left, ranges), exactForm(language, right, ranges)];
  if (!difference || !a || !b) return ranges;
  const { terms, constant } = addForms(language, a, b, -1);
  if (!isExact(terms)) return ranges;
  const simple = ranges.withoutSums();
  const boundsOf = (some: readonly LinearTerm<Node>[]): Interval =>
    boundsOfForm(language, { terms: some, constant: 0 }, simple);
  const facts = factsAbout(terms, add(difference, { min: -constant, max: -constant }), boundsOf);
  return facts.reduce((known, fact) => withFact(language, known, fact.terms, fact), ranges);
}

/** A form that is the value as a number. Null where the sum may wrap: a comparison of values is no fact about the sums then. */
function exactForm<Node, Memory>(
  language: ConditionalLanguage<Node, Memory>,
  node: Node,
  ranges: Ranges<Node, Memory>,
) {
  const form = linearForm(language, node);
  return isBounded(boundsOfForm(language, form, ranges)) ? form : null;
}

/**
 * Says whether the facts may all hold, each seen from a place where only the variables' ranges are known. False is a proof
 * that they cannot; true proves nothing.
 */
export function isReachable<Node, Memory>(
  language: BoundedLanguage<Node, Memory>,
  ranges: Ranges<Node, Memory>,
): boolean {
  if (ranges.someIsEmpty()) return false;
  const open = ranges.withoutFacts();
  const boundsOf = (terms: readonly LinearTerm<Node>[]) => boundsOfForm(language, { terms, constant: 0 }, open);
  return ranges.facts().every((fact) => !isEmpty(intersect(fact, boundsOf(fact.terms))));
}
