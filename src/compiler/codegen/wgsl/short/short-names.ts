// Short names for what a text declares. Locals are named in the order of their declarations, the first of each function alike, so that functions
// that are alike have texts that are, which compress well. Variables and functions of the text have names from the other end of the letters.

import { type Group, isGroup, type Node } from "./token-tree.ts";

const isName = (node: Node | undefined): node is string => typeof node === "string" && /^[A-Za-z_]\w*$/.test(node);
const isVariable = (node: Node | undefined): boolean =>
  typeof node === "string" && (node === "let" || node === "const" || /^var(?:<|$)/.test(node));

/** Calls `visit` with each name that may be one of ours: of no member, and in no attribute. */
function walkNames(nodes: readonly Node[], visit: (name: string, at: number, nodes: readonly Node[]) => void): void {
  for (const [at, node] of nodes.entries()) {
    if (isGroup(node)) {
      if (nodes[at - 2] !== "@") walkNames(node.nodes, visit);
    } else if (isName(node) && nodes[at - 1] !== "." && nodes[at - 1] !== "@") visit(node, at, nodes);
  }
}

/** Names that nodes declare: variables, and parameters, which have their type behind them. */
function declaredIn(nodes: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  walkNames(nodes, (name, at, around) => {
    if (isVariable(around[at - 1]) || around[at + 1] === ":") names.add(name);
  });
  return names;
}

/** A part of a text outside of which its locals are not known: the parameters and the body of a function. */
interface Scope {
  readonly nodes: readonly Group[];
  readonly locals: ReadonlySet<string>;
}

function scopesOf(nodes: readonly Node[]): readonly Scope[] {
  return nodes.flatMap((node, at) => {
    if (node !== "fn") return [];
    const parameters = nodes[at + 2] as Group;
    const body = nodes.slice(at).find((it): it is Group => isGroup(it) && it.open === "{")!;
    const parts = [parameters, body];
    return [{ nodes: parts, locals: declaredIn(parts.flatMap((part) => part.nodes)) }];
  });
}

function globalsOf(nodes: readonly Node[]): ReadonlySet<string> {
  const own = nodes.filter(
    (node, at): node is string => isName(node) && (nodes[at - 1] === "fn" || isVariable(nodes[at - 1])),
  );
  return new Set(own);
}

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const tails = [...letters, ..."0123456789"];
/** Words of the language of two letters, of now and of later. */
const words = ["as", "do", "fn", "if", "is", "of", "or"];

function* shortNames(firsts: readonly string[], taken: ReadonlySet<string>): Generator<string> {
  const isFree = (name: string): boolean => !taken.has(name) && !words.includes(name);
  yield* firsts.filter(isFree);
  const two = firsts.flatMap((first) => tails.map((second) => first + second)).filter(isFree);
  yield* two;
  // No word of the language ends with an underscore.
  for (const first of two) for (const second of tails) yield `${first}${second}_`;
}

export interface NamedNodes {
  readonly nodes: readonly Node[];
  /** Short names of functions and of variables outside of them. */
  readonly globals: ReadonlyMap<string, string>;
}

/** Gives all that is declared a short name. */
export function nameNodes(nodes: readonly Node[]): NamedNodes {
  const globals = globalsOf(nodes);
  const scopes = scopesOf(nodes);
  const declared = new Set([...globals, ...scopes.flatMap(({ locals }) => [...locals])]);
  const taken = new Set<string>();
  walkNames(nodes, (name) => declared.has(name) || taken.add(name));
  const last = shortNames(letters.toReversed(), taken);
  const ofGlobals = new Map([...globals].map((name) => [name, last.next().value as string]));
  const inScope = new Map<Group, ReadonlyMap<string, string>>();
  for (const { nodes: parts, locals } of scopes) {
    const names = shortNames(letters, new Set([...taken, ...ofGlobals.values()]));
    const own = new Map([...ofGlobals, ...[...locals].map((name) => [name, names.next().value as string] as const)]);
    for (const part of parts) inScope.set(part, own);
  }
  return { nodes: renamed(nodes, ofGlobals, inScope), globals: ofGlobals };
}

function renamed(
  nodes: readonly Node[],
  names: ReadonlyMap<string, string>,
  inScope: ReadonlyMap<Group, ReadonlyMap<string, string>>,
): readonly Node[] {
  return nodes.map((node, at) => {
    if (isGroup(node)) {
      if (nodes[at - 2] === "@") return node;
      return { ...node, nodes: renamed(node.nodes, inScope.get(node) ?? names, inScope) };
    }
    const isOurs = isName(node) && nodes[at - 1] !== "." && nodes[at - 1] !== "@";
    return (isOurs && names.get(node)) || node;
  });
}
