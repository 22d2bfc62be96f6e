// An operator file and what it imports → one script, made by esbuild, with what it was made of.

import { dirname, posix, resolve } from "node:path";
import type { BuildFailure, BuildOptions, BuildResult, Message, OutputFile, Plugin } from "esbuild";
import { type DiagnosticError, type SourceLoc, sha256 } from "../../compiler/index.ts";
import { mistake, shown } from "./mistake.ts";

export interface Bundle {
  /** Code, as CommonJS. */
  readonly code: string;
  /** The source map, JSON, with the text of the sources; paths relative to the folder of the file. */
  readonly map: string;
  /** Absolute paths of all that went in. */
  readonly files: readonly string[];
}

/** Path relative to the folder of the operator file → sha256 of what was bundled. */
export type BundleInputs = Readonly<Record<string, string>>;

export interface EsbuildBundle {
  readonly bundle: Bundle;
  /** Files that went in; null where the same files may give another bundle one day: it is not to be kept. */
  readonly inputs: BundleInputs | null;
}

export interface EsbuildOptions {
  /** Paths in diagnostics are relative to it. */
  readonly root: string;
  /** Modules that are not bundled. */
  readonly external: readonly string[];
  /** Called with the files that were read where they make no bundle. */
  readonly onFiles?: ((files: readonly string[]) => void) | undefined;
}

const optionsOf = (file: string, external: readonly string[]) =>
  ({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    outfile: resolve(dirname(file), "op.js"),
    bundle: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    sourcemap: "external",
    sourcesContent: true,
    external: [...external],
    logLevel: "silent",
  }) as const satisfies BuildOptions;

/** @throws DiagnosticError `op.not-found`, `op.syntax` */
export async function bundleWithEsbuild(
  file: string,
  { root, external, onFiles }: EsbuildOptions,
): Promise<EsbuildBundle> {
  const { build } = await import("esbuild");
  const folder = dirname(file);
  try {
    const result = await build(optionsOf(file, external));
    const { code, map } = outputsOf(result.outputFiles);
    const files = Object.keys(result.metafile.inputs).map((input) => resolve(folder, input));
    return { bundle: { code, map, files }, inputs: importsAreOutright(result) ? inputsOf(result, map) : null };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    if (onFiles) onFiles(await filesRead(file, external));
    throw bundleError(error, file, root);
  }
}

/** Files that esbuild reads for a bundle which it cannot make: of a failure it has no metafile. */
async function filesRead(file: string, external: readonly string[]): Promise<readonly string[]> {
  const { build } = await import("esbuild");
  const files = new Set([file]);
  const listener: Plugin = {
    name: "files-read",
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
        files.add(path);
        return null;
      });
    },
  };
  await build({ ...optionsOf(file, external), plugins: [listener] }).catch(() => null);
  return [...files];
}

function outputsOf(outputs: readonly OutputFile[]): Pick<Bundle, "code" | "map"> {
  const text = (suffix: string): string => outputs.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  return { code: text(".js"), map: text(".js.map") };
}

type Result = BuildResult<{ metafile: true }>;

/**
 * Says whether every import names its file exactly: it is no package and no alias, and leaves no extension open that
 * another new file could take.
 */
const importsAreOutright = ({ metafile }: Result): boolean =>
  Object.entries(metafile.inputs).every(([importer, { imports }]) =>
    imports.every(({ path, original = "", external }) => external || path === outright(importer, original)),
  );

/** Path that a relative import names; null for a package or an alias. */
const outright = (importer: string, specifier: string): string | null =>
  /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(importer), specifier) : null;

/** Digests of what the bundler read, which may since have changed. Null: the map does not hold all of it. */
function inputsOf({ metafile }: Result, map: string): BundleInputs | null {
  const { sources, sourcesContent } = JSON.parse(map) as { sources: string[]; sourcesContent: string[] };
  const inputs: [string, string][] = [];
  for (const input of Object.keys(metafile.inputs)) {
    const text = sourcesContent[sources.indexOf(input)];
    if (text === undefined) return null;
    inputs.push([input, sha256(text)]);
  }
  return Object.fromEntries(inputs);
}

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
