// The text of an operator file → its operator, in a page: types are erased and the rest is run as a module, whose places in stacks are
// those of the text.

import {
  authoring,
  type Diagnostic,
  DiagnosticError,
  isOp,
  type Op,
  opLibrary,
  runUserCode,
  type SourceLoc,
  type SourceMapper,
  withMapper,
} from "../../../src/compiler/index.ts";
import { eraseTypes, SourceError } from "./erase-types.ts";

/** The name of the file in messages. */
export const fileName = "operator.op.ts";

/** A module of this text → its address, to be imported: a blob's in a page. */
export type AddressOf = (text: string) => string;

export interface LoadedOperator {
  readonly op: Op;
  /** Maps places in stacks, made while the operator is built, to the user's text. */
  readonly mapper: SourceMapper;
}

type Exports = { default?: unknown };
type Body = (exports: Exports, importModule: (name: string) => unknown) => void;

const modules: Readonly<Record<string, unknown>> = {
  "unplugin-kernel/op": authoring,
  "unplugin-kernel/ops": opLibrary,
};

/** @throws DiagnosticError `op.syntax`, `op.not-found`, `op.threw`, `op.no-default-export`, `op.not-an-op`, and what the language refuses */
export async function loadOperator(source: string, addressOf: AddressOf): Promise<LoadedOperator> {
  // The first line is ours, so the user's lines are one further down.
  const address = addressOf(`export default ($, $import) => {\n${erased(source)}\n};`);
  const mapper: SourceMapper = {
    locate: ({ file, line, column }) => (file === address ? { file: fileName, line: line - 1, column } : null),
    line: ({ line }) => source.split("\n")[line - 1] ?? null,
    around({ file, line, column }) {
      const text = file === address ? source.split("\n")[line - 2] : undefined;
      return text === undefined ? null : [text.slice(0, column - 1), text.slice(column - 1)];
    },
  };
  const { default: body } = (await import(/* @vite-ignore */ address)) as { readonly default: Body };
  const exported: Exports = {};
  withMapper(mapper, () => runUserCode(mapper, top, () => body(exported, importFrom)));
  return { op: defaultExport(exported), mapper };
}

const top: SourceLoc = { file: fileName, line: 1, column: 1 };

function erased(source: string): string {
  try {
    return eraseTypes(source);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { message, line, column } = error;
    throw mistake("op.syntax", message, { file: fileName, line, column }, null);
  }
}

function importFrom(name: string): unknown {
  if (name in modules) return modules[name];
  throw mistake("op.not-found", `there is no module "${name}" here`, null, `the playground has ${known}`);
}

const known = Object.keys(modules)
  .map((name) => `"${name}"`)
  .join(" and ");

function defaultExport({ default: value }: Exports): Op {
  if (isOp(value)) return value;
  const hint = "export default defineOp({ … }, ({ … }) => …)";
  if (value === undefined) throw mistake("op.no-default-export", "the file has no default export", top, hint);
  throw mistake("op.not-an-op", "the default export is not an operator", top, hint);
}

const mistake = (
  code: Diagnostic["code"],
  message: string,
  loc: SourceLoc | null,
  hint: string | null,
): DiagnosticError => new DiagnosticError({ code, message, loc, hint, detail: null });
