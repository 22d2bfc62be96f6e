// A program that Bun runs from its sources: `Bun.plugin(kernel())` in a preload, or `bun --preload unplugin-kernel/register`. Bun gives
// such plugins two hooks and nothing of a build, so unplugin's are not for them.

import { DiagnosticError } from "../../compiler/index.ts";
import { moduleInCode } from "../binding/module/in-code.ts";
import { runtimeUrls } from "../binding/runtime-files.ts";
import type { CompileKernel } from "../kernel/compile-services.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { isOfOthers } from "../request/is-of-others.ts";
import { locateOperatorNow } from "../request/locate-operator.ts";
import { parseRequest } from "../request/request.ts";
import { createSession } from "../session/session.ts";

/** Part of the plugin API that Bun has while a program runs. */
export interface BunProgram {
  onResolve(
    filter: { readonly filter: RegExp },
    hook: (given: { readonly path: string; readonly importer: string }) => { readonly path: string } | undefined,
  ): unknown;
  onLoad(
    filter: { readonly filter: RegExp },
    hook: (given: {
      readonly path: string;
    }) => Promise<{ readonly contents: string; readonly loader: "js" } | undefined>,
  ): unknown;
}

const asksForKernel = /[?&]tune(=|&|$)/;

const compile: CompileKernel = async (request, services) =>
  (await import("../kernel/compile/compile-kernel.ts")).compileKernel(request, services);

/** Error without its stack, which Bun prints, and which says nothing about a mistake in an operator or an import. */
function plain(error: unknown): unknown {
  if (error instanceof DiagnosticError) error.stack = `${error.name}: ${error.message}\n`;
  return error;
}

export function hookProgram(build: BunProgram, options: KernelPluginOptions = {}): void {
  const session = createSession(options, compile);
  build.onResolve({ filter: asksForKernel }, ({ path, importer }) => {
    const request = parseRequest(path);
    const file = request && locateOperatorNow(path, importer);
    return file && !isOfOthers(file, path, session.options()) ? { path: file + request.query } : undefined;
  });
  build.onLoad({ filter: asksForKernel }, async ({ path }) => {
    const request = parseRequest(path);
    if (!request) return undefined;
    try {
      const kernel = await session.compile(request);
      await session.finish(false);
      const module = { files: runtimeUrls(), hasSchedule: true };
      return { contents: moduleInCode(kernel, request.path, "node", module), loader: "js" };
    } catch (error) {
      throw plain(error);
    }
  });
}
