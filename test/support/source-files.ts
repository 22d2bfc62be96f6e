// The source tree as the architecture test reads it: every file under src, its code without comments, and its imports.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface SourceFile {
  /** Path from the root of the repository: "src/compiler/index.ts". */
  readonly path: string;
  readonly lines: readonly string[];
  /** The lines with comments blanked. */
  readonly code: readonly string[];
  readonly imports: readonly Import[];
}

export interface Import {
  readonly line: number;
  /** A path from the root for relative imports, else the name of the package. */
  readonly from: string;
  readonly kind: "type" | "static" | "lazy";
}

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export function sourceFiles(folder = "src"): readonly SourceFile[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|js|c)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
    .map((path) => sourceFile(path, readFileSync(join(root, path), "utf8")));
}

export function sourceFile(path: string, text: string): SourceFile {
  const lines = text.replace(/\n$/, "").split("\n");
  const code = withoutComments(text).split("\n").slice(0, lines.length);
  return { path, lines, code, imports: importsOf(path, code.join("\n")) };
}

/** Line by line the same text; a comment begins at a line's start or after a space, which no string of ours has with //. */
const withoutComments = (text: string): string =>
  text
    .replace(/(^|\s)\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|[ \t])\/\/.*$/gm, "");

const staticImport = /^(?:import|export)\s(type\s)?[^;"]*?from\s+"([^"]+)"/gm;
const bareImport = /^import\s+"([^"]+)"/gm;
const lazyImport = /\bimport\("([^"]+)"\)/g;

function importsOf(path: string, code: string): readonly Import[] {
  const found = (match: RegExpMatchArray, name: string, kind: Import["kind"]): Import => ({
    line: code.slice(0, match.index).split("\n").length,
    from: name.startsWith(".") ? join(dirname(path), name) : name,
    kind,
  });
  return [
    ...[...code.matchAll(staticImport)].map((match) => found(match, match[2]!, match[1] ? "type" : "static")),
    ...[...code.matchAll(bareImport)].map((match) => found(match, match[1]!, "static")),
    ...[...code.matchAll(lazyImport)].map((match) => found(match, match[1]!, "lazy")),
  ];
}
