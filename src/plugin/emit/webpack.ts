// webpack, Rspack and Rsbuild: files belong to the module that needs them, as those of a loader, and are addressed from the runtime's own
// idea of where the bundle is.
//
// A module that comes from the bundler's cache therefore brings its files back: neither the store nor the machine that built it is
// asked. The files of a module that tree shaking leaves out would stay, so files that no script names are removed.

import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { type EmitUrl, type Platform, placeAssets } from "../binding/module/place.ts";
import { isUsers, mayCallAsync } from "./async-use.ts";
import type { HookContext, Host } from "./host.ts";
import { pluginName } from "./plugin-name.ts";
import {
  type Asset,
  type BundledModule,
  isOurs,
  type WebpackCompilation,
  type WebpackCompiler,
} from "./webpack-build.ts";

/** Stage of `processAssets` in which code has its last form: PROCESS_ASSETS_STAGE_SUMMARIZE of both bundlers. */
const whenCodeIsDone = 1000;

function removeUnused(compilation: WebpackCompilation): void {
  const assets = compilation.getAssets();
  const scripts = assets.filter(({ name }) => /\.[cm]?js$/.test(name)).map(({ source }) => source.source().toString());
  // Exports of a library may be called by others.
  const isLibrary = compilation.outputOptions?.library !== undefined;
  const isAsync =
    isLibrary || [...compilation.modules].flatMap((module) => [...(module.modules ?? [module])]).some(callsAsync);
  const isNeeded = ({ name, info }: Asset): boolean =>
    scripts.some((text) => text.includes(name)) && (isAsync || info.isForAsync !== true);
  for (const asset of assets) if (asset.info[isOurs] && !isNeeded(asset)) compilation.deleteAsset(asset.name);
}

function callsAsync(module: BundledModule): boolean {
  const { resource } = module;
  if (resource === undefined || encodedRequest.test(resource) || !isUsers(resource)) return false;
  const text = module.originalSource?.()?.source().toString();
  return text === undefined || mayCallAsync(text);
}

function platformOf({ options: { externalsPresets } }: WebpackCompiler): Platform {
  const { node = false, web = false } = externalsPresets ?? {};
  if (node === web) return "universal";
  return node ? "node" : "browser";
}

/** Variables of the bundler's runtime: where the bundle was loaded from, and what a page's files are below. */
const here = "__webpack_base_uri__";
const urls: Readonly<Record<Platform, (fileName: string) => string>> = {
  node: (fileName) => `new URL(${JSON.stringify(`./${fileName}`)}, ${here}).href`,
  browser: (fileName) => `new URL(__webpack_public_path__ + ${JSON.stringify(fileName)}, ${here}).href`,
  universal: (fileName) =>
    `(globalThis.process?.getBuiltinModule?.("node:fs") ? ${urls.node(fileName)} : ${urls.browser(fileName)})`,
};

function emitUrl({ getNativeBuildContext }: HookContext, platform: Platform): EmitUrl {
  const loader = getNativeBuildContext?.().loaderContext;
  return ({ fileName, bytes, isForAsync }) => {
    if (!loader) return null;
    // Minimized: the name of a script is a hash of its bytes, which are to stay.
    loader.emitFile(fileName, Buffer.from(bytes), undefined, { [isOurs]: true, isForAsync, minimized: true });
    return urls[platform](fileName);
  };
}

const compilerOf = ({ getNativeBuildContext }: HookContext): WebpackCompiler | null =>
  getNativeBuildContext?.().compiler ?? null;

function resolve(compiler: WebpackCompiler, path: string, importer: string | undefined): Promise<string | null> {
  const resolver = compiler.resolverFactory.get("normal", { dependencyType: "esm" });
  const folder = importer ? dirname(importer) : compiler.context;
  return new Promise((found) => {
    resolver.resolve({}, folder, path, {}, (error, file) => found(error || !file ? null : file.split("?")[0]!));
  });
}

/**
 * The folder that unplugin makes up for modules. Both bundlers make the names of variables of what a module imports, and would make them of
 * an absolute path.
 */
function moduleFolder({ context, rspack }: WebpackCompiler): string {
  if (!rspack) return context;
  const own = rspack.experiments.VirtualModulesPlugin ? "" : String(process.pid);
  return join(context, "node_modules/.virtual", own);
}

/** The id of a module, as it is part of the path that unplugin makes up for it. */
const encodedRequest = /%3F(?:.*%26)?tune(?:%3D|%26|$)/;

/** Marks modules of kernels as free of side effects, so that webpack leaves out those that are not used. */
const pure = { test: encodedRequest, sideEffects: false } as const;
const markPure = ({ options }: { readonly options: { readonly module: { readonly rules: unknown[] } } }): void =>
  void options.module.rules.push(pure);

export const webpackHost = (): Host => ({
  cutsPathsAt: "?#",
  begin({ getNativeBuildContext }) {
    const compilation = getNativeBuildContext?.().compilation;
    const when = { name: pluginName, stage: whenCodeIsDone };
    compilation?.hooks.processAssets.tap(when, () => removeUnused(compilation));
  },
  idFolder: (context) => compilerOf(context)?.context ?? process.cwd(),
  moduleFolder(context) {
    const compiler = compilerOf(context);
    return compiler && moduleFolder(compiler);
  },
  async resolve(context, path, importer) {
    const compiler = compilerOf(context);
    return compiler && resolve(compiler, path, importer);
  },
  mode: (_, configured) => configured,
  minifies: (context) => compilerOf(context)?.options.optimization?.minimize !== false,
  place(context, kernel, { settings }) {
    const compiler = compilerOf(context);
    const platform = compiler ? platformOf(compiler) : "universal";
    return placeAssets(kernel, platform, settings.sync, emitUrl(context, platform));
  },
  loaded: () => {},
  hooks: {
    webpack: markPure,
    rspack: markPure,
    rsbuild: {
      setup(api) {
        api.modifyRspackConfig((_, { addRules }) => addRules(pure));
      },
    },
  },
});
