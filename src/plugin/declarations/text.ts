// Imports of kernels → a declaration file that gives each the type of its kernel.
//
// TypeScript matches `declare module` patterns with one star, and one that is relative or begins with / only by its end; the first of
// several that match wins. So each spelling of an import gets its own entry, and the fallback comes last.

import { basename, dirname, relative, sep } from "node:path";
import { parseRequest, requestTargets } from "../request/request.ts";
import { jointType, signatureLine } from "./kernel-types.ts";
import type { Signature } from "./signature.ts";

export interface KernelImport {
  /** Specifier as written: "./gemm.op.ts?tune=wasm&M=64". */
  readonly specifier: string;
  /** Absolute path of the operator file. */
  readonly file: string;
  /** Signature of the kernel; null: not known, for a mistake in the operator. */
  readonly signature: Signature | null;
}

const heading = `// Types of the imports of kernels, written by unplugin-kernel. Commit this file: the compiler needs it before a build.
/* eslint-disable */
// biome-ignore-all format lint: generated
`;

/** Says whether a file was written by this plugin, by its first line. */
export const isGenerated = (text: string): boolean => text.startsWith(heading.split(",")[0]!);

const moduleText = (name: string, type: string, lines: readonly string[] = []): string => `
declare module ${JSON.stringify(name)} {
${lines.map((line) => `  /** ${line} */\n`).join("")}  const kernel: ${type};
  export default kernel;
}
`;

/** End of a specifier, which TypeScript matches; operators with the same file name and query cannot be told apart. */
const endOf = ({ specifier }: KernelImport): string =>
  /^[./]/.test(specifier) ? `*/${basename(specifier)}` : specifier;

function byEnd(imports: readonly KernelImport[]): ReadonlyMap<string, readonly KernelImport[]> {
  const groups = new Map<string, KernelImport[]>();
  for (const it of imports) {
    groups.set(endOf(it), [...(groups.get(endOf(it)) ?? []), it]);
  }
  return groups;
}

/** Type of the operator as TypeScript itself sees it, where there is no signature. */
function typeInFile(file: string, folder: string): string {
  const path = relative(folder, file).split(sep).join("/");
  return `typeof import(${JSON.stringify(path.startsWith(".") ? path : `./${path}`)}).default`;
}

const isKnown = (signature: Signature | null): signature is Signature => signature !== null;
const once = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

/** Members that kernels of a target have beside those of all. */
function extraType(target: string): string {
  if (target.startsWith("cuda-")) return ' & import("unplugin-kernel/op").OnCuda';
  return target === "webgpu" ? ' & import("unplugin-kernel/op").OnGpu' : "";
}

const onGpu = ([first]: readonly KernelImport[]): string =>
  extraType(parseRequest(first?.specifier ?? "")?.settings.target ?? "");

function entryText(end: string, imports: readonly KernelImport[], folder: string): string {
  const signatures = imports.map(({ signature }) => signature).filter(isKnown);
  if (signatures.length < imports.length) {
    return moduleText(end, once(imports.map(({ file }) => typeInFile(file, folder))).join(" | "));
  }
  return moduleText(end, `${jointType(signatures)}${onGpu(imports)}`, once(signatures.map(signatureLine)));
}

/**
 * @param path absolute, of the file that the text is for
 * @param likely imports that the project may have one day: those that it has come first
 * @returns the same text for the same imports, in any order
 */
export function declarationsText(
  imports: readonly KernelImport[],
  path: string,
  likely: readonly KernelImport[] = [],
): string {
  const entries = [...byEnd(likely), ...byEnd(imports)];
  const known = [...new Map(entries)].sort(([a], [b]) => (a < b ? -1 : 1));
  const precise = known.map(([end, group]) => entryText(end, group, dirname(path)));
  const fallback = requestTargets.map((target) =>
    moduleText(`*tune=${target}`, `import("unplugin-kernel/op").AnyKernel${extraType(target)}`),
  );
  return heading + precise.join("") + fallback.join("");
}
