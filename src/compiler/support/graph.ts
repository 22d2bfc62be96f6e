// Walks over expressions, which are graphs: a node may be an operand of several others. A small one is walked as the tree
// that it is when written out. In a large one each node is visited once, and without recursion, so that neither what is
// shared nor what is deep costs more than its number of nodes.

/** The operands of a node, in order. */
export type OperandsOf<Node> = (node: Node) => readonly Node[];

/** Nodes of an expression written out as a tree, up to which it is walked as one: that needs no memory of what was seen. */
const treeNodes = 256;

/** Says whether the expression, written out as a tree, has so many nodes that it must be walked as a graph. */
export function isLarge<Node>(root: Node, operandsOf: OperandsOf<Node>): boolean {
  let left = treeNodes;
  const isOver = (node: Node): boolean => {
    if (--left < 0) return true;
    for (const operand of operandsOf(node)) if (isOver(operand)) return true;
    return false;
  };
  return isOver(root);
}

/** Each node once, operands before what is made of them, the first operand first. */
export function operandsFirst<Node>(root: Node, operandsOf: OperandsOf<Node>): readonly Node[] {
  const order: Node[] = [];
  const done = new Set<Node>();
  const stack = [root];
  for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
    const open = done.has(node) ? [] : operandsOf(node).filter((operand) => !done.has(operand));
    if (open.length > 0) {
      for (const operand of open.toReversed()) stack.push(operand);
      continue;
    }
    stack.pop();
    if (done.has(node)) continue;
    done.add(node);
    order.push(node);
  }
  return order;
}

/** Each node once, a node before operands that were not seen before it, the first operand first. */
export function parentsFirst<Node>(root: Node, operandsOf: OperandsOf<Node>): readonly Node[] {
  const seen = new Set<Node>();
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const operand of operandsOf(node).toReversed()) stack.push(operand);
  }
  return [...seen];
}

/** Value of a node; `of` gives the values of its operands. */
export type NodeFunction<Node, T> = (node: Node, of: (operand: Node) => T) => T;

/** A value worked out from the operands up, once for each node of a large expression. `f` depends on nothing but the node. */
export function fold<Node, T>(root: Node, operandsOf: OperandsOf<Node>, f: NodeFunction<Node, T>): T {
  if (isLarge(root, operandsOf)) return foldOnce(root, operandsOf, f);
  const visit = (node: Node): T => f(node, visit);
  return visit(root);
}

/** Folds like `fold`, but visits each node once in small expressions too. */
export function foldOnce<Node, T>(root: Node, operandsOf: OperandsOf<Node>, f: NodeFunction<Node, T>): T {
  const known = new Map<Node, T>();
  const of = (operand: Node): T => known.get(operand) as T;
  for (const node of operandsFirst(root, operandsOf)) known.set(node, f(node, of));
  return of(root);
}

/** Calls `visit` for every node, parents first: each time that it is written in a small expression, once in a large one. */
export function walk<Node>(root: Node, operandsOf: OperandsOf<Node>, visit: (node: Node) => void): void {
  if (isLarge(root, operandsOf)) {
    for (const node of parentsFirst(root, operandsOf)) visit(node);
    return;
  }
  const walkTree = (node: Node): void => {
    visit(node);
    for (const operand of operandsOf(node)) walkTree(operand);
  };
  walkTree(root);
}

/** Says whether `test` holds for some node. */
export function some<Node>(root: Node, operandsOf: OperandsOf<Node>, test: (node: Node) => boolean): boolean {
  let left = treeNodes;
  const inTree = (node: Node): boolean | null => {
    if (--left < 0) return null;
    if (test(node)) return true;
    for (const operand of operandsOf(node)) {
      const found = inTree(operand);
      if (found !== false) return found;
    }
    return false;
  };
  return inTree(root) ?? parentsFirst(root, operandsOf).some(test);
}

/** Number of times that each node is an operand. */
export function usesOf<Node>(order: readonly Node[], operandsOf: OperandsOf<Node>): ReadonlyMap<Node, number> {
  const uses = new Map<Node, number>();
  for (const node of order) for (const operand of operandsOf(node)) uses.set(operand, (uses.get(operand) ?? 0) + 1);
  return uses;
}

/** Steps from the root to the deepest node. */
export const depthOf = <Node>(root: Node, operandsOf: OperandsOf<Node>): number =>
  foldOnce<Node, number>(root, operandsOf, (node, of) =>
    operandsOf(node).reduce((most, it) => Math.max(most, of(it) + 1), 0),
  );
