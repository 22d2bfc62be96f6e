// The text of a configuration file → its syntax tree, JavaScript or TypeScript. acorn tells where each thing stands in the text, so that
// a file is edited in place and nothing else in it changes.

import { tsPlugin } from "@sveltejs/acorn-typescript";
import { type AnyNode, type Expression, type Node, Parser, type Program, parseExpressionAt } from "acorn";

export type { AnyNode, ArrayExpression, Expression, ObjectExpression, Program, Property } from "acorn";

/** TypeScript's wrappers around an expression: `{ … } satisfies Config`. */
interface TypedExpression extends Node {
  readonly type: "TSAsExpression" | "TSSatisfiesExpression" | "TSNonNullExpression" | "TSExportAssignment";
  readonly expression: Expression;
}

export type SyntaxNode = AnyNode | TypedExpression;

const TypeScript = Parser.extend(tsPlugin() as unknown as (base: typeof Parser) => typeof Parser);

/**
 * Most characters of a file that is edited; tens of times what a large project's package.json has. A megabyte takes a parser seconds where
 * it is all brackets or escapes.
 */
const mostCharacters = 1 << 18;

/**
 * Most brackets inside of each other in a file that is edited. A parser takes a part of the stack for each, of which it has less at one time than at
 * another: what was read once has to be read again, to be edited.
 */
const mostNested = 256;

/** Returns the text. @throws SyntaxError where it is too long or too deep to be parsed at once */
function withinReason(text: string): string {
  if (text.length > mostCharacters) {
    throw new SyntaxError(`it has ${text.length} characters, and files of at most ${mostCharacters} are edited`);
  }
  if (nestedIn(text) > mostNested) {
    throw new SyntaxError(`it has more than ${mostNested} brackets inside of each other, and no such file is edited`);
  }
  return text;
}

/** Brackets that are open at most at a time; those in strings count, of which no file has so many. */
function nestedIn(text: string): number {
  let [open, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    open = "([{".includes(bracket) ? open + 1 : Math.max(0, open - 1);
    most = Math.max(most, open);
  }
  return most;
}

/** @throws SyntaxError */
export const parseScript = (text: string): Program =>
  TypeScript.parse(withinReason(text), { ecmaVersion: "latest", sourceType: "module", locations: true });

/** The text without a byte order mark, which npm and TypeScript skip, too; acorn does so itself. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, "");

/** Parses JSON, which is an expression of JavaScript's. @throws SyntaxError */
export function parseJson(text: string): Expression {
  JSON.parse(withoutMark(withinReason(text)));
  return parseExpressionAt(text, 0, { ecmaVersion: "latest" });
}

/** Parses JSON with comments, as tsconfig.json has it. @throws SyntaxError */
export const parseCommentedJson = (text: string): Expression =>
  parseExpressionAt(withinReason(text), 0, { ecmaVersion: "latest" });

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => Object.values(node).flat().filter(isNode);

/** The node and all that is in it, but for what is inside of nodes that `isClosed`. */
export function* nodesIn(node: SyntaxNode, isClosed = (_: SyntaxNode): boolean => false): Generator<SyntaxNode> {
  yield node;
  for (const child of childrenOf(node)) {
    if (isClosed(child)) yield child;
    else yield* nodesIn(child, isClosed);
  }
}
