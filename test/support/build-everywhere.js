// Builds src/main.js of the working directory with every bundler, from the lock alone, each into a folder of its name:
// node build-everywhere.js esbuild vite … The package and the bundlers are those of the project's node_modules.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = process.cwd();
const pluginFor = async (host) =>
  (await import(pathToFileURL(join(root, `node_modules/unplugin-kernel/dist/${host}.js`)).href)).default({
    root,
    cacheDir: "store",
    mode: "frozen",
    logLevel: "warn",
  });

const input = join(root, "src/main.js");

async function likeRollup({ rollup, rolldown }, host) {
  const bundle = await (rollup ?? rolldown)({ input, plugins: [await pluginFor(host)], platform: "node" });
  await bundle.write({ dir: join(root, host), entryFileNames: "[name].mjs" });
  await bundle.close();
}

/** Options of webpack and of Rspack. */
const likeWebpack = async (host) => ({
  context: root,
  mode: "production",
  target: "node",
  entry: { main: "./src/main.js" },
  output: { path: join(root, host), filename: "[name].mjs", module: true, library: { type: "module" } },
  experiments: { outputModule: true },
  optimization: { minimize: false },
  plugins: [await pluginFor(host)],
});

const finished = (compiler) =>
  new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      const said = error ?? (stats.hasErrors() ? new Error(stats.toString({ all: false, errors: true })) : null);
      compiler.close(() => (said ? reject(said) : resolve()));
    });
  });

const builds = {
  rollup: async () => likeRollup({ rollup: (await import("rollup")).rollup }, "rollup"),
  rolldown: async () => likeRollup({ rolldown: (await import("rolldown")).rolldown }, "rolldown"),
  vite: async () =>
    (await import("vite")).build({
      root,
      configFile: false,
      logLevel: "error",
      plugins: [await pluginFor("vite")],
      build: { ssr: "src/main.js", outDir: "vite", rollupOptions: { output: { entryFileNames: "[name].mjs" } } },
    }),
  esbuild: async () =>
    (await import("esbuild")).build({
      absWorkingDir: root,
      entryPoints: ["src/main.js"],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: "esbuild",
      outExtension: { ".js": ".mjs" },
      plugins: [await pluginFor("esbuild")],
    }),
  webpack: async () => finished((await import("webpack")).default(await likeWebpack("webpack"))),
  rspack: async () => finished((await import("@rspack/core")).rspack(await likeWebpack("rspack"))),
  rsbuild: async () => {
    const { createRsbuild } = await import("@rsbuild/core");
    const config = {
      mode: "production",
      logLevel: "error",
      source: { entry: { main: "./src/main.js" } },
      output: {
        target: "node",
        module: true,
        minify: false,
        distPath: { root: "rsbuild" },
        filename: { js: "[name].mjs" },
      },
      plugins: [await pluginFor("rsbuild")],
    };
    await finished(await (await createRsbuild({ cwd: root, config })).createCompiler());
  },
};

for (const host of process.argv.slice(2)) await builds[host]();
