// The text of a bundler's configuration file → the same with the plugin in it, or why it is to be done by hand.

import { exportedExpression, exportedOptions, listPlaces, NotUnderstood, optionsOfCalls } from "./config-objects.ts";
import { type HostName, hosts } from "./hosts.ts";
import { handLines, type PluginUse, pluginCall, pluginImport, pluginUse, usualName } from "./plugin-text.ts";
import { nodesIn, type Program, parseScript, type SyntaxNode } from "./syntax.ts";
import { endOfLine, firstElement, type Insertion, insert, newProperty } from "./text-edit.ts";

export type Wiring =
  | { readonly kind: "wired" }
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "by-hand"; readonly why: string; readonly lines: readonly string[] };

const isPackageOfOurs = (node: SyntaxNode): boolean =>
  node.type === "Literal" && typeof node.value === "string" && node.value.startsWith("unplugin-kernel/");

const isModuleSyntax = ({ type }: SyntaxNode): boolean =>
  type === "ImportDeclaration" || type.startsWith("Export") || type === "TSExportAssignment";

/** Says whether the file has a name that only CommonJS has, and no syntax that only modules have. */
const isCommonJs = (program: Program): boolean =>
  !(program.body as SyntaxNode[]).some(isModuleSyntax) &&
  [...nodesIn(program)].some((node) => node.type === "Identifier" && /^(require|module|exports)$/.test(node.name));

const isRequireCall = (node: SyntaxNode): boolean =>
  node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "require";

const isImport = (statement: SyntaxNode): boolean =>
  statement.type === "ImportDeclaration" ||
  (statement.type === "VariableDeclaration" &&
    statement.declarations.some(({ init }) => init && [...nodesIn(init)].some(isRequireCall)));

/** A name that the file does not use yet. */
function freeName(program: Program, wanted: string): string {
  const used = new Set([...nodesIn(program)].map((node) => (node.type === "Identifier" ? node.name : "")));
  return [wanted, `${wanted}Plugin`].find((name) => !used.has(name)) ?? "unpluginKernel";
}

/** Returns the line with the quotes and semicolons of the file. */
function inStyle(line: string, text: string): string {
  const isSingle = text.split("'").length > text.split('"').length;
  const hasSemicolons = /;[ \t]*(\/\/.*)?$/m.test(text);
  const quoted = isSingle ? line.replaceAll('"', "'") : line;
  return hasSemicolons ? quoted : quoted.replace(/;$/, "");
}

/** Inserts an import behind the others, or before everything but `#!` and "use strict". */
function importInsertion(text: string, program: Program, line: string): Insertion {
  const eol = endOfLine(text);
  const statements = program.body as SyntaxNode[];
  const last = statements.filter(isImport).at(-1);
  const styled = inStyle(line, text);
  const directive = statements.find((statement) => statement.type === "ExpressionStatement" && statement.directive);
  const after = last ?? directive;
  if (after) {
    const restOfLine = /^[ \t]*(\/\/[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(after.end))?.[0];
    if (restOfLine !== undefined) return { at: after.end + restOfLine.length, text: eol + styled };
    // More code in that line: without a semicolon it might go on with ours.
    return { at: after.end, text: `${eol}${styled.replace(/;?$/, ";")}${eol}` };
  }
  const at = /^#!.*\r?\n/.exec(text)?.[0].length ?? 0;
  return { at, text: styled + eol + eol };
}

/** Puts a call around the whole of what the file exports. */
function aroundExport(program: Program, call: (config: string) => string): readonly Insertion[] {
  const { start, end } = exportedExpression(program);
  const [before = "", after = ""] = call("\0").split("\0");
  return [
    { at: start, text: before },
    { at: end, text: after },
  ];
}

function intoLists(text: string, program: Program, host: HostName, use: PluginUse, call: string): readonly Insertion[] {
  const { options } = hosts[host];
  const objects = options.kind === "called" ? optionsOfCalls(program, options) : exportedOptions(program);
  const key = use.site === "modules" ? "modules" : use.list.key;
  // Several ways may lead to one list.
  const places = new Map(
    objects.flatMap((object) => listPlaces(object, program, key, use.list.within)).map((it) => [it.node, it]),
  );
  return [...places.values()].map(({ node, path }) => {
    if (node.type === "ArrayExpression") return firstElement(text, node, call);
    const [property, ...outer] = path.toReversed();
    const whole = outer.reduce((inner, name) => `${name}: { ${inner} }`, `${property}: [${call}]`);
    return newProperty(text, node, whole);
  });
}

function edit(text: string, program: Program, host: HostName, use: PluginUse): string {
  const name = freeName(program, usualName(use));
  const call = (config?: string): string => inStyle(pluginCall(use, name, config), text);
  const insertions = use.site === "around" ? aroundExport(program, call) : intoLists(text, program, host, use, call());
  const line = pluginImport(use, isCommonJs(program), name);
  return insert(text, [...(line === null ? [] : [importInsertion(text, program, line)]), ...insertions]);
}

const byHand = (use: PluginUse, why: string, inCommonJs: boolean): Wiring => ({
  kind: "by-hand",
  why,
  lines: handLines(use, inCommonJs),
});

/** Puts the plugin into a configuration. A file that names it already is left as it is, even if it does not use it. */
export function wireConfig(text: string, host: HostName, dts: string | null = null): Wiring {
  const use = pluginUse(host, dts);
  let program: Program;
  try {
    program = parseScript(text);
  } catch (error) {
    return byHand(use, `it cannot be read: ${(error as Error).message}`, /\bmodule\.exports\b/.test(text));
  }
  if ([...nodesIn(program)].some(isPackageOfOurs)) return { kind: "wired" };
  try {
    const edited = edit(text, program, host, use);
    parseScript(edited);
    return { kind: "edited", text: edited };
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    return byHand(use, error.message, isCommonJs(program));
  }
}
