// An operator file → its operator: bundled with esbuild, run in this process, positions mapped back to what was written.

import { createRequire } from "node:module";
import { dirname } from "node:path";
import { compileFunction } from "node:vm";
import {
  authoring,
  describe,
  guardCondition,
  isOp,
  type Op,
  opLibrary,
  runUserCode,
  type SourceLoc,
  type SourceMapper,
  sha256,
  withMapper,
} from "../../compiler/index.ts";
import type { Store } from "../../tuner/store/store.ts";
import { bundleOf } from "./bundle.ts";
import { guardName, inserted } from "./guard-conditions.ts";
import { mistake, placeOf } from "./mistake.ts";
import { sourceMapper } from "./source-mapper.ts";

export interface LoadedOp {
  readonly op: Op;
  /** Absolute paths of the operator file and all that it imports: what a build watches. */
  readonly files: readonly string[];
  /** Sha256 of the bundled code: changes when the file or an import of it does. */
  readonly sourceDigest: string;
}

export interface OpLoadOptions {
  /** Paths in diagnostics are relative to it; the working directory of the build. */
  readonly root: string;
  /** Store of bundles, so that a file which has not changed is not bundled again. */
  readonly store: Store | null;
  /** Called with the files that the operator is made of, before anything of them is run. */
  readonly onFiles?: ((files: readonly string[]) => void) | undefined;
}

/**
 * Loads an operator file. It runs with the rights of the build, as a configuration file does.
 *
 * @param file absolute path
 * @throws DiagnosticError `op.not-found`, `op.syntax`, `op.threw`, `op.no-default-export`, `op.not-an-op`, and what the
 *   language refuses while the file is evaluated; mistakes inside the operator are found by `instantiate`
 * @example const { op } = await loadOp("/app/src/gemm.op.ts", { root: "/app" }); instantiate(op, { M: 64 }, "gemm")
 */
export async function loadOp(file: string, { root, store, onFiles }: OpLoadOptions): Promise<LoadedOp> {
  const bundled = await bundleOf(file, { root, store, external: Object.keys(languageModules), onFiles });
  const { code, map, files, guards: insertions } = bundled;
  onFiles?.(files);
  const mapper = sourceMapper({ bundle: bundleName(file), code, insertions, map, folder: dirname(file), root });
  const exported = run(inserted(code, insertions), file, mapper, root);
  return { op: defaultExport(exported, mapper, placeOf(file, root)), files, sourceDigest: sha256(code) };
}

/** The modules of the language that an operator file may import: it gets ours, not a copy. */
const languageModules: Readonly<Record<string, unknown>> = {
  "unplugin-kernel/op": authoring,
  "unplugin-kernel/ops": opLibrary,
};

/** Name of the bundle in stack traces. It is not that of the file, whose lines have other numbers. */
const bundleName = (file: string): string => `${file}?bundle`;

function run(code: string, file: string, mapper: SourceMapper, root: string): unknown {
  const module = { exports: {} };
  const body = compileFunction(code, ["module", "exports", "require", guardName], { filename: bundleName(file) });
  withMapper(mapper, () =>
    runUserCode(mapper, placeOf(file, root), () => body(module, module.exports, requireFor(file), guardCondition)),
  );
  return module.exports;
}

function requireFor(file: string): (name: string) => unknown {
  const fromFile = createRequire(file);
  return (name) => languageModules[name] ?? fromFile(name);
}

function defaultExport(exported: unknown, mapper: SourceMapper, loc: SourceLoc): Op {
  const value = (exported as { readonly default?: unknown }).default;
  if (isOp(value)) return value;
  const named = Object.entries(exported as object).find(([, other]) => isOp(other))?.[0];
  const hint = named ? `export default ${named};` : "export default defineOp({ … }, ({ … }) => …)";
  if (value === undefined) throw mistake("op.no-default-export", `${loc.file} has no default export`, loc, { hint });
  const line = defaultExportLine(loc, mapper);
  throw mistake("op.not-an-op", `the default export of ${loc.file} is ${describe(value)}, not an operator`, line, {
    hint,
  });
}

/** Finds `export default` in the source; the top of the file if the export is spelled in another way. */
function defaultExportLine(top: SourceLoc, mapper: SourceMapper): SourceLoc {
  for (let line = 1; ; line++) {
    const text = mapper.line({ ...top, line });
    if (text === null) return top;
    const column = text.search(/\bexport default\b/) + 1;
    if (column > 0) return { ...top, line, column };
  }
}
