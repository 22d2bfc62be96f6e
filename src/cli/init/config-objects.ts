// A configuration file's syntax tree → the objects that a bundler takes its options from: what the file exports, through names, functions
// and `defineConfig`, or what its calls of a bundler are given. What is not understood is refused: it is edited by hand.

import type { ArrayExpression, Expression, ObjectExpression, Program, Property, SyntaxNode } from "./syntax.ts";
import { nodesIn } from "./syntax.ts";

/** Why a file cannot be edited safely, in a few words. */
export class NotUnderstood extends Error {}

const isFunctionNode = ({ type }: SyntaxNode): boolean =>
  type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration";

/** Finds the expression that a name is bound to. @throws NotUnderstood the name is declared twice or never, or assigned later */
function declared(name: string, program: Program): SyntaxNode {
  const values: SyntaxNode[] = [];
  for (const node of nodesIn(program)) {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.id.name === name && node.init)
      values.push(node.init);
    if (node.type === "FunctionDeclaration" && node.id?.name === name) values.push(node);
    if (node.type === "AssignmentExpression" && node.left.type === "Identifier" && node.left.name === name)
      throw new NotUnderstood(`${name} is assigned later`);
  }
  if (values.length !== 1) throw new NotUnderstood(`what ${name} is cannot be told`);
  return values[0]!;
}

/** Objects that a function returns, from all of its return statements. */
function returnedBy(fn: SyntaxNode, program: Program): readonly ObjectExpression[] {
  const { body } = fn as { body: SyntaxNode };
  if (body.type !== "BlockStatement") return objectsOf(body, program);
  const returned = [...nodesIn(body, isFunctionNode)].filter((node) => node.type === "ReturnStatement");
  if (returned.length === 0) throw new NotUnderstood("its function returns nothing");
  return returned.flatMap(({ argument }) => {
    if (!argument) throw new NotUnderstood("its function returns nothing");
    return objectsOf(argument, program);
  });
}

function objectsOf(node: SyntaxNode, program: Program): readonly ObjectExpression[] {
  switch (node.type) {
    case "ObjectExpression":
      return [node];
    case "ArrayExpression":
      return node.elements.flatMap((element) => (element ? objectsOf(element, program) : []));
    case "Identifier":
      return objectsOf(declared(node.name, program), program);
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap((side) => objectsOf(side, program));
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSExportAssignment":
      return objectsOf(node.expression, program);
    case "CallExpression": {
      const { callee } = node;
      const [config, ...more] = node.arguments;
      const isDefine = callee.type === "Identifier" && callee.name.startsWith("define");
      if (!isDefine || !config || more.length > 0) throw new NotUnderstood("its options come from a call");
      return objectsOf(config, program);
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "FunctionDeclaration":
      return returnedBy(node, program);
    default:
      throw new NotUnderstood("its options are no object that stands in it");
  }
}

const isModuleExports = (node: SyntaxNode): boolean =>
  node.type === "MemberExpression" &&
  node.object.type === "Identifier" &&
  node.object.name === "module" &&
  node.property.type === "Identifier" &&
  node.property.name === "exports";

function exportedBy(program: Program): SyntaxNode {
  for (const statement of program.body as SyntaxNode[]) {
    if (statement.type === "ExportDefaultDeclaration") return statement.declaration;
    if (statement.type === "TSExportAssignment") return statement;
    if (statement.type !== "ExpressionStatement" || statement.expression.type !== "AssignmentExpression") continue;
    if (isModuleExports(statement.expression.left)) return statement.expression.right;
  }
  throw new NotUnderstood("it exports nothing");
}

/** Returns the expression that the file exports. @throws NotUnderstood it exports a declaration */
export function exportedExpression(program: Program): SyntaxNode {
  const exported = exportedBy(program);
  if (/Declaration$/.test(exported.type)) throw new NotUnderstood("it exports a declaration");
  return exported.type === "TSExportAssignment" ? exported.expression : exported;
}

export const exportedOptions = (program: Program): readonly ObjectExpression[] =>
  objectsOf(exportedBy(program), program);

/** Names that a file has from a package, by `import` or `require`. */
function namesFrom(program: Program, from: string): ReadonlySet<string> {
  const isIt = (node: SyntaxNode): boolean => node.type === "Literal" && node.value === from;
  const patterns = (program.body as SyntaxNode[]).flatMap((statement): readonly SyntaxNode[] => {
    if (statement.type === "ImportDeclaration" && isIt(statement.source)) return statement.specifiers;
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.filter(({ init }) => init && [...nodesIn(init)].some(isIt)).map(({ id }) => id);
  });
  const identifiers = patterns.flatMap((pattern) => [...nodesIn(pattern)]).filter(({ type }) => type === "Identifier");
  return new Set(identifiers.map((node) => (node as { name: string }).name));
}

/** `esbuild.build({ … })` and `build({ … })`: options of each call of such a function of a package, or of a global object. */
export function optionsOfCalls(
  program: Program,
  { from, functions }: { readonly from: string; readonly functions: readonly string[] },
): readonly ObjectExpression[] {
  const names = new Set([from, ...namesFrom(program, from)]);
  const isName = (node: SyntaxNode): boolean => node.type === "Identifier" && names.has(node.name);
  const isFunction = (node: SyntaxNode): boolean => node.type === "Identifier" && functions.includes(node.name);
  const isCalled = (callee: SyntaxNode): boolean =>
    callee.type === "MemberExpression"
      ? isName(callee.object) && isFunction(callee.property)
      : isName(callee) && isFunction(callee);
  const calls = [...nodesIn(program)].filter((node) => node.type === "CallExpression");
  const found = calls.filter(({ callee, arguments: { length } }) => length === 1 && isCalled(callee));
  if (found.length === 0) throw new NotUnderstood(`it does not call ${functions.join(" or ")} of ${from} with options`);
  return found.flatMap((call) => objectsOf(call.arguments[0]!, program));
}

const nameOf = (key: Expression | Property["key"]): string | null =>
  key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : null;

/** The property that counts: of two with one name, the last, in JavaScript and in JSON. */
export const propertyOf = (object: ObjectExpression, name: string): Property | null =>
  object.properties.findLast(
    (property): property is Property =>
      property.type === "Property" && !property.computed && nameOf(property.key) === name,
  ) ?? null;

/** The list of plugins; `[a, b].filter(Boolean)` is one too. */
function listOf(node: SyntaxNode, program: Program, key: string): ArrayExpression {
  if (node.type === "ArrayExpression") return node;
  if (node.type === "Identifier") return listOf(declared(node.name, program), program, key);
  if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression")
    return listOf(node.expression, program, key);
  if (node.type === "CallExpression" && node.callee.type === "MemberExpression" && node.callee.object.type !== "Super")
    return listOf(node.callee.object, program, key);
  throw new NotUnderstood(`its ${key} are no list that stands in it`);
}

/** Refuses an object that gets the property from elsewhere: one that has none gets it. @throws NotUnderstood */
function mayGet(object: ObjectExpression, key: string, program: Program): void {
  if (object.properties.some(({ type }) => type === "SpreadElement"))
    throw new NotUnderstood(`its options are made of others, which may have ${key}`);
  const isAssigned = [...nodesIn(program)].some(
    (node) =>
      node.type === "AssignmentExpression" &&
      node.left.type === "MemberExpression" &&
      node.left.property.type === "Identifier" &&
      node.left.property.name === key,
  );
  if (isAssigned) throw new NotUnderstood(`its ${key} are assigned later`);
}

/** A place for an element: in a list, or in an object that first gets the property (or two nested ones) that holds the list. */
export interface ListPlace {
  readonly node: ArrayExpression | ObjectExpression;
  /** Keys that an object lacks, from outside to inside; empty for a list. */
  readonly path: readonly string[];
}

/** @param within properties whose values have the list, as in `vite: { plugins: [] }`; none: the object itself has it */
export function listPlaces(
  object: ObjectExpression,
  program: Program,
  key: string,
  within: readonly string[],
): readonly ListPlace[] {
  const [usual] = within;
  if (usual !== undefined) {
    const inner = within.map((name) => propertyOf(object, name)).filter((property) => property !== null);
    if (inner.length > 0)
      return inner.flatMap(({ value }) =>
        objectsOf(value, program).flatMap((one) => listPlaces(one, program, key, [])),
      );
    mayGet(object, usual, program);
    return [{ node: object, path: [usual, key] }];
  }
  const property = propertyOf(object, key);
  if (property) return [{ node: listOf(property.value, program, key), path: [] }];
  mayGet(object, key, program);
  return [{ node: object, path: [key] }];
}
