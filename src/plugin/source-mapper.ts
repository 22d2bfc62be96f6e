// Positions in the bundle of an operator file → positions in the files that it was made of.

import { relative, resolve } from "node:path";
import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import type { SourceMapper } from "../compiler/index.ts";

export interface SourceMapperOptions {
  /** The name of the bundle in stack traces. */
  readonly bundle: string;
  /** The source map, JSON, with the text of its sources. */
  readonly map: string;
  /** What the paths of the map are relative to. */
  readonly folder: string;
  /** What the paths shown to the user are relative to. */
  readonly root: string;
}

export function sourceMapper({ bundle, map, folder, root }: SourceMapperOptions): SourceMapper {
  const trace = new TraceMap(map);
  const shown = (source: string): string => relative(root, resolve(folder, source)).replaceAll("\\", "/");
  return {
    locate({ file, line, column }) {
      if (file !== bundle) return null;
      const original = originalPositionFor(trace, { line, column: column - 1 });
      if (original.source === null) return null;
      return { file: shown(original.source), line: original.line, column: original.column + 1 };
    },
    line({ file, line }) {
      const source = trace.sources.find((candidate) => candidate !== null && shown(candidate) === file);
      const text = source && sourceContentFor(trace, source);
      return text?.split("\n")[line - 1] ?? null;
    },
  };
}
