// Table of the bundlers: which have an entry of the package, and how each of them gets the files of kernels. docs/bundlers.md, build.js,
// the exports of package.json, `init` and the plugin of all bundlers are held against it by test/plugin/emit/hosts.test.ts.

import type { UnpluginContextMeta } from "unplugin";
import { invariant } from "../../compiler/index.ts";
import type { Session } from "../session/session.ts";
import { bunHost } from "./bun.ts";
import type { DevServer } from "./dev.ts";
import { esbuildHost } from "./esbuild.ts";
import { farmHost } from "./farm.ts";
import type { Host } from "./host.ts";
import { nitroHost } from "./nitro.ts";
import { rollupHost } from "./rollup.ts";
import { viteHost } from "./vite.ts";
import { webpackHost } from "./webpack.ts";

/** Bundlers that unplugin tells apart, and Nitro, whose Rollup has addresses of its own. */
export type Framework = UnpluginContextMeta["framework"] | "nitro";

/** One instance of the plugin, as a host sees it. */
export interface PluginInstance {
  readonly session: Session;
  readonly dev: DevServer;
  /** Makes the plugin once more, with the same options. */
  readonly another: () => unknown;
}

export interface BundlerFacts {
  /** Whether the package has an entry of this name: `unplugin-kernel/vite`. */
  readonly hasEntry: boolean;
  readonly host: (instance: PluginInstance) => Host;
}

/** A bundler that unplugin adds is a type error here until it has its row. */
export const bundlers: Readonly<Record<Framework, BundlerFacts>> = {
  vite: { hasEntry: true, host: ({ session, dev, another }) => viteHost(session, dev, another) },
  rollup: { hasEntry: true, host: rollupHost },
  rolldown: { hasEntry: true, host: rollupHost },
  esbuild: { hasEntry: true, host: esbuildHost },
  webpack: { hasEntry: true, host: webpackHost },
  rspack: { hasEntry: true, host: webpackHost },
  rsbuild: { hasEntry: true, host: webpackHost },
  farm: { hasEntry: true, host: farmHost },
  bun: { hasEntry: true, host: bunHost },
  /** Part of `unplugin-kernel/nuxt`. */
  nitro: { hasEntry: false, host: nitroHost },
  /** Takes Rollup's hooks. The package has no entry for it. */
  unloader: { hasEntry: false, host: rollupHost },
};

/** @throws Error: a version of unplugin that is newer than the table tells of a bundler that is not in it */
export function hostFor(framework: Framework, instance: PluginInstance): Host {
  invariant(Object.hasOwn(bundlers, framework), `the bundler ${framework} is not in the table`);
  return bundlers[framework].host(instance);
}
