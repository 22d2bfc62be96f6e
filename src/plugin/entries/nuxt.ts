// `modules: ["unplugin-kernel/nuxt"]`: the plugin in all that Nuxt bundles, the app by Vite, webpack or Rspack, and the server's own routes
// by Nitro's Rollup; and the declarations in the configurations that Nuxt makes for TypeScript.

import { resolve } from "node:path";
import { createRollupPlugin, type UnpluginContextMeta } from "unplugin";
import { kernelHooks } from "../hooks/hooks.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import rspack from "./rspack.ts";
import vite from "./vite.ts";
import webpack from "./webpack.ts";

export type * from "../options/types.ts";

type List = unknown[];

interface Configuration {
  plugins?: List;
}

interface NitroConfiguration {
  rollupConfig?: { plugins?: unknown };
}

interface TypeReferences {
  readonly references: { readonly path: string }[];
}

/** Part of Nuxt that we use. */
export interface Nuxt {
  readonly options: { readonly rootDir: string; vite: Configuration | false };
  hook(name: string, callback: (given: never) => void): unknown;
}

/** The plugin for Nitro's Rollup, which has a way of its own with addresses. */
const nitroPlugin = createRollupPlugin<KernelPluginOptions>((options, meta) =>
  kernelHooks(options, { ...meta, framework: "nitro" } as unknown as UnpluginContextMeta),
);

const inFront = (plugin: unknown, plugins: unknown): List => [plugin, ...[plugins ?? []].flat()];

/** @param given `["unplugin-kernel/nuxt", { … }]`; default: declarations are written beside nuxt.config.ts */
export default function kernelModule(given: KernelPluginOptions, nuxt: Nuxt): void {
  const { rootDir } = nuxt.options;
  const options: KernelPluginOptions = { dts: true, root: rootDir, ...given };
  if (nuxt.options.vite !== false) {
    nuxt.options.vite = { ...nuxt.options.vite, plugins: inFront(vite(options), nuxt.options.vite?.plugins) };
  }
  const intoAll = (plugin: (options: KernelPluginOptions) => unknown) => (configurations: readonly Configuration[]) => {
    for (const one of configurations) one.plugins = inFront(plugin(options), one.plugins);
  };
  nuxt.hook("webpack:config", intoAll(webpack));
  nuxt.hook("rspack:config", intoAll(rspack));
  nuxt.hook("nitro:config", (nitro: NitroConfiguration) => {
    // Types are written by the plugin that sees the app.
    const plugin = nitroPlugin({ ...options, dts: false });
    nitro.rollupConfig = { ...nitro.rollupConfig, plugins: inFront(plugin, nitro.rollupConfig?.plugins) };
  });
  if (options.dts === false) return;
  const path = resolve(rootDir, options.dts === true || !options.dts ? "kernel-imports.d.ts" : options.dts);
  const addTypes = ({ references }: TypeReferences): void => void references.push({ path });
  nuxt.hook("prepare:types", addTypes);
  nuxt.hook("nitro:prepare:types", addTypes);
}
