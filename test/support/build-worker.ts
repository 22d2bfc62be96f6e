// Before all tests: bundles the measuring process, what emitted modules import, and the pages of reports and benches as the package's build does, so that they are found.

import { build } from "esbuild";
import { buildCommandPages } from "../../build-command-pages.js";
import { buildReportPage } from "../../build-report-page.js";
import { buildRuntime } from "../../build-runtime.js";

export async function setup(): Promise<void> {
  await build({
    entryPoints: ["src/native/runner/worker.ts"],
    outfile: "dist/native/worker.js",
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  await Promise.all([buildRuntime("dist"), buildReportPage("dist/report-page.html"), buildCommandPages("dist")]);
}
