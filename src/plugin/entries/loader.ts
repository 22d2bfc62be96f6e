// `unplugin-kernel/loader`, for bundlers that take webpack's loaders and no plugins, as Turbopack does: an operator file with `?tune=…`
// becomes the module of its kernel.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { emptyMap, type SourceMap } from "../binding/empty-map.ts";
import { moduleInCode } from "../binding/module/in-code.ts";
import type { Platform } from "../binding/module/place.ts";
import { runtimeFrom } from "../binding/runtime-files.ts";
import type { CompileKernel } from "../kernel/compile-services.ts";
import { consoleSink } from "../log/log.ts";
import { loadBackends } from "../options/load-backends.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { parseRequest, requestPattern } from "../request/request.ts";
import { createSession, type Session } from "../session/session.ts";

export type * from "../options/types.ts";

/** Part of a loader's `this` that we use. */
export interface LoaderContext {
  readonly resourcePath: string;
  readonly resourceQuery: string;
  /** The project's folder. */
  readonly rootContext: string;
  /** "node", "web", … */
  readonly target: string;
  readonly mode: "production" | "development" | "none";
  getOptions(): KernelPluginOptions;
  addDependency(file: string): void;
  /** Adds a dependency on a file that is not there yet. */
  addMissingDependency(file: string): void;
  async(): (error: Error | null, code?: string, map?: SourceMap) => void;
}

const compile: CompileKernel = async (request, services) =>
  (await import("../kernel/compile/compile-kernel.ts")).compileKernel(request, services);

/** Sessions by folder and options: modules that are loaded at the same time share what is compiled. */
const sessions = new Map<string, Session>();

function sessionOf(options: KernelPluginOptions, root: string): Session {
  const key = JSON.stringify([root, options]);
  const session = sessions.get(key) ?? createSession(options, compile);
  if (!sessions.has(key)) session.configure(root, consoleSink);
  sessions.set(key, session);
  return session;
}

const platformOf = (target: string): Platform =>
  /node|electron-main/.test(target) ? "node" : /^web/.test(target) ? "browser" : "universal";

/** @returns the module of the kernel; null: the file is asked for as it is */
async function load(context: LoaderContext): Promise<string | null> {
  const { resourcePath, resourceQuery, rootContext, target, mode } = context;
  if (!requestPattern.test(resourceQuery)) return null;
  const session = sessionOf(context.getOptions(), rootContext);
  await loadBackends(session.options());
  const request = parseRequest(resourcePath + resourceQuery);
  if (!request) return null;
  const { lockfile, mode: configured } = session.options();
  // The dependency is named before anything can fail: failures are cached too, until a file that they depend on changes.
  if (existsSync(lockfile)) context.addDependency(lockfile);
  else context.addMissingDependency(lockfile);
  // A dev server answers at once; what is tuned meanwhile comes by the lock.
  const compiled = session.compile(request, mode === "development" && configured === "tune" ? "predict" : configured);
  const kernel = await compiled.finally(() => {
    for (const file of session.sourcesOf(request)) context.addDependency(file);
  });
  // An import that was not there before has types soon.
  session.changed();
  session.finish();
  const hasSchedule = mode === "development" || session.options().schedules;
  return moduleInCode(kernel, request.path, platformOf(target), {
    files: runtimeFrom(dirname(request.path)),
    hasSchedule,
  });
}

/** Turns an operator file into a kernel's module; one without `?tune=` is left as it is. */
export default function kernelLoader(this: LoaderContext, source: string): void {
  const done = this.async();
  load(this).then(
    (code) => (code === null ? done(null, source) : done(null, code, emptyMap())),
    (error) => done(error),
  );
}
