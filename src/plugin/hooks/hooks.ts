// The plugin's hooks: an import of "./gemm.op.ts?tune=wasm" is resolved to its file, compiled, and loaded as a module that binds
// the kernel. What differs from bundler to bundler is in emit/; vite.ts, rollup.ts and so on are the plugins.

import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { UnpluginContextMeta, UnpluginInstance, UnpluginOptions } from "unplugin";
import { DiagnosticError } from "../../compiler/index.ts";
import { afterMs } from "../../native/machine/clock.ts";
import { emptyMap } from "../binding/empty-map.ts";
import { emitModule } from "../binding/module/module.ts";
import { runtimeFrom, runtimePaths } from "../binding/runtime-files.ts";
import { createDevServer } from "../emit/dev.ts";
import type { HookContext, Host } from "../emit/host.ts";
import { hostFor } from "../emit/hosts.ts";
import { pluginName } from "../emit/plugin-name.ts";
import type { CompileKernel } from "../kernel/compile-services.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import { loadBackends } from "../options/load-backends.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { checkPath, isOfOthers } from "../request/is-of-others.ts";
import { locateOperator } from "../request/locate-operator.ts";
import { type ParsedRequest, parseRequest, requestPattern } from "../request/request.ts";
import { createSession, type Session } from "../session/session.ts";
import { slashPath } from "../support/shown-path.ts";

/** All that it takes to compile a kernel: loaded beside the bundler's own reading of files, once it has begun. */
const loadCompiler = () => import("../kernel/compile/compile-kernel.ts");

const compileWhenLoaded: CompileKernel = async (request, services) =>
  (await loadCompiler()).compileKernel(request, services);

/** Absolute path of an imported operator file; null: the host is to say that there is none. */
async function locate(host: Host, context: HookContext, id: string, path: string, told: string | undefined) {
  const importer = told && (host.importerOf?.(told) ?? told).split("?")[0]!;
  return (await locateOperator(id, importer)) ?? host.resolve(context, path, importer);
}

/**
 * Bundlers print the stack of an error, which says nothing about a mistake in an operator or an import. Rspack prints it in place of
 * the message, Rollup and Vite beside the message, less the line that every stack begins with.
 */
async function plainly<T>(work: () => Promise<T>, importer?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DiagnosticError) {
      error.stack = `${error.name}: ${error.message}\n`;
      // Rollup, Rolldown and Vite name the file in which the import is; the other bundlers know it.
      if (importer) Object.assign(error, { id: importer.split("?")[0] });
    }
    throw error;
  }
}

/** Milliseconds after which a failure that others hold up is told of. */
const quietWaitMs = 1_000;

/**
 * A bundler that hears of one failure may end its process: it hears of it when all other kernels that it has asked for have
 * their decisions in lock and store.
 */
async function othersEnd(session: Session, { path, query }: ParsedRequest, error: unknown): Promise<void> {
  const tell = (): void => {
    const others = session.busy();
    const reason = (error instanceof Error ? error.message : String(error)).split("\n")[0];
    const name = slashPath(session.options().root, path) + query;
    if (others > 0) session.log().warn(`${name} fails when ${others} more are done: ${reason}`);
  };
  const callOff = afterMs(quietWaitMs, tell);
  await session.settled();
  callOff();
}

function idOf(host: Host, context: HookContext, file: string): string {
  const folder = host.idFolder?.(context);
  return folder === undefined ? file : slashPath(folder, file);
}

/** Parses an id once the targets of option `backends` are known. */
async function knownRequest(session: Session, id: string): Promise<ParsedRequest | null> {
  await loadBackends(session.options());
  return parseRequest(id);
}

async function requestOf(
  host: Host,
  context: HookContext,
  session: Session,
  id: string,
): Promise<ParsedRequest | null> {
  const request = await knownRequest(session, id);
  const folder = host.idFolder?.(context);
  return request && folder !== undefined ? { ...request, path: resolve(folder, request.path) } : request;
}

const marksOf = ({ cutsPathsAt = "?" }: Host): string => cutsPathsAt;

/** Refuses folders whose names the host cuts. What comes behind a mark is a query of the importer, unless there is such a file. */
function checkFolders(host: Host, context: HookContext, importer: string | undefined): void {
  if (importer && existsSync(importer)) checkPath(importer, marksOf(host));
  // webpack has cut the importer already.
  checkPath(host.idFolder?.(context) ?? "", marksOf(host));
}

/** Text of a module that re-exports a kernel's: one module for one kernel, however its import is spelt. */
const reExport = (id: string): string => `export { default } from ${JSON.stringify(id)};\n`;

/**
 * Function that makes the plugin's hooks, as `createVitePlugin` of unplugin and its like take it.
 *
 * @param another the plugin once more, with the same options, for bundles that Vite makes beside the main one
 */
export type KernelHooks = (
  options: KernelPluginOptions | undefined,
  meta: UnpluginContextMeta,
  another?: () => unknown,
) => UnpluginOptions;

/** The plugin of a bundler: one, where unplugin's own types leave open whether it is a list. */
export type KernelPlugin<Bundler extends keyof UnpluginInstance<unknown>> = UnpluginInstance<
  KernelPluginOptions | undefined,
  false
>[Bundler];

/**
 * The hooks around any way of compiling kernels.
 *
 * @param begin called when a bundler begins, with whether it will soon want kernels that are not known yet: `compile` may load its
 *   modules
 */
export const createKernelHooks =
  (compile: CompileKernel, begin: (hasMisses: boolean) => unknown = () => {}): KernelHooks =>
  (options, { framework }, another = () => null) => {
    const session = createSession(options ?? {}, compile);
    const dev = createDevServer(session);
    const host = hostFor(framework, { session, dev, another });

    const resolveKernel = async (context: HookContext, id: string, importer: string | undefined) => {
      const request = await knownRequest(session, id);
      if (!request) return null;
      checkFolders(host, context, importer);
      const file = await locate(host, context, id, request.path, importer);
      if (!file || !existsSync(file)) return null;
      if (isOfOthers(file, id, session.options())) return null;
      checkPath(file, marksOf(host));
      return idOf(host, context, file) + request.query;
    };

    const loadKernel = async (context: HookContext, id: string) => {
      const request = await requestOf(host, context, session, id);
      if (!request || !session.options().accepts(request.path)) return null;
      const normal = request.path + request.query;
      const map = emptyMap(host.needsMapping ? basename(normal) : undefined);
      if (host.keepsSpelling && id !== normal) return { code: reExport(normal), map };
      context.addWatchFile(request.path);
      const mode = host.mode(context, session.options().mode);
      const compiled = async (): Promise<CompiledKernel> => dev.improved(request) ?? session.compile(request, mode);
      const kernel = await compiled().catch(async (error: unknown) => {
        for (const file of session.sourcesOf(request)) context.addWatchFile(file);
        host.failed?.(context, request);
        // A dev server goes on after any failure, and does not wait for kernels that are tuned in the background.
        if (host.mode(context, "tune") === "tune") await othersEnd(session, request, error);
        if (!host.tell || !(error instanceof DiagnosticError)) throw error;
        host.tell(context, error);
        return null;
      });
      if (kernel === null) return { code: "", map };
      for (const file of kernel.watchFiles) context.addWatchFile(file);
      const isHot = host.isHot?.(context) ?? false;
      const hasSchedule = isHot || session.options().schedules;
      const folder = host.moduleFolder?.(context) ?? null;
      const code = emitModule(kernel, host.place(context, kernel, request), {
        files: folder === null ? runtimePaths() : runtimeFrom(folder),
        ...{ isHot, hasSchedule, measurePage: host.measurePage?.(context, kernel, request) },
        isReadable: hasSchedule || host.minifies?.(context) === false,
      });
      host.loaded(context, kernel, request);
      return { code, map };
    };

    return {
      name: pluginName,
      enforce: "pre",
      buildStart() {
        const { mode, lockfile } = session.options();
        begin(host.mode(this as HookContext, mode) === "interim" && !existsSync(lockfile));
        session.begin();
        host.begin(this as HookContext);
      },
      resolveId: {
        filter: { id: requestPattern },
        handler(id, importer) {
          return plainly(() => resolveKernel(this as HookContext, id, importer), importer);
        },
      },
      load: {
        filter: { id: requestPattern },
        handler(id) {
          return plainly(() => loadKernel(this as HookContext, id));
        },
      },
      watchChange(file) {
        dev.changed(file);
        session.changed();
      },
      buildEnd() {
        const isDevServer = host.mode(this as HookContext, "tune") !== "tune";
        return session.finish(!isDevServer);
      },
      ...host.hooks,
    };
  };

/** Should it fail, the first kernel tells: it loads the same. */
const loadAhead = async (hasMisses: boolean): Promise<void> => {
  try {
    const { loadForMisses } = await loadCompiler();
    if (hasMisses) await loadForMisses();
  } catch {}
};

export const kernelHooks: KernelHooks = /* @__PURE__ */ createKernelHooks(compileWhenLoaded, loadAhead);
