// An import with `?tune=…` in a program that runs from its sources → its kernel's id: the path of the operator file, with the query in its
// one spelling. The id, as a URL, is that of the kernel's module.

import { fileURLToPath, pathToFileURL } from "node:url";
import { checkPath } from "../request/is-of-others.ts";
import { locateOperatorNow } from "../request/locate-operator.ts";
import { parseRequest, requestPattern } from "../request/request.ts";
import { plainError } from "./plain-error.ts";

/** Part of what Node and Deno tell a hook that resolves. */
export interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly conditions?: readonly string[];
}

/** Hook that resolves, for `registerHooks` and for `register`: the answer of `next` may be a promise with the latter. */
export type Resolve = <Context extends ResolveContext, Answer>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Answer,
) => Answer | { url: string; format: "module"; shortCircuit: true };

const pathOf = (url: string | undefined): string | undefined =>
  url?.startsWith("file:") ? fileURLToPath(url.replace(/[?#].*$/, "")) : undefined;

/**
 * Returns a specifier as its author wrote it: tsx has made a URL of what a program in CommonJS requires by package.json, with the query in
 * the path.
 */
const written = (specifier: string): string =>
  /^file:.*%3F(?:.*&)?tune(?:=|&|$)/i.test(specifier) ? fileURLToPath(specifier) : specifier;

/**
 * @param importer path of the script that imports
 * @returns null: an import of something else
 * @throws plain errors
 */
export function kernelId(specifier: string, importer: string | undefined): string | null {
  try {
    const asked = written(specifier);
    const request = parseRequest(asked);
    const path = request && locateOperatorNow(asked, importer);
    if (!path) return null;
    checkPath(path, "?");
    return path + request.query;
  } catch (error) {
    throw plainError(error);
  }
}

/**
 * Prefix of kernels' URLs. Deno 2.9 asks no hook for the text of a `file:` module, so kernels have a scheme of their own there. Node's
 * `--watch` follows files, so it is told of one.
 */
const scheme = "Deno" in globalThis ? "unplugin-kernel:" : "";

function urlOf(id: string): string {
  const query = id.indexOf("?");
  return scheme + pathToFileURL(id.slice(0, query)).href + id.slice(query);
}

/** @returns null: the URL is no kernel's */
export function idOf(url: string): string | null {
  const file = url.startsWith(scheme) ? url.slice(scheme.length) : "";
  const path = pathOf(file);
  return path && requestPattern.test(file) ? path + new URL(file).search : null;
}

export const resolve: Resolve = (specifier, context, next) => {
  const id = kernelId(specifier, pathOf(context.parentURL));
  return id === null ? next(specifier, context) : { url: urlOf(id), format: "module", shortCircuit: true };
};
