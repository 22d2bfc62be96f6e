// Measures the worth of tuned shapes for a new one: GEMM 512×768×768 is searched in full without records, and in two
// seconds with those of 512³ and 1024³; then the two choices race in turns. A tuning's last candidates and its race may
// exceed its budget, so the budget is set below two seconds.
//
//     npm run bench:new-shape -- --target wasm --seconds 30 --records .unplugin-kernel/new-shape.jsonl

import { parseArgs } from "node:util";
import { digestOf, instantiate, opLibrary, type TargetName } from "../../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { detectMachine, hostTarget } from "../../../src/native/machine/machine.ts";
import { toolchainFor } from "../../../src/native/toolchain/detect.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { Budget, TuningTask } from "../../../src/tuner/data/task.ts";
import { memoryDatabase, openDatabase, type RecordDatabase } from "../../../src/tuner/record/database.ts";
import { convergenceFor } from "../../../src/tuner/search/state/convergence.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createProfiler } from "../../../src/tuner/support/profile.ts";
import { startTuning, type TimedTrial } from "../../../src/tuner/tuning/tuning.ts";
import { measurable } from "../../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { createWorkbench, type Workbench } from "../../../src/tuner/workbench/workbench.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "wasm" },
    seconds: { type: "string", default: "30" },
    records: { type: "string", default: ".unplugin-kernel/new-shape.jsonl" },
    seeds: { type: "string", default: "1" },
    races: { type: "string", default: "15" },
    // On a busy machine seconds mean nothing: then so many trials, and more seconds.
    "quick-seconds": { type: "string", default: "1.75" },
    "quick-trials": { type: "string", default: "4096" },
  },
});
const target = { ...hostTarget(values.target as TargetName), threads: 1 };
const full: Budget = { seconds: Number(values.seconds), trials: 4096 };
const short: Budget = { seconds: Number(values["quick-seconds"]), trials: Number(values["quick-trials"]) };

const gemm = (M: number, N: number, K: number): TuningTask => ({
  op: instantiate(opLibrary.gemm({ M, N, K, dtype: "f32" }), {}, "bench"),
  target,
  numerics: "fast",
  threads: 1,
});

async function withWorkbench<T>(task: TuningTask, use: (workbench: Workbench) => Promise<T>): Promise<T> {
  const toolchain = await toolchainFor(target);
  return withPrivateDirectory(async (directory) => {
    const workbench = createWorkbench({
      task: referenceTask(task),
      toolchain,
      directory,
      cores: detectMachine().cores,
    });
    try {
      return await use(workbench);
    } finally {
      await workbench.close();
    }
  });
}

interface Search {
  readonly candidate: Candidate;
  readonly ns: number;
  readonly trials: readonly TimedTrial[];
  readonly expectedNs: number | null;
  readonly elapsedMs: number;
  readonly profile: string;
}

/** From the space to the winner of the race. */
async function search(
  task: TuningTask,
  workbench: Workbench,
  database: RecordDatabase,
  seed: number,
  budget: Budget,
  isPatient: boolean,
): Promise<Search> {
  const start = nowMs();
  const profiler = createProfiler(nowMs);
  const trials: TimedTrial[] = [];
  const space = profiler.time("space", () => generateSpace(task));
  const tuning = await startTuning(task, space, {
    budget,
    strategy: strategies.default,
    seed,
    taskKey: digestOf(task.op),
    database,
    workbench,
    clock: nowMs,
    convergence: isPatient ? null : convergenceFor(target),
    profiler,
    onTrial: (trial) => trials.push(trial),
  });
  while (await tuning.advance());
  const { winner } = await tuning.finish();
  const parts = Object.entries(profiler.profile()).map(([part, ms]) => `${part} ${Math.round(ms)}`);
  return {
    candidate: winner!.candidate,
    ns: winner!.medianNs,
    trials,
    expectedNs: tuning.state().known.expectedNs,
    elapsedMs: nowMs() - start,
    profile: parts.join(", "),
  };
}

const database = openDatabase(values.records);
for (const known of [gemm(512, 512, 512), gemm(1024, 1024, 1024)]) {
  if (database.records({ task: digestOf(known.op), targetClass: targetClass(target) }).length > 0) continue;
  const { trials, ns } = await withWorkbench(known, (workbench) => search(known, workbench, database, 1, full, true));
  console.log(`known shape: ${trials.length} trials, best ${(ns / 1e6).toFixed(2)} ms`);
}

/** Copies the records of the known shapes, so that new measurements do not enter them. */
function knownRecords(): RecordDatabase {
  const copy = memoryDatabase();
  for (const record of database.records({ task: null, targetClass: targetClass(target) })) copy.append(record);
  return copy;
}

const fresh = gemm(512, 768, 768);
await withWorkbench(fresh, async (workbench) => {
  for (const seed of values.seeds.split(",").map(Number)) {
    const patient = await search(fresh, workbench, memoryDatabase(), seed, full, true);
    const quick = await search(fresh, workbench, knownRecords(), seed, short, false);
    const space = generateSpace(fresh);
    const [left, right] = [patient, quick].map(({ candidate }) => measurable(fresh, space, candidate));
    const ratios: number[] = [];
    for (let round = 0; round < Number(values.races); round++) {
      const each = workbench.measure([left!, right!], null);
      const [a, b] = [(await each.next()).value, (await each.next()).value];
      if (a?.kind === "ok" && b?.kind === "ok") ratios.push(b.timing.minNs / a.timing.minNs);
    }
    ratios.sort((a, b) => a - b);
    const ms = (ns: number): string => `${(ns / 1e6).toFixed(2)} ms`;
    console.log(
      `seed ${seed}: full search ${patient.trials.length} trials in ${(patient.elapsedMs / 1000).toFixed(1)} s, ${ms(patient.ns)}`,
    );
    console.log(
      `  with records ${quick.trials.length} trials in ${(quick.elapsedMs / 1000).toFixed(2)} s, ${ms(quick.ns)}, expected ${ms(quick.expectedNs ?? 0)}`,
    );
    console.log(`  ${quick.profile}`);
    console.log(
      `  raced: median of quick / full ${ratios[ratios.length >> 1]?.toFixed(3)}, quartiles ${ratios[ratios.length >> 2]?.toFixed(3)} … ${ratios[(ratios.length * 3) >> 2]?.toFixed(3)}`,
    );
  }
});
