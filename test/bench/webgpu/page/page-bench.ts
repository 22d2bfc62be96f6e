// Kernels for WebGPU beside onnxruntime-web, in a page of Chromium on its software adapter, whose times say nothing of a GPU. Both are checked,
// and measured in turns on one device.
//
//     npm run bench:webgpu-page -- --only gemm,softmax --rounds 9
//     npm run bench:webgpu-page -- --tune 32       the schedule of a tuning of so many trials, too, on Dawn's software adapter
//     npm run bench:webgpu-page -- --record        appends a row a work to page-rows.jsonl

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { factsOf, instantiate } from "../../../../src/compiler/index.ts";
import type { Candidate } from "../../../../src/tuner/data/space.ts";
import { referenceOf } from "../../../../src/tuner/workbench/reference.ts";
import { launchBrowser, noBrowser, serveFolder } from "../../../support/browser.ts";
import { noSoftwareGpu } from "../../../support/webgpu.ts";
import { appendLine } from "../../json-lines.ts";
import { findPackage, remedyFor } from "../../peers/npm/npm-peer.ts";
import { predictedSchedules, sourceOf, taskOnGpu, tuned } from "../ours.ts";
import { type GpuRow, ratioTo } from "../row.ts";
import { type GpuWork, gpuWorks } from "../works.ts";
import type { PageResult } from "./main.ts";
import { encodeWork } from "./work-file.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "9" },
    tune: { type: "string", default: "0" },
    record: { type: "boolean", default: false },
  },
});
const here = join(process.cwd(), "test/bench/webgpu");
const peers = join(process.cwd(), "out/peers/node_modules");
const library = findPackage("onnxruntime-web");
const missing = noBrowser ?? (library ? null : remedyFor(["onnxruntime-web"]));
const missingForTuning = values.tune === "0" ? null : noSoftwareGpu;
if (missing || missingForTuning || !library) {
  console.error(`nothing was measured: ${missing ?? missingForTuning}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "webgpu-page-"));
await writePage();
const browser = await launchBrowser(["--enable-unsafe-webgpu"]);
const server = await serveFolder(folder);
try {
  const page = await browser.newPage();
  await page.goto(server.url);
  const wanted = values.only.split(",");
  for (const work of gpuWorks.filter(({ name }) => wanted.some((part) => name.includes(part)))) {
    const own = await schedulesOf(work);
    writeFileSync(join(folder, "work.json"), fileOf(work, own));
    const found = await page.evaluate(`measure("/work.json", ${Number(values.rounds)})`);
    report(work, own, { ...(found as Omit<PageResult, "version">), version: library.version });
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The page's script, with the library, whose modules and workers lie beside it. */
async function writePage(): Promise<void> {
  writeFileSync(join(folder, "index.html"), '<!doctype html><script type="module" src="/main.js"></script>');
  await build({
    entryPoints: [join(here, "page/main.ts")],
    outfile: join(folder, "main.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    // The page hashes nothing, and starts no process: what its imports name beside what they give is left out.
    external: ["node:*"],
    logLevel: "error",
  });
  cpSync(join(peers, "onnxruntime-web/dist"), join(folder, "ort"), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
}

type Schedules = Readonly<Record<string, Candidate>>;

async function schedulesOf({ op }: GpuWork): Promise<Schedules> {
  return {
    ...predictedSchedules(op, true),
    ...(values.tune !== "0" && { tuned: await tuned(op, Number(values.tune)) }),
  };
}

function fileOf({ op, call }: GpuWork, own: Schedules): string {
  const { task, conditioned = () => null } = referenceOf(taskOnGpu(op));
  const sources = Object.entries(own).map(([name, candidate]) => ({ name, source: sourceOf(op, candidate) }));
  return encodeWork({ call, task: conditioned() ?? task, sources });
}

function report({ name, op }: GpuWork, own: Schedules, { adapter, driver, version, placed }: PageResult): void {
  const row: GpuRow = {
    work: name,
    adapter: `${adapter}, Chromium ${browser.version()}`,
    driver,
    flops: factsOf(instantiate(op, {}, "kernel")).flops,
    rounds: Number(values.rounds),
    load: loadavg()[0]!,
    schedules: own,
    versions: { "onnxruntime-web": version },
    placed,
  };
  console.log(`${name}, ${row.adapter}, load ${row.load.toFixed(1)}`);
  for (const { name: entrant, ms, dispatches, reason } of placed) {
    const ratios = Object.keys(own).map((ours) => `${ratioTo(row, entrant, ours)?.toFixed(2)} × ${ours}`);
    const times = ms === null ? reason : `${ms.toFixed(2)} ms, ${dispatches} dispatches, ${ratios.join(", ")}`;
    console.log(`  ${entrant.padEnd(20)} ${times}`);
  }
  if (values.record) appendLine(join(here, "page-rows.jsonl"), row);
}
