// A language of expressions, as the analysis of index arithmetic sees it: how a node falls apart. There are two, the user's
// expressions (`expr/index-range.ts`) and loop IR (`ir/affine.ts`, `ir/bounds.ts`); their nodes serve as they are.

import type { Numbers } from "./numbers.ts";

/** A node of arithmetic or logic. Operators that the analysis does not know make a leaf. */
export type Operation<Node> =
  | { readonly kind: "const"; readonly value: number }
  | { readonly kind: "unary"; readonly op: string; readonly operand: Node }
  | { readonly kind: "binary"; readonly op: string; readonly left: Node; readonly right: Node }
  | { readonly kind: "select"; readonly condition: Node; readonly then: Node; readonly else: Node };

export interface LinearTerm<Atom> {
  readonly atom: Atom;
  /** Factor of the atom, never 0. */
  readonly coefficient: number;
}

export interface LinearForm<Atom> {
  /** Each atom once: the largest coefficient (by size) first, then by the atom's key. */
  readonly terms: readonly LinearTerm<Atom>[];
  readonly constant: number;
}

/** Source of linear forms. */
export interface Language<Node> {
  /** The node as i32 arithmetic; null: it is a leaf (a variable, a read, a cast, arithmetic of another type). */
  readonly arithmetic: (node: Node) => Operation<Node> | null;
  readonly numbers: Numbers;
  readonly isVariable: (node: Node) => boolean;
  /** Returns a text that is the same exactly for the same expression; a variable's is its name. */
  readonly keyOf: (node: Node) => string;
  /** Says whether the expression uses nodes so often that each is to be visited once. */
  readonly isLarge: (node: Node) => boolean;
  /** The atom that stands for a product of which no side is constant. */
  readonly productOf: (left: LinearForm<Node>, right: LinearForm<Node>, product: Node) => Node;
}
