// An import of a kernel → its operator's file, as far as no bundler has to be asked: relative, absolute, and by the "imports" of the
// importer's package.json. Patterns there may name the query, which most bundlers take off before they look, and which Bun does not match.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** The nearest package.json above a file; null: there is none. */
export function packageOf(file: string): string | null {
  const folder = dirname(file);
  if (folder === file) return null;
  const path = join(folder, "package.json");
  return existsSync(path) ? path : packageOf(folder);
}

/** Finds the file of a `#…` import; null: there is no such pattern in package.json, or no such file. */
async function packageImport(specifier: string, importer: string): Promise<string | null> {
  const path = specifier.startsWith("#") ? packageOf(importer) : null;
  if (path === null) return null;
  return targetOf(specifier, path, (await import("resolve.exports")).imports);
}

type Imports = typeof import("resolve.exports").imports;

/**
 * Condition of entries that are for us alone. TypeScript would look behind `default` where it does not find what `types` names, as in
 * ts-jest, which shows it no other file.
 */
export const ownCondition = "unplugin-kernel";

function targetOf(specifier: string, path: string, imports: Imports): string | null {
  try {
    const conditions = [ownCondition];
    const targets = imports(JSON.parse(readFileSync(path, "utf8")), specifier, { conditions }) ?? [];
    const files = targets.map((target) => join(dirname(path), target.split("?")[0]!));
    return files.find((file) => existsSync(file)) ?? null;
  } catch {
    // `imports` throws where nothing matches. A package.json that cannot be read is reported by the bundler.
    return null;
  }
}

/**
 * @param specifier as written, "./gemm.op.ts?tune=wasm"
 * @param importer undefined for an entry of a build
 * @returns an absolute path, at which there may be nothing for a relative import; null: the bundler may know
 */
export async function locateOperator(specifier: string, importer: string | undefined): Promise<string | null> {
  if (!specifier.startsWith("#")) return locatePath(specifier, importer);
  return importer === undefined ? null : packageImport(specifier, importer);
}

/** Path of a relative or absolute specifier; null: it is neither, or nothing is there. */
function locatePath(specifier: string, importer: string | undefined): string | null {
  const path = specifier.split("?")[0]!;
  if (isAbsolute(path)) return existsSync(path) ? path : null;
  return importer !== undefined && /^\.\.?\//.test(path) ? resolve(dirname(importer), path) : null;
}

/** Locates an operator like `locateOperator`, for callers that cannot wait for a promise. */
export function locateOperatorNow(specifier: string, importer: string | undefined): string | null {
  const manifest = importer !== undefined && specifier.startsWith("#") ? packageOf(importer) : null;
  if (manifest === null) return locatePath(specifier, importer);
  const { imports } = createRequire(import.meta.url)("resolve.exports") as { imports: Imports };
  return targetOf(specifier, manifest, imports);
}
