// Builds the package: bundles the entries of package.json's exports into dist/ (rollup, shared chunks), the measuring worker
// into dist/native/, the page of reports into one HTML file and that of benches into a folder, and writes the declarations (tsc). The C
// sources of addons are read where they are, in src/.
//
//     node build.js            everything
//     node build.js --no-types only what runs: what the demo and the tests need

import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { rollup } from "rollup";
import { buildBenchPage } from "./build-bench-page.js";
import { buildReportPage } from "./build-report-page.js";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");

/** Output in dist/ → source in src/. */
const entries = {
  op: "compiler/expr/authoring.ts",
  ops: "compiler/ops/index.ts",
  api: "api.ts",
  cli: "cli/bin.ts",
  vite: "plugin/vite.ts",
  rollup: "plugin/rollup.ts",
  esbuild: "plugin/esbuild.ts",
  rolldown: "plugin/rolldown.ts",
  webpack: "plugin/webpack.ts",
  rspack: "plugin/rspack.ts",
  rsbuild: "plugin/rsbuild.ts",
  farm: "plugin/farm.ts",
  bun: "plugin/bun.ts",
  loader: "plugin/loader.ts",
  "native/worker": "native/runner/worker.ts",
  "background-tuner": "plugin/background/tuner-process.ts",
};

/** By rollup, which puts into a chunk what is used: esbuild's chunks take along all that an index file names. */
async function bundle() {
  const build = await rollup({
    input: Object.fromEntries(Object.entries(entries).map(([out, source]) => [out, join(root, "src", source)])),
    external: /^[^./]/,
    plugins: [typescript],
    treeshake: { moduleSideEffects: false },
    onLog: (level, log, print) => log.code === "CIRCULAR_DEPENDENCY" || print(level, log), // expressions are recursive
  });
  const { output } = await build.write({
    dir: dist,
    format: "es",
    entryFileNames: "[name].js",
    banner: ({ fileName }) => (fileName === "cli.js" ? "#!/usr/bin/env node" : ""),
    chunkFileNames: "chunks/[name]-[hash].js",
    experimentalMinChunkSize: 2000,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  removeOldChunks(new Set(output.map(({ fileName }) => fileName)));
}

const typescript = {
  name: "typescript",
  transform: (code, id) => transform(code, { loader: "ts", target: "node20.19", sourcemap: true, sourcefile: id }),
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
  buildReportPage(join(dist, "report-page.html")),
  buildBenchPage(join(dist, "bench-page")),
]);
if (!process.argv.includes("--no-types")) declarations();
