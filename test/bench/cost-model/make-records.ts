// Records to compare cost models on: of each task candidates by lot, those that the prior likes best, and what the default
// strategy makes of them. Each is measured several times, far apart, and the least time is kept: on a busy machine that
// is the kernel's own. Resumable: a task that is in the file is not measured again.

import { codegenVersion, digestOf } from "../../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { toolchainFor } from "../../../src/native/toolchain/detect.ts";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import { extentsOf, familyOf } from "../../../src/tuner/data/family.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import { recordSchema, type TuningRecord } from "../../../src/tuner/data/record.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { factRows } from "../../../src/tuner/prior/fact-rows.ts";
import type { RecordDatabase } from "../../../src/tuner/record/database.ts";
import { findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { observe, startSearch } from "../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { measurable } from "../../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { createWorkbench, measureAll, type Workbench } from "../../../src/tuner/workbench/workbench.ts";
import type { ModelTask } from "./model-tasks.ts";

export const recordsOf = (database: RecordDatabase, task: TuningTask): readonly TuningRecord[] =>
  database.records({ task: digestOf(task.op), targetClass: targetClass(task.target) });

/** `trials` of a task: half by lot, a quarter by the prior, a quarter by what was learnt from those. */
export async function makeRecords(
  tasks: readonly ModelTask[],
  database: RecordDatabase,
  trials: number,
): Promise<void> {
  for (const { name, task } of tasks) {
    if (recordsOf(database, task).length > 0) continue;
    const start = nowMs();
    for (const record of await measureTask(task, trials)) database.append(record);
    const seconds = ((nowMs() - start) / 1000).toFixed(1);
    console.log(`${name}: ${recordsOf(database, task).length} records in ${seconds} s`);
  }
}

async function measureTask(task: TuningTask, trials: number): Promise<readonly TuningRecord[]> {
  const toolchain = await toolchainFor(task.target);
  return withPrivateDirectory(async (directory) => {
    const workbench = createWorkbench({ task: referenceTask(task), toolchain, directory, cores: 2 });
    try {
      return await measureWith(workbench, task, trials);
    } finally {
      await workbench.close();
    }
  });
}

async function measureWith(workbench: Workbench, task: TuningTask, trials: number): Promise<readonly TuningRecord[]> {
  const space = generateSpace(task);
  const searched = searchSpace(space, { prior: space.prior });
  const rng = createRng(1);
  const empty = startSearch(searched, boostedTrees());
  const byLot = strategies.random.propose(empty, trials / 2, rng);
  const byPrior = strategies.default.propose(empty, trials / 4, rng);
  const first = await measureThrice(workbench, task, space, [...byLot, ...byPrior]);
  const learnt = strategies.default.propose(observe(empty, first), trials / 4, rng);
  const all = [...first, ...(await measureThrice(workbench, task, space, learnt))];
  return all.map(({ candidate, measurement }, trial): TuningRecord => {
    const point = findPoint(searched, candidate)!;
    return {
      schema: recordSchema,
      task: digestOf(task.op),
      family: familyOf(task),
      extents: extentsOf(task.op),
      targetClass: targetClass(task.target),
      toolchain: workbench.toolchain,
      codegen: codegenVersion,
      candidate,
      facts: factRows(space.facts(point.template.template, point.assignment)!),
      measurement,
      trial,
    };
  });
}

interface Measured {
  readonly candidate: Candidate;
  readonly measurement: Measurement;
}

/** Rounds over all candidates. */
const rounds = 3;

async function measureThrice(
  workbench: Workbench,
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
): Promise<readonly Measured[]> {
  const sources = candidates.map((candidate) => measurable(task, space, candidate));
  const results: Measurement[][] = [];
  for (let round = 0; round < rounds; round++) {
    // No incumbent that would cut them short: one at a time where no compiler is started for each.
    const batches = workbench.toolchain === "wasm" ? sources.map((source) => [source]) : [sources];
    const measured: Measurement[] = [];
    for (const batch of batches) measured.push(...(await measureAll(workbench, batch)));
    results.push(measured);
  }
  return candidates.map((candidate, at) => ({ candidate, measurement: leastOf(results.map((one) => one[at]!)) }));
}

/** The fastest run of all, as the time; a failure where one failed. */
function leastOf(all: readonly Measurement[]): Measurement {
  const timings = all.flatMap((one) => (one.kind === "ok" ? [one.timing] : []));
  const failure = all.find(({ kind }) => kind !== "ok");
  if (failure) return failure;
  const ns = Math.min(...timings.map(({ minNs }) => minNs));
  const repeats = timings.reduce((sum, timing) => sum + timing.repeats, 0);
  return { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats } };
}
