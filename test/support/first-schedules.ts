// The schedules that a search tries first: those that the prior likes best, before anything is measured.

import type { KernelSource } from "../../src/compiler/index.ts";
import { boostedTrees } from "../../src/tuner/cost-model/boosted-trees.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { searchSpace } from "../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";

export interface FirstSchedule<Source> extends Candidate {
  readonly source: Source;
}

/**
 * Returns a task's first schedules with their code, best first.
 *
 * @param isOf the form of the target's code: `isCSource`
 */
export function firstSchedules<Source extends KernelSource>(
  task: TuningTask,
  count: number,
  isOf: (source: KernelSource) => source is Source,
): readonly FirstSchedule<Source>[] {
  const space = generateSpace(task);
  const search = startSearch(searchSpace(space, { prior: space.prior }), boostedTrees());
  return strategies.default.propose(search, count, createRng(1)).flatMap((candidate) => {
    const kernel = candidateKernel(task, space, candidate);
    return kernel.kind === "ok" && isOf(kernel.source) ? [{ ...candidate, source: kernel.source }] : [];
  });
}
