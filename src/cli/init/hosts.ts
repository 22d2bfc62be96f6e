// The bundlers that `init` knows: how one is told by a project's files and packages, and what its configuration is like.

/** In the order in which they are named. */
export const hostNames = [
  "vite",
  "rollup",
  "rolldown",
  "esbuild",
  "webpack",
  "rspack",
  "rsbuild",
  "farm",
  "bun",
] as const;
export type HostName = (typeof hostNames)[number];

export interface HostFacts {
  /** Any of them in package.json says that the project has it. */
  readonly packages: readonly string[];
  /** Bundlers that are parts of it: their packages beside it say nothing. */
  readonly parts: readonly HostName[];
  /** Plugins are told by a file that exports options, or by a script that calls functions. */
  readonly options:
    | { readonly kind: "exported"; readonly file: string }
    | { readonly kind: "called"; readonly from: string; readonly functions: readonly string[] };
  /** The module that has `defineConfig`, or null; undefined: without a file the bundler does not know what to build. */
  readonly newFile?: { readonly defineConfig: string | null };
}

const called = (from: string, ...functions: string[]): HostFacts["options"] => ({ kind: "called", from, functions });
const exported = (file: string): HostFacts["options"] => ({ kind: "exported", file });

export const hosts: Readonly<Record<HostName, HostFacts>> = {
  vite: {
    packages: ["vite"],
    parts: ["rollup", "rolldown", "esbuild"],
    options: exported("vite.config"),
    newFile: { defineConfig: "vite" },
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
  bun: { packages: ["bun", "@types/bun", "bun-types"], parts: [], options: called("Bun", "build") },
};

/** The import of the plugin and its call, as lines to add. */
export const pluginImport = (host: HostName, isCommonJs: boolean, name = "kernel"): string =>
  isCommonJs
    ? `const ${name} = require("unplugin-kernel/${host}").default;`
    : `import ${name} from "unplugin-kernel/${host}";`;
