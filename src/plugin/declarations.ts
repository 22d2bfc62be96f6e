// Imports of kernels → a declaration file that gives each its operator's own type.
//
// TypeScript matches `declare module` patterns with one star, and a relative import only by its end; the first of
// several that match wins. So each spelling of an import gets its own entry, and the fallback comes last.

import { basename, dirname, relative, sep } from "node:path";
import { requestTargets } from "./request.ts";

export interface KernelImport {
  /** As written: "./gemm.op.ts?tune=wasm&M=64". */
  readonly specifier: string;
  /** Absolute path of the operator file. */
  readonly file: string;
}

const heading = `// Types of the imports of kernels, written by unplugin-kernel. Commit this file: the compiler needs it before a build.
/* eslint-disable */
// biome-ignore-all format lint: generated
`;

const moduleText = (name: string, type: string): string => `
declare module ${JSON.stringify(name)} {
  const kernel: ${type};
  export default kernel;
}
`;

/** Operators with the same file name and query cannot be told apart: their types are joined. */
function typesByEnd(imports: readonly KernelImport[], folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, Set<string>>();
  for (const { specifier, file } of imports) {
    const end = specifier.startsWith(".") ? `*/${basename(specifier)}` : specifier;
    const path = relative(folder, file).split(sep).join("/");
    const type = `typeof import(${JSON.stringify(path.startsWith(".") ? path : `./${path}`)}).default`;
    types.set(end, (types.get(end) ?? new Set()).add(type));
  }
  return types;
}

/**
 * @param path absolute, of the file that the text is for
 * @returns the same text for the same imports, whatever their order
 */
export function declarationsText(imports: readonly KernelImport[], path: string): string {
  const entries = [...typesByEnd(imports, dirname(path))].sort(([a], [b]) => (a < b ? -1 : 1));
  const precise = entries.map(([end, types]) => moduleText(end, [...types].sort().join(" | ")));
  const fallback = requestTargets.map((target) =>
    moduleText(`*tune=${target}`, 'import("unplugin-kernel/vite").AnyKernel'),
  );
  return heading + precise.join("") + fallback.join("");
}
