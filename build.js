// Builds the package: bundles the entries of package.json's exports into dist/ (rollup, shared chunks), the measuring worker
// into dist/native/, what emitted modules import, the page of reports into one HTML file and that of benches into a folder, the program of
// carried folders, and writes the declarations (tsc). The C sources of addons are read where they are, in src/.
//
//     node build.js            everything
//     node build.js --no-types only what runs: what the demo and the tests need

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import commonjs from "@rollup/plugin-commonjs";
import nodeResolve from "@rollup/plugin-node-resolve";
import { transform } from "esbuild";
import { rollup } from "rollup";
import { buildCarriedProgram } from "./build-carried-program.js";
import { buildCommandPages } from "./build-command-pages.js";
import { licencesOf, packageOf } from "./build-licences.js";
import { buildReportPage } from "./build-report-page.js";
import { buildRuntime } from "./build-runtime.js";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");

/** Output in dist/ → source in src/. */
const entries = {
  op: "compiler/expr/authoring.ts",
  ops: "compiler/ops/index.ts",
  halves: "compiler/expr/halves.ts",
  api: "api/index.ts",
  cli: "cli/bin.ts",
  vite: "plugin/entries/vite.ts",
  rollup: "plugin/entries/rollup.ts",
  esbuild: "plugin/entries/esbuild.ts",
  rolldown: "plugin/entries/rolldown.ts",
  webpack: "plugin/entries/webpack.ts",
  rspack: "plugin/entries/rspack.ts",
  rsbuild: "plugin/entries/rsbuild.ts",
  farm: "plugin/entries/farm.ts",
  bun: "plugin/entries/bun.ts",
  nuxt: "plugin/entries/nuxt.ts",
  next: "plugin/entries/next.ts",
  loader: "plugin/entries/loader.ts",
  index: "plugin/entries/index.ts",
  register: "plugin/entries/register.ts",
  "register-hooks": "plugin/program/register-hooks.ts",
  jest: "plugin/entries/jest.ts",
  "jest-transformer": "plugin/jest/transformer.ts",
  "jest-modules": "plugin/jest/write-modules.ts",
  "register-worker": "plugin/program/register-worker.ts",
  "native/worker": "native/runner/worker.ts",
  "native/cuda-loader": "native/cuda/loader.ts",
  "native/nvrtc": "native/cuda/nvrtc-program.ts",
  "native/webgpu-loader": "native/webgpu/loader.ts",
  "native/webgpu-text-loader": "native/webgpu/text-loader.ts",
  "background-tuner": "plugin/background/tuner-process.ts",
};

/**
 * Packages stay outside, but for a few. What plugins need of unplugin, in one file, is loaded in a third of the time of all its
 * files. cacache and its dependencies are 7 MB installed, and 0.3 MB of them are used. Few projects check signatures with @sigstore,
 * or share a store by S3, with the 10 kB of aws4fetch, and few terminals show the QR code of a page.
 */
const bundled = [
  "unplugin",
  "cacache",
  "aws4fetch",
  "@sigstore/bundle",
  "@sigstore/protobuf-specs",
  "@sigstore/verify",
  "uqr",
];
const isExternal = (id, importer) =>
  isBuiltin(id) || (/^[^./\0]/.test(id) && !bundled.includes(id) && !importer?.includes("node_modules"));

/** The package and all that it depends on, by name. */
function treeOf(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
  for (const dependency of Object.keys(dependencies)) treeOf(dependency, found);
  return found;
}
const cacacheTree = treeOf("cacache");
const sigstoreTree = treeOf("@sigstore/verify");

/**
 * Tells unplugin its own folder: it looks for its loaders for webpack and Rspack beside its code, which is in our bundle. In the thread of
 * Node's loader hooks there is no import.meta.resolve.
 */
const unpluginFolder = {
  name: "unplugin-folder",
  transform(code, id) {
    if (!code.includes("import.meta.dirname") || !id.includes("node_modules")) return null;
    const file = 'process.getBuiltinModule("node:module").createRequire(import.meta.url).resolve("unplugin")';
    return {
      code: `const unpluginFolder = process.getBuiltinModule("node:path").dirname(${file});\n${code.replaceAll("import.meta.dirname", "unpluginFolder")}`,
      map: null,
    };
  },
};

/** By rollup, which puts into a chunk what is used: esbuild's chunks take along all that an index file names. */
async function bundle() {
  const build = await rollup({
    input: Object.fromEntries(Object.entries(entries).map(([out, source]) => [out, join(root, "src", source)])),
    external: isExternal,
    plugins: [typescript, nodeResolve(), commonjs(), unpluginFolder, licences],
    // Packages may do something when they are loaded: a small chunk that imports one is merged into none that does not.
    treeshake: { moduleSideEffects: (id, external) => external && !isBuiltin(id) },
    logLevel: "warn",
    onLog: (level, log, print) => log.code === "CIRCULAR_DEPENDENCY" || print(level, log), // expressions are recursive
  });
  const { output } = await build.write({
    dir: dist,
    format: "es",
    entryFileNames: "[name].js",
    banner: ({ fileName }) => (fileName === "cli.js" ? "#!/usr/bin/env node" : ""),
    chunkFileNames: "chunks/[name]-[hash].js",
    // The store is written by few builds, and signatures are checked by fewer, so what does it is loaded on its own, without unplugin.
    manualChunks: (id) => {
      if (id.includes("commonjsHelpers")) return "commonjs";
      if (sigstoreTree.has(packageOf(id))) return "sigstore";
      if (["aws4fetch", "uqr"].includes(packageOf(id))) return packageOf(id);
      return cacacheTree.has(packageOf(id)) ? "cacache" : id.includes("node_modules") ? "unplugin" : null;
    },
    experimentalMinChunkSize: 4000,
  });
  await build.close();
  removeOldChunks(new Set(output.map(({ fileName }) => fileName)));
}

const typescript = {
  name: "typescript",
  async transform(code, id) {
    if (id.endsWith(".json")) return { code: `export default ${code}`, map: null };
    if (!id.endsWith(".ts")) return null;
    const transformed = await transform(code, { loader: "ts", target: "node20.19", sourcefile: id });
    return { code: transformed.code, map: null };
  },
};

/** Emits the licences of the packages whose code is in the bundle. */
const licences = {
  name: "licences",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licencesOf(modules) });
  },
};

/** Last, so that a program which is running from dist/ finds its chunks for as long as possible. */
function removeOldChunks(current) {
  for (const name of readdirSync(join(dist, "chunks"))) {
    if (!current.has(`chunks/${name}`)) rmSync(join(dist, "chunks", name));
  }
}

function declarations() {
  const packageJson = createRequire(import.meta.url).resolve("typescript/package.json");
  const tsc = join(dirname(packageJson), "bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
}

await Promise.all([
  bundle(),
  buildRuntime(dist),
  buildReportPage(join(dist, "report-page.html")),
  buildCommandPages(dist),
  buildCarriedProgram(dist),
]);
if (!process.argv.includes("--no-types")) declarations();
