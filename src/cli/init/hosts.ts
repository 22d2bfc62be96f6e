// Table of the bundlers, frameworks and runtimes that `init` knows: how a project's files and packages give one away,
// and where the plugin goes.

/** Names of bundlers, frameworks and run times, in the order in which messages list them. */
export const hostNames = [
  "vite",
  "nuxt",
  "next",
  "astro",
  "solid-start",
  "vitepress",
  "electron-vite",
  "tsup",
  "tsdown",
  "rollup",
  "rolldown",
  "esbuild",
  "webpack",
  "rspack",
  "rsbuild",
  "farm",
  "bun",
  "jest",
  "node",
] as const;
export type HostName = (typeof hostNames)[number];

/**
 * Place of the plugin in the configuration that a file exports: in a list of plugins; in `modules`, by name; or as a function around the
 * whole configuration.
 */
export type Site = "list" | "modules" | "around";

/** The list of plugins in a configuration. */
export interface PluginList {
  readonly key: "plugins" | "esbuildPlugins";
  /** Objects in the configuration that have the list, each of which gets the plugin; without any it is the configuration itself. */
  readonly within: readonly string[];
}

export type HostOptions =
  | { readonly kind: "exported"; readonly file: string; readonly site: Site; readonly list: PluginList }
  /** The bundler's functions are called by a script. */
  | { readonly kind: "called"; readonly from: string; readonly functions: readonly string[] }
  /** The scripts of package.json run programs from their sources. */
  | { readonly kind: "scripts" };

export interface HostFacts {
  /** Packages of which any one in package.json says that the project has it. */
  readonly packages: readonly string[];
  /** Bundlers that are parts of it, or that its tests have: their packages beside it say nothing. */
  readonly parts: readonly HostName[];
  /** Entry of this package, where it has another name. */
  readonly entry?: string;
  readonly options: HostOptions;
  /**
   * The module that has `defineConfig`, or null; undefined: without a file the bundler does not know what to build. `isScript`: it may be no
   * TypeScript.
   */
  readonly newFile?: { readonly defineConfig: string | null; readonly isScript?: boolean };
}

const called = (from: string, ...functions: string[]): HostOptions => ({ kind: "called", from, functions });
const plugins: PluginList = { key: "plugins", within: [] };
const exported = (file: string, list: PluginList = plugins, site: Site = "list"): HostOptions => ({
  kind: "exported",
  file,
  site,
  list,
});

const ofVite = ["vite", "rollup", "rolldown", "esbuild"] as const;
/** A framework with Vite in it. */
const aroundVite = (name: string, file: string): HostFacts => ({
  packages: [name],
  parts: ofVite,
  entry: "vite",
  options: exported(file, { key: "plugins", within: ["vite"] }),
});

export const hosts: Readonly<Record<HostName, HostFacts>> = {
  vite: {
    packages: ["vite"],
    parts: ["rollup", "rolldown", "esbuild"],
    options: exported("vite.config"),
    newFile: { defineConfig: "vite" },
  },
  nuxt: {
    packages: ["nuxt", "nuxt-nightly"],
    parts: [...ofVite, "webpack", "rspack"],
    options: exported("nuxt.config", plugins, "modules"),
    newFile: { defineConfig: null },
  },
  next: {
    packages: ["next"],
    parts: [...ofVite, "webpack", "rspack"],
    options: exported("next.config", plugins, "around"),
    newFile: { defineConfig: null },
  },
  astro: { ...aroundVite("astro", "astro.config"), newFile: { defineConfig: "astro/config" } },
  "solid-start": aroundVite("@solidjs/start", "app.config"),
  vitepress: aroundVite("vitepress", ".vitepress/config"),
  "electron-vite": {
    packages: ["electron-vite"],
    parts: ofVite,
    entry: "vite",
    options: exported("electron.vite.config", { key: "plugins", within: ["main", "preload", "renderer"] }),
  },
  tsup: {
    packages: ["tsup"],
    parts: ["rollup", "esbuild"],
    entry: "esbuild",
    options: exported("tsup.config", { key: "esbuildPlugins", within: [] }),
    newFile: { defineConfig: "tsup" },
  },
  tsdown: {
    packages: ["tsdown"],
    parts: ["rolldown"],
    entry: "rolldown",
    options: exported("tsdown.config"),
    newFile: { defineConfig: "tsdown" },
  },
  rollup: { packages: ["rollup"], parts: [], options: exported("rollup.config") },
  rolldown: { packages: ["rolldown"], parts: [], options: exported("rolldown.config") },
  esbuild: { packages: ["esbuild"], parts: [], options: called("esbuild", "build", "context") },
  webpack: {
    packages: ["webpack"],
    parts: [],
    options: exported("webpack.config"),
    newFile: { defineConfig: null },
  },
  rspack: {
    packages: ["@rspack/core"],
    parts: [],
    options: exported("rspack.config"),
    newFile: { defineConfig: null },
  },
  rsbuild: {
    packages: ["@rsbuild/core"],
    parts: ["rspack"],
    options: exported("rsbuild.config"),
    newFile: { defineConfig: "@rsbuild/core" },
  },
  farm: {
    packages: ["@farmfe/core"],
    parts: [],
    options: exported("farm.config"),
    newFile: { defineConfig: "@farmfe/core" },
  },
  bun: { packages: [], parts: [], options: called("Bun", "build") },
  jest: {
    packages: ["jest"],
    parts: [],
    options: exported("jest.config", plugins, "around"),
    newFile: { defineConfig: null, isScript: true },
  },
  node: { packages: [], parts: [], options: { kind: "scripts" } },
};

/** Packages of builders that take no plugin of ours: their projects are no programs that Node runs from their sources. */
export const closedBuilders: readonly string[] = [
  "@angular/build",
  "@angular-devkit/build-angular",
  "react-scripts",
  "parcel",
  "gatsby",
  "expo",
  "metro",
  "ember-cli",
  "snowpack",
  "@wordpress/scripts",
  "@vue/cli-service",
];
