// Imports of kernels → a declaration file that gives each the type of its kernel.
//
// TypeScript matches `declare module` patterns with one star, and one that is relative or begins with / only by its end; the first of
// several that match wins. So each spelling of an import gets its own entry, and the fallback comes last.

import { basename, dirname, relative, sep } from "node:path";
import { requestTargets } from "../request.ts";
import { jointType, signatureLine } from "./kernel-types.ts";
import type { Signature } from "./signature.ts";

export interface KernelImport {
  /** As written: "./gemm.op.ts?tune=wasm&M=64". */
  readonly specifier: string;
  /** Absolute path of the operator file. */
  readonly file: string;
  /** Null: not known, for a mistake in the operator. */
  readonly signature: Signature | null;
}

const heading = `// Types of the imports of kernels, written by unplugin-kernel. Commit this file: the compiler needs it before a build.
/* eslint-disable */
// biome-ignore-all format lint: generated
`;

const moduleText = (name: string, type: string, lines: readonly string[] = []): string => `
declare module ${JSON.stringify(name)} {
${lines.map((line) => `  /** ${line} */\n`).join("")}  const kernel: ${type};
  export default kernel;
}
`;

/** Operators with the same file name and query cannot be told apart. */
function byEnd(imports: readonly KernelImport[]): ReadonlyMap<string, readonly KernelImport[]> {
  const groups = new Map<string, KernelImport[]>();
  for (const it of imports) {
    const end = /^[./]/.test(it.specifier) ? `*/${basename(it.specifier)}` : it.specifier;
    groups.set(end, [...(groups.get(end) ?? []), it]);
  }
  return groups;
}

/** The operator's type as TypeScript itself sees it: for want of a signature. */
function typeInFile(file: string, folder: string): string {
  const path = relative(folder, file).split(sep).join("/");
  return `typeof import(${JSON.stringify(path.startsWith(".") ? path : `./${path}`)}).default`;
}

const isKnown = (signature: Signature | null): signature is Signature => signature !== null;
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

function entryText(end: string, imports: readonly KernelImport[], folder: string): string {
  const signatures = imports.map(({ signature }) => signature).filter(isKnown);
  if (signatures.length < imports.length) {
    return moduleText(end, unique(imports.map(({ file }) => typeInFile(file, folder))).join(" | "));
  }
  return moduleText(end, jointType(signatures), unique(signatures.map(signatureLine)));
}

/**
 * @param path absolute, of the file that the text is for
 * @returns the same text for the same imports, whatever their order
 */
export function declarationsText(imports: readonly KernelImport[], path: string): string {
  const entries = [...byEnd(imports)].sort(([a], [b]) => (a < b ? -1 : 1));
  const precise = entries.map(([end, group]) => entryText(end, group, dirname(path)));
  const fallback = requestTargets.map((target) =>
    moduleText(`*tune=${target}`, 'import("unplugin-kernel/op").AnyKernel'),
  );
  return heading + precise.join("") + fallback.join("");
}
