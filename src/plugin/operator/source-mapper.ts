// Positions in the bundle of an operator file → positions in the files that it was made of.

import { SourceMap } from "node:module";
import { relative, resolve } from "node:path";
import type { SourceMapper } from "../../compiler/index.ts";

export interface SourceMapperOptions {
  /** The name of the bundle in stack traces. */
  readonly bundle: string;
  /** The source map, JSON, with the text of its sources. */
  readonly map: string;
  /** Folder that the paths of the map are relative to. */
  readonly folder: string;
  /** Folder that the paths shown to the user are relative to. */
  readonly root: string;
}

export function sourceMapper({ bundle, map, folder, root }: SourceMapperOptions): SourceMapper {
  const { sources, sourcesContent } = JSON.parse(map) as { sources: string[]; sourcesContent: string[] };
  const trace = new SourceMap(JSON.parse(map));
  const shown = (source: string): string => relative(root, resolve(folder, source)).replaceAll("\\", "/");
  return {
    locate({ file, line, column }) {
      if (file !== bundle) return null;
      const original = trace.findEntry(line - 1, column - 1);
      if (!("originalSource" in original)) return null;
      const { originalSource, originalLine, originalColumn } = original;
      return { file: shown(originalSource), line: originalLine + 1, column: originalColumn + 1 };
    },
    line({ file, line }) {
      const text = sourcesContent[sources.findIndex((source) => shown(source) === file)];
      return text?.split("\n")[line - 1] ?? null;
    },
  };
}
