// An operator file → its operator: bundled with esbuild, run in this process, positions mapped back to what was written.

import { createRequire } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { compileFunction } from "node:vm";
import type { BuildFailure, BuildResult, Message, OutputFile } from "esbuild";
import {
  authoring,
  codeFrame,
  type Diagnostic,
  DiagnosticError,
  isOp,
  type Op,
  opLibrary,
  runUserCode,
  type SourceLoc,
  type SourceMapper,
  sha256,
  withMapper,
} from "../compiler/index.ts";
import { sourceMapper } from "./source-mapper.ts";

export interface LoadedOp {
  readonly op: Op;
  /** Absolute paths of the operator file and all that it imports: what a build watches. */
  readonly files: readonly string[];
  /** Sha256 of the bundled code: changes when the file or an import of it does. */
  readonly sourceDigest: string;
}

export interface LoadOptions {
  /** Paths in diagnostics are relative to it; the working directory of the build. */
  readonly root: string;
}

/**
 * Loads an operator file. It runs with the rights of the build, as a configuration file does.
 *
 * @param file absolute path
 * @throws DiagnosticError `op.not-found`, `op.syntax`, `op.threw`, `op.no-default-export`, `op.not-an-op`, and what the
 *   language refuses while the file is evaluated; mistakes inside the operator are found by `instantiate`
 * @example const { op } = await loadOp("/app/src/gemm.op.ts", { root: "/app" }); instantiate(op, { M: 64 }, "gemm")
 */
export async function loadOp(file: string, { root }: LoadOptions): Promise<LoadedOp> {
  const { code, map, files } = await bundle(file, root);
  const mapper = sourceMapper({ bundle: bundleName(file), map, folder: dirname(file), root });
  const exported = run(code, file, mapper, root);
  return { op: defaultExport(exported, mapper, place(file, root)), files, sourceDigest: sha256(code) };
}

// ── bundle ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The modules of the language that an operator file may import: it gets ours, not a copy. */
const languageModules: Readonly<Record<string, unknown>> = {
  "unplugin-kernel/op": authoring,
  "unplugin-kernel/ops": opLibrary,
};

/** What the bundle is called in stack traces: not the file itself, whose own line numbers are others. */
const bundleName = (file: string): string => `${file}?bundle`;

interface Bundle {
  readonly code: string;
  readonly map: string;
  readonly files: readonly string[];
}

async function bundle(file: string, root: string): Promise<Bundle> {
  const esbuild = await import("esbuild");
  try {
    const folder = dirname(file);
    const result = await esbuild.build({
      entryPoints: [file],
      absWorkingDir: folder,
      outfile: resolve(folder, "op.js"),
      bundle: true,
      write: false,
      metafile: true,
      format: "cjs",
      platform: "node",
      target: "node20",
      sourcemap: "external",
      sourcesContent: true,
      external: Object.keys(languageModules),
      logLevel: "silent",
    });
    return { ...outputsOf(result.outputFiles), files: inputsOf(result, folder) };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    throw bundleError(error, file, root);
  }
}

function outputsOf(outputs: readonly OutputFile[]): Pick<Bundle, "code" | "map"> {
  const text = (suffix: string): string => outputs.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  return { code: text(".js"), map: text(".js.map") };
}

const inputsOf = ({ metafile }: BuildResult<{ metafile: true }>, folder: string): readonly string[] =>
  Object.keys(metafile.inputs).map((input) => resolve(folder, input));

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && "errors" in error;

function bundleError({ errors }: BuildFailure, file: string, root: string): DiagnosticError {
  const [first] = errors;
  if (!first || (!first.location && first.text.startsWith("Could not resolve"))) {
    return mistake("op.not-found", `there is no operator file ${shown(file, root)}`, null, {
      hint: "check the import",
    });
  }
  return mistake("op.syntax", first.text, messagePlace(first, file, root), { lineText: first.location?.lineText });
}

function messagePlace({ location }: Message, file: string, root: string): SourceLoc | null {
  if (!location) return null;
  const path = resolve(dirname(file), location.file);
  return { file: shown(path, root), line: location.line, column: location.column + 1 };
}

// ── run ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function run(code: string, file: string, mapper: SourceMapper, root: string): unknown {
  const module = { exports: {} };
  const body = compileFunction(code, ["module", "exports", "require"], { filename: bundleName(file) });
  withMapper(mapper, () =>
    runUserCode(mapper, place(file, root), () => body(module, module.exports, requireFor(file))),
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
  const hint = "export default defineOp({ … }, ({ … }) => …)";
  if (value === undefined) throw mistake("op.no-default-export", `${loc.file} has no default export`, loc, { hint });
  const line = defaultExportLine(loc, mapper);
  throw mistake("op.not-an-op", `the default export of ${loc.file} is ${kindOf(value)}, not an operator`, line, {
    hint,
  });
}

/** Where `export default` stands, the top of the file if it is spelled in another way. */
function defaultExportLine(top: SourceLoc, mapper: SourceMapper): SourceLoc {
  for (let line = 1; ; line++) {
    const text = mapper.line({ ...top, line });
    if (text === null) return top;
    const column = text.search(/\bexport default\b/) + 1;
    if (column > 0) return { ...top, line, column };
  }
}

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "an array"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`;

const shown = (path: string, root: string): string => relative(root, path).replaceAll("\\", "/");

const place = (file: string, root: string): SourceLoc => ({ file: shown(file, root), line: 1, column: 1 });

function mistake(
  code: Diagnostic["code"],
  message: string,
  loc: SourceLoc | null,
  { hint = null, lineText = null }: { readonly hint?: string | null; readonly lineText?: string | null | undefined },
): DiagnosticError {
  const detail = loc && lineText ? codeFrame(lineText, loc, null) : null;
  return new DiagnosticError({ code, message, loc, hint, detail });
}
