// The tsconfigs beside a project's package.json: those that read files of a folder one by one, as that of Vue's tests does, need the
// declarations among them; those with an output folder say what imports by package.json may look like.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathFilter } from "../../plugin/options/path-pattern.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { propertyOf } from "./config-objects.ts";
import { type ArrayExpression, type Expression, type ObjectExpression, parseCommentedJson } from "./syntax.ts";
import { insert, lastElement } from "./text-edit.ts";

export interface Tsconfig {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

const textsOf = ({ elements }: ArrayExpression): readonly string[] =>
  elements.flatMap((element) => (element?.type === "Literal" ? [String(element.value)] : []));

/** A pattern as TypeScript reads it: a folder is all that is in it, and `*` of a name no other kind of file. */
const asGlob = (pattern: string): string =>
  /[^/]*[.*][^/]*$/.test(pattern) ? pattern : `${pattern.replace(/\/$/, "")}/**`;

/** The value of a property; null: the file has none, or cannot be read, which TypeScript will say. */
function valueIn(text: string, name: string): Expression | null {
  try {
    return propertyOf(parseCommentedJson(text) as ObjectExpression, name)?.value ?? null;
  } catch {
    return null;
  }
}

/** The list of `include`; null: the file has none. */
function includesOf(text: string): ArrayExpression | null {
  const value = valueIn(text, "include");
  return value?.type === "ArrayExpression" ? value : null;
}

const tsconfigsIn = (root: string): readonly Tsconfig[] =>
  readdirSync(root)
    .filter((name) => /^tsconfig.*\.json$/.test(name))
    .map((name) => ({ file: join(root, name), text: readFileSync(join(root, name), "utf8") }));

/**
 * Whether a tsconfig has an output folder and does not say what lies in it, as Nest's and Hono's: TypeScript up to 5 refuses every import
 * by package.json then (TS2210), unless its types are in another package. Declarations name kernels before that.
 */
export function hasAmbiguousRoot(root: string): boolean {
  return tsconfigsIn(root).some(({ text }) => {
    const options = valueIn(text, "compilerOptions");
    if (options?.type !== "ObjectExpression") return false;
    const has = (name: string): boolean => propertyOf(options, name) !== null;
    return (has("outDir") || has("declarationDir")) && !has("rootDir") && !has("composite");
  });
}

/** Text of a tsconfig with the declarations in its `include`; null: it has them, or reads nothing in their folder. */
export function withDeclarations(text: string, root: string, path: string): string | null {
  const list = includesOf(text);
  const patterns = list === null ? [] : textsOf(list).map((pattern) => pattern.replace(/^\.\//, ""));
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const isReader = folder !== "" && patterns.some((pattern) => pattern.startsWith(folder));
  if (
    list === null ||
    !isReader ||
    pathFilter(
      patterns.map((pattern) => `./${asGlob(pattern)}`),
      [],
      root,
    )(join(root, path))
  )
    return null;
  return insert(text, [lastElement(text, list, JSON.stringify(path))]);
}

/** @param declarations absolute path */
export function tsconfigsThatMiss(root: string, declarations: string): readonly Tsconfig[] {
  const path = slashPath(root, declarations);
  return tsconfigsIn(root).flatMap(({ file, text }) => {
    const edited = withDeclarations(text, root, path);
    return edited === null ? [] : [{ file, text: edited }];
  });
}
