// Hooks of Node's module loader, which run in a thread of their own: an operator file with `?tune=…` becomes the module of its kernel.

import type { LoadHook, ResolveHook } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DiagnosticError } from "../compiler/index.ts";
import { compileKernel } from "./compile-kernel.ts";
import { moduleInCode } from "./emit/in-code.ts";
import { checkPath, isOfOthers } from "./is-of-others.ts";
import { locateOperator } from "./locate-operator.ts";
import { modeOfProgram } from "./options.ts";
import { type ParsedRequest, parseRequest } from "./request.ts";
import { runtimeUrls } from "./runtime-files.ts";
import { createSession } from "./session.ts";

const session = createSession({ mode: modeOfProgram() }, compileKernel);

/** Path of a `file:` URL; null: an import of something else. */
const pathOf = (url: string | undefined): string | null =>
  url?.startsWith("file:") ? fileURLToPath(url.replace(/[?#].*$/, "")) : null;

/** Node prints all that an error has, and where it was made, which says nothing about a mistake in an operator or an import. */
async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    throw Object.assign(new Error(error.message), { name: error.name, stack: `${error.name}: ${error.message}\n` });
  }
}

/** Null: an import of something else. */
function requestOf(url: string): ParsedRequest | null {
  const path = pathOf(url);
  return path === null ? null : parseRequest(path + new URL(url).search);
}

/**
 * A specifier as its author wrote it: tsx has made a URL of what a program in CommonJS requires by package.json, with the query in the path.
 */
const written = (specifier: string): string =>
  /^file:.*%3F(?:.*&)?tune(?:=|&|$)/i.test(specifier) ? fileURLToPath(specifier) : specifier;

export const resolve: ResolveHook = (specifier, context, next) =>
  plainly(async () => {
    const asked = written(specifier);
    const request = parseRequest(asked);
    const path = request && (await locateOperator(asked, pathOf(context.parentURL) ?? undefined));
    if (!path) return next(specifier, context);
    checkPath(path, "?");
    return { url: pathToFileURL(path).href + request.query, format: "module", shortCircuit: true };
  });

export const load: LoadHook = (url, context, next) =>
  plainly(async () => {
    const request = requestOf(url);
    if (!request || isOfOthers(request.path, url, session.options())) return next(url, context);
    const kernel = await session.compile(request);
    await session.finish(false);
    const options = { files: runtimeUrls(), hasSchedule: true };
    return { format: "module", source: moduleInCode(kernel, request.path, "node", options), shortCircuit: true };
  });
