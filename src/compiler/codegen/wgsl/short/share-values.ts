// Values of a function that stand in it more than once, said once: a local that is a member of another, or equals an earlier one, goes, and
// indices that differ in a number alone begin with a local that they share. No load moves, and no sum has another order.

import { declarationsIn, isBlock, letOf, namesIn, type Statement, statementsOf, withNames } from "./statements.ts";
import { type Group, isGroup, type Node, textOfNodes } from "./token-tree.ts";

/** Fewest tokens of an index that is worth a local. */
const leastTokens = 5;

/** Locals that a place can use: those that have a value, and those that have the beginning of an index, by the text of it. */
interface Known {
  readonly values: ReadonlyMap<string, string>;
  readonly bases: ReadonlyMap<string, string>;
}

interface Names {
  /** Says whether nodes name nothing that changes. */
  isConstant(nodes: readonly Node[]): boolean;
  /** Makes a name that the function does not have. */
  fresh(): string;
}

/** @param parts parameters and body of a function */
export function shareValues(parts: readonly Group[], body: Group): Group {
  const declared = declarationsIn(parts);
  let next = 0;
  const names: Names = {
    isConstant: (nodes) => [...namesIn(nodes)].every((name) => declared.has(name) && declared.get(name) !== "variable"),
    fresh: () => `uk_base${next++}`,
  };
  return { ...body, nodes: sharedIn(body.nodes, { values: new Map(), bases: new Map() }, names) };
}

function sharedIn(nodes: readonly Node[], outside: Known, names: Names): readonly Node[] {
  const values = new Map(outside.values);
  const bases = new Map(outside.bases);
  const gone = new Map<string, readonly Node[]>();
  const counts = countBases(nodes, names);
  const result: Node[] = [];
  for (const given of statementsOf(nodes)) {
    const statement = withNames(given, gone);
    const local = letOf(statement);
    const inPlace = local && inPlaceOf(local.value, values, names);
    if (local && inPlace) {
      gone.set(local.name, inPlace);
      continue;
    }
    if (local) values.set(textOfNodes(local.value), local.name);
    for (const [text, base] of wantedBases(statement, counts, bases)) {
      const known = values.get(text);
      const name = known ?? names.fresh();
      bases.set(text, name);
      if (known !== undefined) continue;
      values.set(text, name);
      result.push("let", name, "=", ...base, ";");
    }
    const known = { values, bases };
    const inside = withBases(statement, bases);
    result.push(...inside.map((it) => (isBlock(it) ? { ...it, nodes: sharedIn(it.nodes, known, names) } : it)));
  }
  return result;
}

/** Returns a text that can stand wherever a local is used; null: none is as short. */
function inPlaceOf(
  value: readonly Node[],
  values: ReadonlyMap<string, string>,
  { isConstant }: Names,
): readonly Node[] | null {
  if (!isConstant(value)) return null;
  const isMember = value.length === 3 && value[1] === ".";
  if (isMember) return value;
  const known = hasLoad(value) ? undefined : values.get(textOfNodes(value));
  return known === undefined ? null : [known];
}

const hasLoad = (nodes: readonly Node[]): boolean =>
  nodes.some((node) => isGroup(node) && (node.open === "[" || hasLoad(node.nodes)));

function visitIndices(nodes: readonly Node[], visit: (index: readonly Node[]) => void): void {
  for (const node of nodes) {
    if (!isGroup(node)) continue;
    if (node.open === "[") visit(node.nodes);
    visitIndices(node.nodes, visit);
  }
}

/** An index without the number that is added at its end. */
function baseOf(index: readonly Node[]): readonly Node[] {
  const [sign, number] = index.slice(-2);
  const isOffset = (sign === "+" || sign === "-") && typeof number === "string" && /^\d+$/.test(number);
  return isOffset && index.length > 2 ? index.slice(0, -2) : index;
}

/** How often indices in nodes begin alike. */
function countBases(nodes: readonly Node[], { isConstant }: Names): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  visitIndices(nodes, (index) => {
    const base = baseOf(index);
    if (base.length < leastTokens || hasLoad(base) || !isConstant(base)) return;
    const text = textOfNodes(base);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  });
  return counts;
}

/** Locals that a statement needs before it: beginnings of its indices that are used again, of names that are known before it. */
function wantedBases(
  statement: Statement,
  counts: ReadonlyMap<string, number>,
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly Node[]> {
  const wanted = new Map<string, readonly Node[]>();
  const own = new Set(declarationsIn(statement.filter(isGroup)).keys());
  visitIndices(statement, (index) => {
    const base = baseOf(index);
    const text = textOfNodes(base);
    const isOften = (counts.get(text) ?? 0) > 1;
    if (isOften && !known.has(text) && [...namesIn(base)].every((name) => !own.has(name))) wanted.set(text, base);
  });
  return wanted;
}

/** Writes indices by what they begin with. Blocks are left: theirs may be longer. */
const withBases = (nodes: readonly Node[], bases: ReadonlyMap<string, string>): readonly Node[] =>
  nodes.map((node) => {
    if (!isGroup(node) || node.open === "{") return node;
    const base = node.open === "[" ? baseOf(node.nodes) : [];
    const name = base.length < leastTokens ? undefined : bases.get(textOfNodes(base));
    return name === undefined
      ? { ...node, nodes: withBases(node.nodes, bases) }
      : { ...node, nodes: [name, ...node.nodes.slice(base.length)] };
  });
