// Declarations that a project has → the same file with its imports as they are now. A project that has none gets none.

import { writeIfChanged } from "../support/write-if-changed.ts";
import { writtenDeclarations } from "./declarations-file.ts";
import { type DeclarationOptions, projectDeclarations } from "./project-declarations.ts";

/** @returns the file, absolute; null: the project has none */
export async function refreshDeclarations(options: DeclarationOptions): Promise<string | null> {
  const file = await writtenDeclarations(options.root);
  // A build tells of mistakes in imports.
  if (file) writeIfChanged(file, (await projectDeclarations(options, file, () => {})).text);
  return file;
}
