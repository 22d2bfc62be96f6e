// Positions in the code that runs → positions in the files that the bundle of an operator file was made of.

import { SourceMap } from "node:module";
import { relative, resolve } from "node:path";
import type { SourceLoc, SourceMapper } from "../../compiler/index.ts";
import type { Insertion } from "./guard-conditions.ts";

export interface SourceMapperOptions {
  /** The name of the bundle in stack traces. */
  readonly bundle: string;
  /** Code of the bundle. */
  readonly code: string;
  /** Text that the running code has beyond it, in the order of the code. */
  readonly insertions: readonly Insertion[];
  /** The source map, JSON, with the text of its sources. */
  readonly map: string;
  /** Folder that the paths of the map are relative to. */
  readonly folder: string;
  /** Folder that the paths shown to the user are relative to. */
  readonly root: string;
}

export function sourceMapper(options: SourceMapperOptions): SourceMapper {
  const { bundle, code, map, folder, root } = options;
  const { sources, sourcesContent } = JSON.parse(map) as { sources: string[]; sourcesContent: string[] };
  const trace = new SourceMap(JSON.parse(map));
  const lines = code.split("\n");
  const bundled = positionBefore(lines, options.insertions);
  const shown = (source: string): string => relative(root, resolve(folder, source)).replaceAll("\\", "/");
  const textOf = (file: string, line: number): string | null => {
    const text = sourcesContent[sources.findIndex((source) => shown(source) === file)];
    return text?.split("\n")[line - 1] ?? null;
  };
  return {
    locate(frame) {
      if (frame.file !== bundle) return null;
      const { line, column } = bundled(frame);
      const original = trace.findEntry(line - 1, column - 1);
      if (!("originalSource" in original)) return null;
      const { originalSource, originalLine, originalColumn, generatedLine, generatedColumn } = original;
      const file = shown(originalSource);
      // The map knows names and calls, not operators: behind the last of them the texts are equal in most lines.
      const behind = generatedLine === line - 1 ? lines[line - 1]!.slice(generatedColumn, column - 1) : "";
      const isSame = textOf(file, originalLine + 1)?.startsWith(behind, originalColumn);
      return { file, line: originalLine + 1, column: originalColumn + 1 + (isSame ? behind.length : 0) };
    },
    line: ({ file, line }) => textOf(file, line),
    around(frame) {
      if (frame.file !== bundle) return null;
      const { line, column } = bundled(frame);
      const text = lines[line - 1] ?? "";
      return [text.slice(0, column - 1), text.slice(column - 1)];
    },
  };
}

/** Place in the running code → place in the code before the insertions. */
function positionBefore(
  lines: readonly string[],
  insertions: readonly Insertion[],
): (frame: SourceLoc) => Pick<SourceLoc, "line" | "column"> {
  const byLine = new Map<number, { readonly column: number; readonly length: number }[]>();
  let [line, start] = [1, 0];
  for (const { at, text } of insertions) {
    while (at > start + lines[line - 1]!.length) start += lines[line++ - 1]!.length + 1;
    byLine.set(line, [...(byLine.get(line) ?? []), { column: at - start + 1, length: text.length }]);
  }
  return ({ line, column: running }) => {
    let column = running;
    for (const inserted of byLine.get(line) ?? []) {
      if (column <= inserted.column) break;
      column = Math.max(inserted.column, column - inserted.length);
    }
    return { line, column };
  };
}
