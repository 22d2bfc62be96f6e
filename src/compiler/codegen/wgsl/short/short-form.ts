// A text of ours in its shortest form, as pages load it: short names, no white space, only parentheses that matter, and nothing said twice. It
// computes the same by the same operations in the same order. Reports, `inspect`, keys and validation have the text as the generator prints it.

import type { WgslSource } from "../wgsl-source.ts";
import { elementTypesOf, reuseNames } from "./reuse-names.ts";
import { shareValues } from "./share-values.ts";
import { nameNodes } from "./short-names.ts";
import { type Group, isGroup, type Node, nodesOf, textOfNodes } from "./token-tree.ts";

/** Shortens a text, and the names of its entry points with it. */
export function shortWgsl(source: WgslSource): WgslSource {
  const { nodes, globals } = nameNodes(withShortBodies(plain(nodesOf(source.text), "")));
  return {
    ...source,
    text: textOfNodes(nodes),
    launches: source.launches.map((launch) => ({ ...launch, entry: globals.get(launch.entry) ?? launch.entry })),
  };
}

function withShortBodies(nodes: readonly Node[]): readonly Node[] {
  const types = elementTypesOf(nodes);
  return nodes.map((node, at) =>
    isGroup(node) && node.open === "{"
      ? reuseNames(shareValues([parametersBefore(nodes, at), node], node), types)
      : node,
  );
}

/** Parameters of the function whose body stands at a place. */
const parametersBefore = (nodes: readonly Node[], at: number): Group => nodes.slice(0, at).findLast(isGroup)!;

/** How strongly the operators of an expression bind, those of its parts in parentheses left out. */
type Binding = "operand" | "product" | "sum" | "other";

const bindings: Readonly<Record<string, Binding>> = {
  ...{ "*": "product", "/": "product", "%": "product" },
  ...{ "+": "sum", "-": "sum" },
};
const operator = /^[-+*/%&|^!=<>~]+$/;
const isOperator = (node: Node | undefined): node is string => typeof node === "string" && operator.test(node);
/** Whether an operator behind it has a left operand. */
const isOperand = (node: Node | undefined): boolean =>
  node !== undefined && (isGroup(node) || (/^(?:\w|\.\d)/.test(node) && node !== "return"));

function bindingOf(nodes: readonly Node[]): Binding {
  let found: Binding = "operand";
  for (const [at, node] of nodes.entries()) {
    if (!isOperator(node)) continue;
    const own = isOperand(nodes[at - 1]) ? (bindings[node] ?? "other") : "other";
    if (own === "other" || (found !== "operand" && found !== own)) return own === "other" ? own : "sum";
    found = own;
  }
  return found;
}

/** A `<` or `>` that other parentheses around it could make the brackets of a type. */
const mayBeBracket = (nodes: readonly Node[]): boolean => nodes.some((node) => isOperator(node) && /[<>]/.test(node));

const starts = (node: Node | undefined): boolean =>
  node === undefined || [",", "return", "=", "+=", "-=", "*="].includes(node as string);
const ends = (node: Node | undefined): boolean => node === undefined || node === "," || node === ";";

/** Whether the parentheses around nodes may go. @param before the node before them, undefined: they begin an expression */
function mayGo(inner: readonly Node[], before: Node | undefined, after: Node | undefined, isUnary: boolean): boolean {
  const binding = bindingOf(inner);
  if (binding === "operand") return inner.length > 0;
  if (starts(before) && ends(after)) return !mayBeBracket(inner);
  if (binding === "other" || isUnary) return false;
  const [left, right] = [before, after].map((node) => (isOperator(node) ? bindings[node] : null));
  const isFirst = starts(before);
  // `a - (b + c)` is another sum, and `a * (b * c)` another product.
  if (binding === "sum") return isFirst && right === "sum";
  return (isFirst || left === "sum") && (ends(after) || right === "sum" || right === "product");
}

/** Takes away parentheses that change nothing, the inner ones first, and assigns sums by `+=`. */
function plain(nodes: readonly Node[], open: string): readonly Node[] {
  const simple = nodes.map((node) => (isGroup(node) ? { ...node, nodes: plain(node.nodes, node.open) } : node));
  const result: Node[] = [];
  for (const [at, node] of simple.entries()) {
    const before = result.at(-1);
    const isGrouping = isGroup(node) && node.open === "(" && !isOperand(before);
    const isUnary = isOperator(before) && !isOperand(result.at(-2));
    const first = open === "{" && before === undefined ? ";" : before;
    if (isGrouping && mayGo(node.nodes, first, simple[at + 1], isUnary)) result.push(...node.nodes);
    else result.push(node);
  }
  return open === "{" ? inPlace(result) : result;
}

/** Statements `x = x + y` as `x += y`. */
function inPlace(nodes: readonly Node[]): readonly Node[] {
  const result: Node[] = [];
  for (let at = 0; at < nodes.length; at++) {
    result.push(nodes[at]!);
    if (!isSumInPlace(nodes, at)) continue;
    result.push(`${nodes[at + 3]}=`);
    at += 3;
  }
  return result;
}

/** Whether a statement that begins there is `x = x + y`, with a `y` that is no sum. */
function isSumInPlace(nodes: readonly Node[], at: number): boolean {
  const [name, equals, again, sign] = [nodes[at]!, nodes[at + 1], nodes[at + 2], nodes[at + 3]];
  if (equals !== "=" || again !== name || typeof name !== "string" || typeof sign !== "string") return false;
  const isStart = at === 0 || nodes[at - 1] === ";" || isGroup(nodes[at - 1]!);
  if (!isStart) return false;
  const binding = bindingOf(nodes.slice(at + 4, nodes.indexOf(";", at)));
  return sign === "*" ? binding === "operand" : bindings[sign] === "sum" && /operand|product/.test(binding);
}
