// The tsconfigs beside a project's package.json that read files of a folder one by one, as that of Vue's tests does: the declarations there
// have to be among them.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathFilter } from "../../plugin/path-pattern.ts";
import { propertyOf } from "./config-objects.ts";
import { type ArrayExpression, type ObjectExpression, parseCommentedJson } from "./syntax.ts";
import { insert, lastElement } from "./text-edit.ts";

export interface EditedTsconfig {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

const textsOf = ({ elements }: ArrayExpression): readonly string[] =>
  elements.flatMap((element) => (element?.type === "Literal" ? [String(element.value)] : []));

/** A pattern as TypeScript reads it: a folder is all that is in it, and `*` of a name no other kind of file. */
const asGlob = (pattern: string): string =>
  /[^/]*[.*][^/]*$/.test(pattern) ? pattern : `${pattern.replace(/\/$/, "")}/**`;

/** The list of `include`; null: the file has none, or cannot be read. */
function includesOf(text: string): ArrayExpression | null {
  try {
    const value = propertyOf(parseCommentedJson(text) as ObjectExpression, "include")?.value;
    return value?.type === "ArrayExpression" ? value : null;
  } catch {
    // TypeScript says so.
    return null;
  }
}

/** Text of a tsconfig with the declarations in its `include`; null: it has them, or reads nothing in their folder. */
function withDeclarations(text: string, root: string, path: string): string | null {
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
export function tsconfigsThatMiss(root: string, declarations: string): readonly EditedTsconfig[] {
  const path = relative(root, declarations).replaceAll("\\", "/");
  const names = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  return names.flatMap((name) => {
    const file = join(root, name);
    const text = withDeclarations(readFileSync(file, "utf8"), root, path);
    return text === null ? [] : [{ file, text }];
  });
}
