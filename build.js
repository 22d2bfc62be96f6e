// Builds the package: bundles the entries of package.json's exports into dist/ (esbuild, shared chunks) and the measuring
// worker into dist/native/, and writes the declarations (tsc). The C sources of addons are read where they are, in src/.
//
//     node build.js            everything
//     node build.js --no-types only what runs: what the demo and the tests need

import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");

/** Output in dist/ → source in src/. */
const entries = {
  op: "compiler/expr/authoring.ts",
  ops: "compiler/ops/index.ts",
  api: "api.ts",
  vite: "plugin/vite.ts",
  rollup: "plugin/rollup.ts",
  esbuild: "plugin/esbuild.ts",
  "native/worker": "native/runner/worker.ts",
};

async function bundle() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, source]) => ({ out, in: join(root, "src", source) })),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    chunkNames: "chunks/[name]-[hash]",
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
    metafile: true,
  });
  removeOldChunks(new Set(Object.keys(metafile.outputs)));
}

/** Last, so that a program which is running from dist/ finds its chunks for as long as possible. */
function removeOldChunks(current) {
  for (const name of readdirSync(join(dist, "chunks"))) {
    if (!current.has(`dist/chunks/${name}`)) rmSync(join(dist, "chunks", name));
  }
}

function declarations() {
  const packageJson = createRequire(import.meta.url).resolve("typescript/package.json");
  const tsc = join(dirname(packageJson), "bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
}

await bundle();
if (!process.argv.includes("--no-types")) declarations();
