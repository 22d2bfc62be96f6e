// A project's source files → the kernels that they import. Nothing is bundled: scripts are parsed one by one, and in files of other
// kinds (Vue, Svelte, Astro, HTML) imports are found by their form.

import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { DiagnosticError, type SourceLoc } from "../../compiler/index.ts";
import { type ParsedRequest, parseRequest, requestPattern } from "../request/request.ts";
import { importsOfScript } from "./imports-of-script.ts";
import { resolveImport } from "./resolve-import.ts";

export interface FoundImport {
  /** Specifier as written: "./gemm.op.ts?tune=wasm". */
  readonly specifier: string;
  /** Absolute path of the file that has it. */
  readonly importer: string;
  /** Request of the import; its path is the operator's, absolute. */
  readonly request: ParsedRequest;
}

const scripts = new Set([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"]);
const others = new Set([".vue", ".svelte", ".astro", ".html", ".mdx"]);
/** Folders of generated and installed files. */
const skipped = new Set(["node_modules", "dist", "out", "build", "coverage"]);

/** Paths of the project's own declaration files, `*.d.ts`. */
export async function* declarationFiles(root: string): AsyncGenerator<string> {
  for await (const path of sourceFiles(root)) if (path.endsWith(".d.ts")) yield path;
}

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".") && !skipped.has(entry.name)) yield* sourceFiles(path);
    if (entry.isFile() && (scripts.has(extname(path)) || others.has(extname(path)))) yield path;
  }
}

/** The operator files below `root`, absolute and sorted. */
export async function findOperators(root: string, accepts: (path: string) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of sourceFiles(root)) if (accepts(path)) found.push(path);
  return found.sort();
}

/** `from "…"`, `import "…"`, `import("…")` */
const importForm = /\b(?:from|import)\s*(?:\(\s*)?(["'])([^"'\n]+)\1/g;

/** Text of a file. Editors replace files while somebody looks: one that is gone has no imports. */
const textOf = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });

async function specifiersIn(path: string): Promise<readonly string[]> {
  const text = await textOf(path);
  if (!/[?&]tune\b/.test(text)) return [];
  const all = scripts.has(extname(path))
    ? await importsOfScript(path, text)
    : [...text.matchAll(importForm)].map(([, , specifier]) => specifier!);
  return all.filter((specifier) => requestPattern.test(specifier));
}

type OnMistake = (mistake: DiagnosticError) => void;

const raise: OnMistake = (mistake) => {
  throw mistake;
};

/** Finds the first place of a specifier in a file, at its quote. */
async function placeOf(specifier: string, file: string, root: string): Promise<SourceLoc> {
  const text = await textOf(file);
  const at = Math.max(0, text.indexOf(`"${specifier}"`), text.indexOf(`'${specifier}'`));
  const before = text.slice(0, at).split("\n");
  const shown = relative(root, file).split(sep).join("/");
  return { file: shown, line: before.length, column: before.at(-1)!.length + 1 };
}

/** Parses an import of a kernel; null: it is none, or wrong. */
async function requestOf(
  specifier: string,
  importer: string,
  root: string,
  onMistake: OnMistake,
): Promise<ParsedRequest | null> {
  try {
    return parseRequest(specifier);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    onMistake(new DiagnosticError({ ...error.diagnostic, loc: await placeOf(specifier, importer, root) }));
    return null;
  }
}

/**
 * All imports of kernels below `root`, sorted by file and specifier. Imports whose operator cannot be found are left out.
 *
 * @param onMistake told of imports that are wrong; default: throws them
 * @param onLost told of imports that are left out
 * @throws DiagnosticError of `parseRequest`
 */
export async function findImports(
  root: string,
  accepts: (path: string) => boolean,
  onMistake: OnMistake = raise,
  onLost: (specifier: string, importer: string) => void = () => {},
): Promise<readonly FoundImport[]> {
  const found: FoundImport[] = [];
  for await (const importer of sourceFiles(root)) {
    for (const specifier of await specifiersIn(importer)) {
      const request = await requestOf(specifier, importer, root, onMistake);
      if (!request) continue;
      const path = await resolveImport(specifier, importer, root);
      if (path && accepts(path)) found.push({ specifier, importer, request: { ...request, path } });
      else onLost(specifier, importer);
    }
  }
  const order = ({ importer, specifier }: FoundImport): string => `${importer}\n${specifier}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Each kernel once, for all imports and spellings of its query. */
export function kernelsOf(imports: readonly FoundImport[]): readonly ParsedRequest[] {
  const kernels = new Map(imports.map(({ request }) => [request.path + request.query, request]));
  return [...kernels.values()].sort((a, b) => (a.path + a.query < b.path + b.query ? -1 : 1));
}
