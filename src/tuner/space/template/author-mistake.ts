// Reports mistakes of a template's author, at the line where they stand.

import {
  callSite,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticError,
  plainMapper,
  type SourceLoc,
} from "../../../compiler/index.ts";

// Our own folders: in the source tree this one and the one of the instructions' methods, in the published package the one of chunks.
const folderOf = (relative: string): string => decodeURIComponent(new URL(relative, import.meta.url).pathname);
const ownFolders: readonly string[] = [folderOf("."), folderOf("../../../compiler/schedule/")];

const isOurs = ({ file }: SourceLoc): boolean => ownFolders.some((folder) => file.startsWith(folder));

/** Returns the innermost line of the call stack that is the author's. */
export const authorLine = (): SourceLoc | null =>
  callSite({ ...plainMapper, locate: (frame) => (isOurs(frame) ? null : plainMapper.locate(frame)) });

export function mistake(code: DiagnosticCode, message: string, hint: string | null = null): DiagnosticError {
  return mistakeAt(authorLine(), { code, message, hint, detail: null });
}

export const mistakeAt = (loc: SourceLoc | null, diagnostic: Omit<Diagnostic, "loc">): DiagnosticError => {
  const { code, message, hint, detail } = diagnostic;
  return new DiagnosticError({ code, message, hint, detail, loc });
};
