// The plugin: an import of "./gemm.op.ts?tune=wasm" is resolved to its file, compiled, and loaded as a module that binds
// the kernel. Only the hooks; what differs from bundler to bundler is in emit/.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { createUnplugin, type UnpluginInstance } from "unplugin";
import { DiagnosticError } from "../compiler/index.ts";
import { emitModule } from "./binding/module.ts";
import type { CompileKernel } from "./compiled-kernel.ts";
import { createDevServer, type DevServer } from "./dev.ts";
import { esbuildHost } from "./emit/esbuild.ts";
import type { HookContext, Host } from "./emit/host.ts";
import { rollupHost } from "./emit/rollup.ts";
import { viteHost } from "./emit/vite.ts";
import { pluginName } from "./plugin-name.ts";
import { parseRequest, requestPattern } from "./request.ts";
import { createSession, type Session } from "./session.ts";
import type { KernelPluginOptions } from "./types.ts";

/** All that it takes to compile a kernel: loaded beside the bundler's own reading of files, once it has begun. */
const loadCompiler = () => import("./compile-kernel.ts");

const compileWhenLoaded: CompileKernel = async (request, services) =>
  (await loadCompiler()).compileKernel(request, services);

function hostFor(framework: string, session: Session, dev: DevServer): Host {
  if (framework === "vite") return viteHost(session, dev);
  return framework === "esbuild" ? esbuildHost() : rollupHost();
}

/** Absolute path of an imported operator file; null: the host is to say that there is none. */
async function locate(host: Host, context: HookContext, path: string, importer: string | undefined) {
  if (/^\.\.?\//.test(path) && importer) return resolve(dirname(importer.split("?")[0]!), path);
  if (isAbsolute(path) && existsSync(path)) return path;
  return host.resolve(context, path, importer);
}

/** Bundlers print the stack of an error, which says nothing about a mistake in an operator or an import. */
async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DiagnosticError) error.stack = error.message;
    throw error;
  }
}

type KernelPlugin = UnpluginInstance<KernelPluginOptions | undefined, false>;

/**
 * The plugin around any way of compiling kernels.
 *
 * @param begin told that a bundler has begun: what `compile` needs may be loaded
 */
export function createKernelPlugin(compile: CompileKernel, begin: () => void = () => {}): KernelPlugin {
  return createUnplugin((options: KernelPluginOptions | undefined, { framework }) => {
    const session = createSession(options ?? {}, compile);
    const dev = createDevServer(session);
    const host = hostFor(framework, session, dev);

    const resolveKernel = async (context: HookContext, id: string, importer: string | undefined) => {
      const request = parseRequest(id);
      if (!request) return null;
      const file = await locate(host, context, request.path, importer);
      if (!file || !session.options().accepts(file) || !existsSync(file)) return null;
      session.imported({ specifier: id, file });
      return file + request.query;
    };

    const loadKernel = async (context: HookContext, id: string) => {
      const request = parseRequest(id);
      if (!request || !session.options().accepts(request.path)) return null;
      context.addWatchFile(request.path);
      const mode = host.mode(context, session.options().mode);
      const kernel = dev.improved(request) ?? (await session.compile(request, mode));
      for (const file of kernel.watchFiles) context.addWatchFile(file);
      const code = emitModule(kernel, host.place(context, kernel, request));
      host.loaded(context, kernel, request);
      return { code, map: null };
    };

    return {
      name: pluginName,
      enforce: "pre",
      buildStart() {
        begin();
        session.begin();
        host.begin(this as HookContext);
      },
      resolveId: {
        filter: { id: requestPattern },
        handler(id, importer) {
          return plainly(() => resolveKernel(this as HookContext, id, importer));
        },
      },
      load: {
        filter: { id: requestPattern },
        handler(id) {
          return plainly(() => loadKernel(this as HookContext, id));
        },
      },
      watchChange: (file) => dev.changed(file),
      buildEnd: () => session.finish(),
      ...host.hooks,
    };
  });
}

/** Should it fail, the first kernel tells: it loads the same. */
const loadAhead = (): void => void loadCompiler().catch(() => undefined);

const plugin: KernelPlugin = /* @__PURE__ */ createKernelPlugin(compileWhenLoaded, loadAhead);
export default plugin;
