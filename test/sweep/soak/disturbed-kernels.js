// Kernels whose callers disturb them: a matrix times a vector, plain and with the matrix as a constant; for each target, with and
// without threads. Predicted, not tuned.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import unpluginKernel from "../../../dist/esbuild.js";

/** Rows and columns: large enough for a call to be in flight when its arrays are disturbed. */
const size = 1024;

const operator = (wrap) => `
import { compute, defineOp, reduceAxis, sum, tensor, withConstants } from "unplugin-kernel/op";
const gemv = defineOp({ N: ${size} }, ({ N }) => {
  const W = tensor("W", [N, N], "f32"), x = tensor("x", [N], "f32"), k = reduceAxis("k", N);
  return compute("y", [N], (i) => sum(W(i, k).mul(x(k)), k));
});
export default ${wrap};
`;

const queries = ["tune=native", "tune=native&threads=2", "tune=wasm", "tune=wasm&threads=2"];

/** Returns the address of a module that exports all of them. */
export async function bundleDisturbed(folder) {
  writeFileSync(join(folder, "plain.op.ts"), operator("gemv"));
  writeFileSync(join(folder, "packed.op.ts"), operator('withConstants(gemv, "W")'));
  const lines = queries.flatMap((query, at) =>
    ["plain", "packed"].map((name) => `export { default as ${name}${at} } from "./${name}.op.ts?${query}";`),
  );
  const entry = join(folder, "disturbed.js");
  writeFileSync(entry, lines.join("\n"));
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "disturbed.mjs"),
    plugins: [unpluginKernel({ root: folder, mode: "predict", cacheDir: "store", logLevel: "warn" })],
  });
  return pathToFileURL(join(folder, "disturbed.mjs")).href;
}
