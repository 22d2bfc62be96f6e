// Builds dist/carried: the program that `tune --batch` puts into a folder, and beside it what its measuring process runs. Each is one file that
// imports nothing but Node's modules and koffi.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licencesOf } from "./build-licences.js";

const source = join(dirname(fileURLToPath(import.meta.url)), "src");

/** Output in dist/carried → source in src/. */
const files = {
  "measure.mjs": "tuner/carried/program.ts",
  "native/worker.js": "native/runner/worker.ts",
  "native/cuda-loader.js": "native/cuda/loader.ts",
};

/** @param dist folder of the package's output */
export async function buildCarriedProgram(dist) {
  const bundles = Object.entries(files).map(([out, entry]) =>
    build({
      entryPoints: [join(source, entry)],
      outfile: join(dist, "carried", out),
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      external: ["koffi"],
      // Packages that are CommonJS ask for Node's modules by it.
      banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
      metafile: true,
      logLevel: "warning",
    }),
  );
  const inputs = (await Promise.all(bundles)).flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(dist, "carried/LICENSES.txt"), licencesOf(inputs));
}
