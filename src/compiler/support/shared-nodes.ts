// Nodes of a graph that get a name of their own where it is written as text: nodes that are used several times (unless
// short) and deep nodes. So the text is as long as the graph, and no nest of parentheses is deep.

import { type OperandsOf, operandsFirst, usesOf } from "./graph.ts";

/** Nodes of what is written again rather than given a name. */
const shortNodes = 4;
/** Most operations inside each other. */
const mostDepth = 64;

/** Returns the nodes that get a name, each behind those that it needs; never the root. */
export function namedNodes<Node>(root: Node, operandsOf: OperandsOf<Node>): readonly Node[] {
  const order = operandsFirst(root, operandsOf);
  const uses = usesOf(order, operandsOf);
  const named: Node[] = [];
  /** Nodes and depth of the text that stands for each node. */
  const sizes = new Map<Node, { readonly nodes: number; readonly depth: number }>();
  for (const node of order) {
    let [nodes, depth] = [1, 0];
    for (const operand of operandsOf(node)) {
      const own = sizes.get(operand)!;
      nodes += own.nodes;
      depth = Math.max(depth, own.depth + 1);
    }
    const isNamed = node !== root && ((nodes > shortNodes && uses.get(node)! > 1) || depth >= mostDepth);
    if (isNamed) named.push(node);
    sizes.set(node, isNamed ? { nodes: 1, depth: 0 } : { nodes, depth });
  }
  return named;
}
