// Statements of a block as token trees, and what a function says of the names that it declares.

import { type Group, isGroup, type Node } from "./token-tree.ts";

export type Statement = readonly Node[];

export const isBlock = (node: Node): node is Group => isGroup(node) && node.open === "{";

/** Splits a block: a statement ends with `;`, or with the block that it has. */
export function statementsOf(nodes: readonly Node[]): readonly Statement[] {
  const result: Statement[] = [];
  let from = 0;
  for (const [at, node] of nodes.entries()) {
    if (node !== ";" && !isBlock(node)) continue;
    result.push(nodes.slice(from, at + 1));
    from = at + 1;
  }
  return from < nodes.length ? [...result, nodes.slice(from)] : result;
}

/** A local that does not change, as a statement declares it: `let name = value;`. */
export interface Let {
  readonly name: string;
  readonly value: readonly Node[];
}

/** Null: the statement declares none. */
export const letOf = ([word, name, , ...rest]: Statement): Let | null =>
  word === "let" ? { name: name as string, value: rest.slice(0, -1) } : null;

const isName = (node: Node): node is string => typeof node === "string" && /^[A-Za-z_]\w*$/.test(node);

const isCalled = (next: Node | undefined): boolean => next !== undefined && isGroup(next) && next.open === "(";

/** Names of values in nodes and in their groups: of no member, and of no function, which compute the same whenever they are called. */
export function namesIn(nodes: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (all: readonly Node[]): void => {
    for (const [at, node] of all.entries()) {
      if (isGroup(node)) visit(node.nodes);
      else if (isName(node) && all[at - 1] !== "." && !isCalled(all[at + 1])) names.add(node);
    }
  };
  visit(nodes);
  return names;
}

/** Puts nodes in the place of names. */
export const withNames = (nodes: readonly Node[], values: ReadonlyMap<string, readonly Node[]>): readonly Node[] =>
  nodes.flatMap((node, at): readonly Node[] => {
    if (isGroup(node)) return [{ ...node, nodes: withNames(node.nodes, values) }];
    return (nodes[at - 1] !== "." && values.get(node)) || [node];
  });

/** Ways to declare a name. A let, a parameter and a counter keep their value in a body: a counter changes in the head of its loop alone. */
type Declaration = "let" | "parameter" | "counter" | "variable";

/** Names that a function declares: of a name that it declares in different ways, or twice as a local, the last is `variable`. */
export function declarationsIn(parts: readonly Group[]): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  const add = (name: Node | undefined, how: Declaration): void => {
    const isKnown = found.has(name as string);
    found.set(name as string, isKnown && !(how === "counter" && found.get(name as string) === how) ? "variable" : how);
  };
  const visit = (nodes: readonly Node[], isLoopHead: boolean): void => {
    for (const [at, node] of nodes.entries()) {
      if (isGroup(node)) visit(node.nodes, nodes[at - 1] === "for");
      else if (node === "let") add(nodes[at + 1], "let");
      else if (node === "var") add(nodes[at + 1], isLoopHead ? "counter" : "variable");
      else if (nodes[at + 1] === ":") add(node, "parameter");
    }
  };
  for (const { nodes } of parts) visit(nodes, false);
  return found;
}
