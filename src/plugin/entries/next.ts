// `export default withKernels(config)` in next.config.ts: rules for Turbopack, with our loader, and the plugin for webpack.

import { relative, resolve } from "node:path";
import { resolveOptions } from "../options/options.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import webpack from "./webpack.ts";

export type * from "../options/types.ts";

interface WebpackConfiguration {
  plugins?: unknown[];
}

type Webpack = (config: WebpackConfiguration, context: never) => WebpackConfiguration;

/** Part of Next's configuration that we use. */
interface NextConfiguration {
  readonly turbopack?: { readonly rules?: Readonly<Record<string, unknown>> };
  readonly webpack?: unknown;
  /** Globs of files that a copied server has besides those that Next finds, by the routes that need them. */
  readonly outputFileTracingIncludes?: Readonly<Record<string, readonly string[]>>;
}

const operatorFiles = ["*.op.ts", "*.op.js", "*.op.mts", "*.op.mjs"];

/** Any route may have a kernel. */
const allRoutes = "/**";

/**
 * Glob of the addons in the store, where the modules of Turbopack read them. Next does not find them by itself, and leaves them
 * behind in `.next/standalone` and on Vercel.
 */
function addonsOf(options: KernelPluginOptions): string {
  const folder = relative(process.cwd(), resolve(resolveOptions(options).cacheDir, "addons"));
  return `./${folder.replaceAll("\\", "/")}/*.node`;
}

function wire<Configuration extends object>(config: Configuration, options: KernelPluginOptions): Configuration {
  const { turbopack, webpack: own, outputFileTracingIncludes: traced = {} } = config as NextConfiguration;
  const rule = {
    condition: { query: /[?&]tune=/ },
    // Plain data, since Turbopack hands it to another process.
    loaders: [{ loader: "unplugin-kernel/loader", options: { ...options } }],
    as: "*.js",
  };
  const rules = Object.fromEntries(operatorFiles.map((pattern) => [pattern, rule]));
  const withPlugin: Webpack = (given, context) => {
    const wired = { ...given, plugins: [webpack(options), ...(given.plugins ?? [])] };
    return typeof own === "function" ? own(wired, context) : wired;
  };
  return {
    ...config,
    turbopack: { ...turbopack, rules: { ...rules, ...turbopack?.rules } },
    outputFileTracingIncludes: { ...traced, [allRoutes]: [addonsOf(options), ...(traced[allRoutes] ?? [])] },
    webpack: withPlugin,
  };
}

/**
 * @param config Next's configuration, or a function that gives it
 * @param options of the plugin; for Turbopack only what JSON has, so patterns are globs
 */
export default function withKernels<Configuration extends object>(
  config: Configuration,
  options: KernelPluginOptions = {},
): Configuration {
  if (typeof config !== "function") return wire(config, options);
  const make = config as unknown as (...given: readonly unknown[]) => object | Promise<object>;
  const made = async (...given: readonly unknown[]): Promise<object> => wire(await make(...given), options);
  return made as unknown as Configuration;
}
