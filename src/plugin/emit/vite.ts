// Vite: in builds as Rollup, with two repairs for server bundles; in dev URLs of the dev server or of the store.
//
// Server bundles: `import.meta.ROLLUP_FILE_URL_…` would become a URL from the site's root, which Node cannot open, and
// without `build.emitAssets` the file would be left out without a word.

import { pathToFileURL } from "node:url";
import type { KernelAsset } from "../binding/asset.ts";
import { type EmitUrl, type Platform, placeAssets } from "../binding/module/place.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import { twinOf } from "../kernel/twin.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Session } from "../session/session.ts";
import { besideChunk, serverFolder } from "./beside-chunk.ts";
import type { DevServer, DevServerHost } from "./dev.ts";
import type { HookContext, Host, ViteEnvironment } from "./host.ts";
import { pluginName } from "./plugin-name.ts";
import { createEmittedFiles, type EmittedFiles, resolveByHost } from "./rollup.ts";

/** Platform of an environment. A library is built as a client and may run anywhere. */
function platformOf(environment: ViteEnvironment | undefined): Platform {
  if (environment?.config.consumer === "server") return "node";
  return environment?.config.build.lib ? "universal" : "browser";
}

/** Whether an environment is for Cloudflare's Workers, which take WebAssembly as files of their own alone, and make none of bytes. */
const isWorkerd = ({ config }: ViteEnvironment): boolean => config.resolve?.conditions?.includes("workerd") ?? false;

const workerdWarning =
  'Cloudflare\'s Workers make no WebAssembly while they run: kernels fail there at their first call; mode: "off" computes in JavaScript';

const isDev = ({ environment }: HookContext): boolean => environment?.mode === "dev";

/** Whether a library is built as a classic script too, which has no reliable address of its own. */
function isForScripts(environment: ViteEnvironment | undefined): boolean {
  const lib = environment?.config.build.lib;
  if (!lib) return false;
  const { formats, entry } = lib;
  // Vite's default formats.
  const usual = typeof entry === "string" || Object.keys(entry).length === 1 ? ["es", "umd"] : ["es", "cjs"];
  return (formats ?? usual).some((format) => format === "umd" || format === "iife");
}

/** Server environments load addons from the store; WASM goes into the code there, and by URL to the browser. */
function devUrl(platform: Platform, dev: DevServer): EmitUrl {
  return (asset) => {
    if (asset.role === "native") return asset.path && JSON.stringify(pathToFileURL(asset.path).href);
    return platform === "browser" ? JSON.stringify(dev.serve(asset)) : null;
  };
}

const isOurs = (plugin: unknown): boolean =>
  Array.isArray(plugin) ? plugin.some(isOurs) : (plugin as { readonly name?: string } | null)?.name === pluginName;

/** Tells once a build of an environment that makes no WebAssembly of bytes. */
function workerdWarner(session: Session): (context: HookContext, kernel: CompiledKernel) => void {
  let isWarned = false;
  return ({ environment }, kernel) => {
    if (isWarned || !twinOf(kernel, "wasm") || !environment || !isWorkerd(environment)) return;
    isWarned = true;
    session.log().warn(workerdWarning);
  };
}

/** @param another the plugin once more, with the same options */
export function viteHost(session: Session, dev: DevServer, another: () => unknown): Host {
  /** Environments build side by side, each with references of its own. */
  const files = new Map<string, EmittedFiles>();
  const filesOf = ({ name } = { name: "client" } as Pick<ViteEnvironment, "name">): EmittedFiles => {
    const known = files.get(name) ?? createEmittedFiles();
    files.set(name, known);
    return known;
  };

  const warnOfWorkerd = workerdWarner(session);

  return {
    begin: ({ environment }) => filesOf(environment).clear(),
    resolve: resolveByHost,
    isHot: isDev,
    minifies: ({ environment }) => (environment?.config.build.minify ?? true) !== false,
    mode: (context, configured) => (isDev(context) && configured === "tune" ? "interim" : configured),
    place(context, kernel, { settings }: ParsedRequest) {
      const platform = platformOf(context.environment);
      const folder = platform === "node" ? serverFolder : null;
      const emitUrl = isDev(context) ? devUrl(platform, dev) : filesOf(context.environment).emitUrl(context, folder);
      const isInCode = (role: KernelAsset["role"]): boolean =>
        (role === "wasm" || role === "relaxed") && isForScripts(context.environment);
      return placeAssets(kernel, platform, settings.sync, (asset) => (isInCode(asset.role) ? null : emitUrl(asset)));
    },
    measurePage(context, kernel, request) {
      const isMeasured =
        isDev(context) && session.options().mode === "tune" && platformOf(context.environment) === "browser";
      return isMeasured && twinOf(kernel, "webgpu") ? dev.measurePage(request) : null;
    },
    failed(context, request) {
      if (isDev(context)) dev.failed(request);
    },
    loaded(context, kernel, request) {
      warnOfWorkerd(context, kernel);
      if (isDev(context)) dev.healed(request);
      const isInterim = kernel.origin === "predicted" && session.options().mode === "tune";
      if (isDev(context) && isInterim) dev.improve(request, kernel, context.environment);
    },
    hooks: {
      vite: {
        /** A worker is a bundle of its own, with plugins of its own: without us it would have the operator in place of the kernel. */
        config({ worker }) {
          const isThere = (worker?.plugins?.() ?? []).some(isOurs);
          return isThere ? null : { worker: { plugins: () => [another() as never] } };
        },
        configEnvironment(name, { consumer, build }) {
          const isServer = consumer ? consumer === "server" : name !== "client";
          return isServer && build?.emitAssets === undefined ? { build: { emitAssets: true } } : null;
        },
        configResolved({ root, logger }) {
          session.configure(root, { info: (line) => logger.info(line), warn: (line) => logger.warn(line) });
        },
        configureServer(server) {
          dev.attach(server as unknown as DevServerHost);
        },
        resolveFileUrl({ referenceId, relativePath, format }) {
          const environment = (this as HookContext).environment;
          if (!referenceId || !filesOf(environment).has(referenceId) || platformOf(environment) === "browser")
            return null;
          return besideChunk(relativePath, format);
        },
        // The file with the mistake may be one that Vite does not watch, and Vite sends no update of a module that never loaded.
        hotUpdate({ modules }) {
          const { moduleGraph } = this.environment;
          const broken = dev.broken().flatMap((id) => moduleGraph.getModuleById(id) ?? []);
          if (broken.length === 0) return undefined;
          return [...new Set([...modules, ...broken, ...broken.flatMap(({ importers }) => [...importers])])];
        },
        closeBundle() {
          const { environment } = this as unknown as HookContext;
          if (environment?.mode === "dev") dev.detach(environment.getTopLevelConfig());
        },
        generateBundle(_, bundle) {
          filesOf((this as unknown as HookContext).environment).removeUnused(bundle, (id) => this.getFileName(id));
        },
      },
    },
  };
}
