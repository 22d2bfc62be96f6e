// Imports of kernels in a script's text, found by their form: Jest's transformers see modules in TypeScript, in JavaScript with imports and
// in CommonJS, and hand on text.

import type { Format } from "../kernel/stored/module-file.ts";
import { requestPattern } from "../request/request.ts";

/** `from "…"`, `import("…")`, `require("…")`, `jest.mock("…")`, and that as Jest's plugin for Babel hoists it */
const form =
  /\b(from|import|require|(?:jest|_getJestObj\(\))\s*\.\s*\w+)(\s*(?:\(\s*)?)(["'])([^"'\n\\][^"'\n\\?]*\?[^"'\n\\]*)\3/g;

/** The specifiers with `?tune=` that a text imports, each once. */
export function kernelSpecifiers(text: string): readonly string[] {
  const all = [...text.matchAll(form)].map(([, , , , specifier]) => specifier!);
  return [...new Set(all)].filter((specifier) => requestPattern.test(specifier));
}

/**
 * The text with other specifiers in place of kernels'.
 *
 * @param others takes a specifier and the format that its import asks for; undefined: it stays
 */
export function replaceSpecifiers(
  text: string,
  isModule: boolean,
  others: (specifier: string, format: Format) => string | undefined,
): string {
  return text.replace(form, (whole, word: string, between: string, _quote, specifier: string) => {
    const isImport = word === "from" || word === "import" || (isModule && word !== "require");
    const other = others(specifier, isImport ? "esm" : "cjs");
    return other === undefined ? whole : `${word}${between}${JSON.stringify(other)}`;
  });
}
