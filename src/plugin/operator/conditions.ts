// A syntax tree → its conditions, and where the value of one comes from: the function that was called for it.

import type { AnyNode, CallExpression, Pattern, VariableDeclaration } from "acorn";
import { expressionMethods } from "../../compiler/index.ts";

/** Text of the function that a value is from; "true": it is an axis, or what a method of expressions gives. */
export type ValueOrigin = string;

/** Names that a scope declares, with the origin of their values; null: anything may stand there. */
export interface NameScope {
  readonly names: ReadonlyMap<string, ValueOrigin | null>;
  readonly outer: NameScope | null;
}

export const noScope: NameScope = { names: new Map(), outer: null };

interface Condition {
  readonly value: AnyNode;
  /** Operator or statement that takes it. */
  readonly sign: string;
}

/** Values that the node takes for true or false, or compares by identity. */
export function conditionsOf(node: AnyNode): readonly Condition[] {
  switch (node.type) {
    case "ConditionalExpression":
      return [{ value: node.test, sign: "?:" }];
    case "IfStatement":
      return [{ value: node.test, sign: "if" }];
    case "WhileStatement":
    case "DoWhileStatement":
      return [{ value: node.test, sign: "while" }];
    case "ForStatement":
      return node.test ? [{ value: node.test, sign: "for" }] : [];
    case "SwitchStatement":
      return [{ value: node.discriminant, sign: "switch" }];
    case "UnaryExpression":
      return node.operator === "!" ? [{ value: node.argument, sign: "!" }] : [];
    case "LogicalExpression":
      return node.operator === "??" ? [] : [{ value: node.left, sign: node.operator }];
    case "BinaryExpression": {
      const sides = [node.left, node.right];
      if (!/^[=!]==?$/.test(node.operator) || sides.some(isNothing)) return [];
      return sides.map((value) => ({ value, sign: node.operator }));
    }
    default:
      return [];
  }
}

/** Says whether the node is null or undefined: to compare with it asks whether there is something. */
const isNothing = (node: AnyNode): boolean =>
  (node.type === "Literal" && node.raw === "null") ||
  (node.type === "Identifier" && node.name === "undefined") ||
  (node.type === "UnaryExpression" && node.operator === "void");

/** Origin of a value; null: it may be anything. */
export function originOf(node: AnyNode, scope: NameScope, code: string): ValueOrigin | null {
  if (node.type === "CallExpression") return originOfCall(node, code);
  return node.type === "Identifier" ? originOfName(node.name, scope) : null;
}

function originOfName(name: string, scope: NameScope): ValueOrigin | null {
  const passed: NameScope[] = [];
  for (let at: NameScope | null = scope; at; at = at.outer) {
    const origin = at.names.get(name);
    if (origin === null) return null;
    // The function must still go by the name that it had where it was called.
    const root = origin && /^[\w$]+/.exec(origin)?.[0];
    if (origin !== undefined) return passed.some(({ names }) => root && names.has(root)) ? null : origin;
    passed.push(at);
  }
  return null;
}

function originOfCall({ callee, optional }: CallExpression, code: string): ValueOrigin | null {
  if (optional) return null;
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "SequenceExpression") return `(${code.slice(callee.start, callee.end)})`; // (0, import_op.gt)(…)
  if (callee.type !== "MemberExpression" || callee.computed || callee.optional) return null;
  const { property, object } = callee;
  if (property.type !== "Identifier") return null;
  if (expressionMethods.includes(property.name)) return "true";
  return object.type === "Identifier" ? `${object.name}.${property.name}` : null;
}

/** Last name of what is called: "compute" of `compute(…)`, `op.compute(…)` and `(0, import_op.compute)(…)`. */
export function nameOfCallee({ callee }: CallExpression): string | null {
  const called = callee.type === "SequenceExpression" ? callee.expressions.at(-1)! : callee;
  if (called.type === "Identifier") return called.name;
  return called.type === "MemberExpression" && called.property.type === "Identifier" ? called.property.name : null;
}

interface ScopeContext {
  readonly code: string;
  /** Functions of computes: their parameters are axes. */
  readonly elements: ReadonlySet<AnyNode>;
}

/** Scope inside a node: its parameters, or what a block declares. */
export function scopeOf(node: AnyNode, outer: NameScope, { code, elements }: ScopeContext): NameScope {
  const names = new Map(namesIn(node, code, elements.has(node) ? "true" : null));
  return names.size === 0 ? outer : { names, outer };
}

type Names = readonly (readonly [name: string, origin: ValueOrigin | null])[];

function namesIn(node: AnyNode, code: string, ofParameters: ValueOrigin | null): Names {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.params.flatMap((param) => namesOf(param, ofParameters));
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
      return node.body.flatMap((statement) => namesOfStatement(statement, code));
    case "ForStatement":
      return node.init?.type === "VariableDeclaration" ? namesOfLoop(node.init) : [];
    case "ForOfStatement":
    case "ForInStatement":
      return node.left.type === "VariableDeclaration" ? namesOfLoop(node.left) : [];
    case "CatchClause":
      return node.param ? namesOf(node.param, null) : [];
    default:
      return [];
  }
}

const namesOfLoop = ({ declarations }: VariableDeclaration): Names =>
  declarations.flatMap(({ id }) => namesOf(id, null));

function namesOfStatement(statement: AnyNode, code: string): Names {
  if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration")
    return statement.id ? [[statement.id.name, null]] : [];
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ id, init }) => {
    const isFixed = statement.kind === "const" && init?.type === "CallExpression";
    return namesOf(id, isFixed ? originOfCall(init, code) : null);
  });
}

/** Names in a pattern; only a name that stands alone has the origin. */
function namesOf(pattern: Pattern, origin: ValueOrigin | null): Names {
  switch (pattern.type) {
    case "Identifier":
      return [[pattern.name, origin]];
    case "ObjectPattern":
      return pattern.properties.flatMap((it) => namesOf(it.type === "Property" ? it.value : it.argument, null));
    case "ArrayPattern":
      return pattern.elements.flatMap((it) => (it ? namesOf(it, null) : []));
    case "RestElement":
      return namesOf(pattern.argument, null);
    case "AssignmentPattern":
      return namesOf(pattern.left, null);
    case "MemberExpression":
      return [];
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

export const childrenOf = (node: AnyNode): readonly AnyNode[] => Object.values(node).flat().filter(isNode);
