// An operator file in TypeScript → the body of a function in JavaScript. Everything keeps its line and column: types become spaces, so
// the places in an engine's stacks are places in what the user wrote.
//
//   import { sum } from "unplugin-kernel/op"     →     const { sum } = $import("unplugin-kernel/op")
//   export default defineOp(…)                   →     $.default =    defineOp(…)

import { tsPlugin } from "@sveltejs/acorn-typescript";
import { type Node, Parser } from "acorn";

const TypeScript = Parser.extend(tsPlugin() as unknown as (base: typeof Parser) => typeof Parser);

/** A mistake of syntax, or TypeScript that means something at run time; columns begin with 1. */
export class SourceError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Members of a syntax node that this file reads; acorn's own types know nothing of TypeScript. */
interface AnyNode extends Node {
  readonly [field: string]: unknown;
}

/** @throws SourceError */
export function eraseTypes(source: string): string {
  // Places of acorn are those of UTF-16 units, as are those of engines' stacks.
  const text = source.split("");
  new Eraser(source, text).visit(parse(source));
  return text.join("");
}

function parse(source: string): AnyNode {
  try {
    return TypeScript.parse(source, {
      sourceType: "module",
      ecmaVersion: "latest",
      locations: true,
    }) as Node as AnyNode;
  } catch (error) {
    if (!(error instanceof SyntaxError && "loc" in error)) throw error;
    const { line, column } = error.loc as { line: number; column: number };
    throw new SourceError(error.message.replace(/ \(\d+:\d+\)$/, ""), line, column + 1);
  }
}

/** They make code: nothing is left of them where types are only erased. */
const notErasable: Readonly<Record<string, string>> = {
  TSEnumDeclaration: "an enum",
  TSModuleDeclaration: "a namespace",
  TSParameterProperty: "a parameter property",
  TSImportEqualsDeclaration: "import = require()",
  TSExportAssignment: "export =",
  Decorator: "a decorator",
};

/** An expression, and a type behind it. */
const typedExpressions: readonly string[] = [
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression",
];

class Eraser {
  readonly #source: string;
  readonly #text: string[];

  constructor(source: string, text: string[]) {
    this.#source = source;
    this.#text = text;
  }

  visit(node: AnyNode): void {
    if (node.type in notErasable && node.declare !== true) throw this.#refusal(node, notErasable[node.type]!);
    const isType = node.declare === true || node.importKind === "type" || node.exportKind === "type";
    if (isType) this.#blank(node);
    else if (typedExpressions.includes(node.type)) this.#typedExpression(node);
    else if (node.type === "TSTypeAssertion") this.#assertion(node);
    else if (node.type.startsWith("TS")) this.#blank(node);
    else if (node.type === "ImportDeclaration") this.#import(node);
    else if (node.type === "ExportNamedDeclaration") this.#export(node);
    else this.#other(node);
  }

  #other(node: AnyNode): void {
    if (node.type === "ExportDefaultDeclaration")
      this.#write(node.start, "$.default =".padEnd("export default".length));
    if (node.optional === true && node.type === "Identifier") this.#mark(node, "?");
    if (node.definite === true) this.#mark(node, "!");
    this.#children(node);
  }

  #children(node: AnyNode): void {
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) this.visit(child);
    }
  }

  #typedExpression(node: AnyNode): void {
    const expression = node.expression as AnyNode;
    // The expression may stand in parentheses, which belong to no node.
    let end = expression.end;
    while (/[\s)]/.test(this.#source[end] ?? "")) end += 1;
    this.#blank({ start: end, end: node.end });
    this.visit(expression);
  }

  #assertion(node: AnyNode): void {
    const expression = node.expression as AnyNode;
    this.#blank({ start: node.start, end: this.#source.indexOf(">", (node.typeAnnotation as AnyNode).end) + 1 });
    this.visit(expression);
  }

  /** `x?: T`, `x!: T`: the mark stands behind the name. */
  #mark(node: AnyNode, mark: string): void {
    const from = node.type === "VariableDeclarator" ? (node.id as AnyNode).start : node.start;
    const at = this.#source.indexOf(mark, from);
    this.#blank({ start: at, end: at + 1 });
  }

  /** On the first of its lines; those below are empty then. */
  #import(node: AnyNode): void {
    const from = `$import(${(node.source as AnyNode).raw})`;
    const specifiers = (node.specifiers as readonly AnyNode[]).filter(({ importKind }) => importKind !== "type");
    const names = specifiers.flatMap((it): readonly string[] => {
      const local = (it.local as AnyNode).name;
      if (it.type === "ImportDefaultSpecifier") return [`default: ${local}`];
      return it.type === "ImportSpecifier" ? [`${nameOf(it.imported as AnyNode)}: ${local}`] : [];
    });
    const namespace = specifiers.find(({ type }) => type === "ImportNamespaceSpecifier");
    const all = namespace ? `const ${(namespace.local as AnyNode).name} = ${from}; ` : "";
    this.#blank(node);
    this.#text[node.start] = `${all}const { ${names.join(", ")} } = ${from};`;
  }

  #export(node: AnyNode): void {
    if (node.declaration) {
      this.#blank({ start: node.start, end: node.start + "export".length });
      this.visit(node.declaration as AnyNode);
      return;
    }
    const named = (node.specifiers as readonly AnyNode[]).filter(({ exportKind }) => exportKind !== "type");
    const assigned = named.map(
      (it) => `$[${JSON.stringify(nameOf(it.exported as AnyNode))}] = ${nameOf(it.local as AnyNode)};`,
    );
    this.#blank(node);
    this.#text[node.start] = assigned.join(" ");
  }

  /** Spaces, with a semicolon before: what follows may begin with a parenthesis. */
  #blank({ start, end, type }: { readonly start: number; readonly end: number; readonly type?: string }): void {
    for (let at = start; at < end; at += 1) if (this.#text[at] !== "\n") this.#text[at] = " ";
    if (type && isStatement.test(type) && end > start) this.#text[start] = ";";
  }

  #write(start: number, text: string): void {
    [...text].forEach((letter, at) => {
      this.#text[start + at] = letter;
    });
  }

  #refusal({ start }: AnyNode, what: string): SourceError {
    const before = this.#source.slice(0, start).split("\n");
    return new SourceError(
      `${what} is more than a type: write it in JavaScript`,
      before.length,
      before.at(-1)!.length + 1,
    );
  }
}

const isStatement = /^(TSInterface|TSTypeAlias|TSDeclare|Import|Export|VariableDeclaration|FunctionDeclaration)/;

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && typeof value.type === "string";

/** Returns the name of an import or export in braces, which may be a string. */
const nameOf = (node: AnyNode): string => String(node.name ?? node.value);
