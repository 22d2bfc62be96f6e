// A project's sources → its declarations: for the command `types` and for option `dts` alike, so that both write the same,
// independently of the modules that a bundler has loaded or taken from its cache.

import type { DiagnosticError } from "../../compiler/index.ts";
import { openStore } from "../../tuner/store/store.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { type ParsedRequest, parseRequest } from "../request/request.ts";
import { findImports, findOperators } from "./find-imports.ts";
import { likelyImports } from "./likely-imports.ts";
import { type Signature, signatureOf } from "./signature.ts";
import { declarationsText, type KernelImport } from "./text.ts";

export interface Declarations {
  /** Imports of kernels that the project has. */
  readonly imports: readonly KernelImport[];
  readonly text: string;
}

export type DeclarationOptions = Pick<ResolvedOptions, "root" | "cacheDir" | "accepts">;

/**
 * @param file absolute path, which the text is for
 * @param onMistake told of imports that are wrong and left out; default: throws them
 * @throws DiagnosticError of `parseRequest`
 */
export async function projectDeclarations(
  { root, cacheDir, accepts }: DeclarationOptions,
  file: string,
  onMistake?: (mistake: DiagnosticError) => void,
): Promise<Declarations> {
  const store = openStore(cacheDir);
  const known = new Map<string, Promise<Signature | null>>();
  const signatureFor = (request: ParsedRequest): Promise<Signature | null> => {
    const id = request.path + JSON.stringify(request.settings.parameters);
    const signature = known.get(id) ?? signatureOf(request, { root, store });
    known.set(id, signature);
    return signature;
  };
  const imports: KernelImport[] = [];
  for (const { specifier, request } of await findImports(root, accepts, onMistake)) {
    imports.push({ specifier, file: request.path, signature: await signatureFor(request) });
  }
  const likely: KernelImport[] = [];
  for (const path of await findOperators(root, accepts)) {
    const signature = await signatureFor({ ...plainRequest, path });
    if (signature) likely.push(...likelyOf(path, signature));
  }
  return { imports, text: declarationsText(imports, file, likely) };
}

/** An operator with its own parameters. */
const plainRequest = parseRequest("./any.op.ts?tune=wasm")!;

function likelyOf(file: string, signature: Signature): readonly KernelImport[] {
  const { exact, anyQuery } = likelyImports(file);
  // A query may ask for other types of elements, which are other arrays.
  const specifiers = signature.hasFixedTypes ? [...exact, ...anyQuery] : exact;
  return specifiers.map((specifier) => ({ specifier, file, signature }));
}
