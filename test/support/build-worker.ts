// Before all tests: bundles the measuring process with its loaders for GPUs, what emitted modules import, and the pages of reports and benches as the package's build does, so that they are found.

import { build } from "esbuild";
import { buildCarriedProgram } from "../../build-carried-program.js";
import { buildCommandPages } from "../../build-command-pages.js";
import { buildReportPage } from "../../build-report-page.js";
import { buildRuntime } from "../../build-runtime.js";

export async function setup(): Promise<void> {
  await build({
    entryPoints: [
      { in: "src/native/runner/worker.ts", out: "worker" },
      { in: "src/native/webgpu/loader.ts", out: "webgpu-loader" },
      { in: "src/native/webgpu/text-loader.ts", out: "webgpu-text-loader" },
      { in: "src/native/cuda/loader.ts", out: "cuda-loader" },
      { in: "src/native/cuda/nvrtc-program.ts", out: "nvrtc" },
    ],
    outdir: "dist/native",
    bundle: true,
    external: ["koffi"],
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  const pages = [buildReportPage("dist/report-page.html"), buildCommandPages("dist")];
  await Promise.all([buildRuntime("dist"), ...pages, buildCarriedProgram("dist")]);
}
