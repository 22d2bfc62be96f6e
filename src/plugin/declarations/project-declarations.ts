// A project's sources → its declarations: for the command `types` and for option `dts` alike, so that both write the same, whatever a
// bundler has looked at or taken from its cache.

import type { DiagnosticError } from "../../compiler/index.ts";
import { openStore } from "../../tuner/store/store.ts";
import type { ResolvedOptions } from "../options.ts";
import { findImports } from "./find-imports.ts";
import { type Signature, signatureOf } from "./signature.ts";
import { declarationsText, type KernelImport } from "./text.ts";

export interface Declarations {
  readonly imports: readonly KernelImport[];
  readonly text: string;
}

export type DeclarationOptions = Pick<ResolvedOptions, "root" | "cacheDir" | "accepts">;

/**
 * @param file absolute path, which the text is for
 * @param onMistake told of imports that are wrong and left out; throws them unless said
 * @throws DiagnosticError of `parseRequest`
 */
export async function projectDeclarations(
  { root, cacheDir, accepts }: DeclarationOptions,
  file: string,
  onMistake?: (mistake: DiagnosticError) => void,
): Promise<Declarations> {
  const store = openStore(cacheDir);
  const known = new Map<string, Promise<Signature | null>>();
  const imports: KernelImport[] = [];
  for (const { specifier, request } of await findImports(root, accepts, onMistake)) {
    const id = request.path + JSON.stringify(request.settings.parameters);
    const signature = known.get(id) ?? signatureOf(request, { root, store });
    known.set(id, signature);
    imports.push({ specifier, file: request.path, signature: await signature });
  }
  return { imports, text: declarationsText(imports, file) };
}
