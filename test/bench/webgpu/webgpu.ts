// Kernels for WebGPU beside libraries of npm on a GPU, or on an emulated one, whose times say how many loads, barriers and dispatches a
// kernel needs, and nothing of a GPU. All are checked, and measured in turns on one device.
//
//     npm run bench:webgpu -- --only gemm,softmax --rounds 9
//     npm run bench:webgpu -- --tune 24       the schedule of a tuning of so many trials, too
//     npm run bench:webgpu -- --lavapipe      on Mesa's driver for CPUs, in place of Dawn's
//     npm run bench:webgpu -- --record        appends a row a work to rows.jsonl; --show prints schedules and texts

import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { factsOf, instantiate } from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { referenceOf } from "../../../src/tuner/workbench/reference.ts";
import { noLavapipe, restartOnLavapipe } from "../../gpu/lavapipe/lavapipe.ts";
import { noSoftwareGpu } from "../../support/webgpu.ts";
import { appendLine } from "../json-lines.ts";
import { contest, type Entrant, type Placed } from "./contest.ts";
import type { GpuPeer } from "./entrant.ts";
import { openOurs } from "./open-ours.ts";
import { predictedSchedules, sourceOf, taskOnGpu, tuned } from "./ours.ts";
import { findGpuPeers } from "./peers.ts";
import { type GpuRow, ratioTo } from "./row.ts";
import { openShared, type SharedDevice } from "./shared-device.ts";
import { type GpuWork, gpuWorks } from "./works.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "9" },
    tune: { type: "string", default: "0" },
    record: { type: "boolean", default: false },
    lavapipe: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
  },
});
const rows = join(process.cwd(), "test/bench/webgpu/rows.jsonl");

const missingDriver = noSoftwareGpu ?? (values.lavapipe ? noLavapipe : null);
if (missingDriver) {
  console.error(`nothing was measured: ${missingDriver}`);
  process.exit(1);
}
if (values.lavapipe) restartOnLavapipe();

const wanted = values.only.split(",");
const works = gpuWorks.filter(({ name }) => wanted.some((part) => name.includes(part)));
const gpu = await openShared();
const { peers, missing } = await findGpuPeers();
console.log(`${gpu.name} (${gpu.driver}), ${peers.map(({ name, version }) => `${name} ${version}`).join(", ")}`);
for (const remedy of missing) console.log(`missing: ${remedy}`);
for (const work of works) await measure(gpu, peers, work);
gpu.device.destroy();
process.exit();

async function measure(gpu: SharedDevice, peers: readonly GpuPeer[], { name, op, call }: GpuWork): Promise<void> {
  const { task, conditioned = () => null } = referenceOf(taskOnGpu(op));
  const run = conditioned() ?? task;
  const own = new Map<string, Candidate>(Object.entries(predictedSchedules(op, gpu.isSoftware)));
  if (values.tune !== "0") own.set("tuned", await tuned(op, Number(values.tune)));
  const ours = [...own].map(([name, candidate]): Entrant => {
    const source = sourceOf(op, candidate);
    if (values.show) console.log(JSON.stringify(candidate), `\n${source.text}`);
    return { name, open: () => openOurs(gpu, source, run) };
  });
  const others = peers.map((peer): Entrant => ({ name: peer.name, open: () => peer.open(call, run.inputs) }));
  const placed = await contest(gpu, run, [...ours, ...others], Number(values.rounds));
  const row: GpuRow = {
    work: name,
    adapter: gpu.name,
    driver: gpu.driver,
    flops: factsOf(instantiate(op, {}, "kernel")).flops,
    rounds: Number(values.rounds),
    load: loadavg()[0]!,
    schedules: Object.fromEntries(own),
    versions: Object.fromEntries(peers.map((peer) => [peer.name, peer.version])),
    placed,
  };
  console.log(`${name}, load ${row.load.toFixed(1)}`);
  for (const it of placed) console.log(`  ${textOf(it, row)}`);
  if (values.record) appendLine(rows, row);
}

function textOf(it: Placed, row: GpuRow): string {
  const { name, ms, leastMs, dispatches, reason } = it;
  if (ms === null) return `${name.padEnd(20)} ${reason}`;
  const ratio = ratioTo(row, name);
  return `${name.padEnd(20)} ${ms.toFixed(2)} ms (least ${leastMs!.toFixed(2)}), ${dispatches} dispatches${ratio === null ? "" : `, ${ratio.toFixed(2)} × ours`}`;
}
