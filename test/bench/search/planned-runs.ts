// All runs of the comparison, the most informative first, and the choice of some of them.

import type { TargetName } from "../../../src/compiler/index.ts";
import type { StrategyName } from "../../../src/tuner/search/strategy/strategy.ts";
import type { PlannedRun, RunResult } from "./run-result.ts";
import type { SearchTask } from "./search-task.ts";

/** These run on every task; the others of the table on those that are `isFull`. */
export const comparedStrategies = ["default", "cga", "evolutionary", "random"] as const satisfies StrategyName[];
export const seeds = [1, 2, 3] as const;

/** Factor between the budget of a long run and that of the others. */
export const longFactor = 10;

export interface Plan {
  readonly tasks: readonly SearchTask[];
  readonly targets: readonly TargetName[];
  readonly strategies: readonly StrategyName[];
  readonly seconds: number;
}

/** Runs that are compared with each other stand side by side: a machine changes with the hours. */
export function plannedRuns({ tasks, targets, strategies, seconds }: Plan): readonly PlannedRun[] {
  const others = strategies.filter((name) => comparedStrategies.every((compared) => compared !== name));
  const runs = (of: readonly SearchTask[], names: readonly StrategyName[], seed: number): PlannedRun[] =>
    of.flatMap(({ name: task }) =>
      targets.flatMap((target) => names.map((strategy) => ({ task, target, strategy, seed, seconds, isLong: false }))),
    );
  const full = tasks.filter(({ isFull }) => isFull);
  return [
    ...seeds.flatMap((seed) => runs(tasks, comparedStrategies, seed)),
    ...seeds.flatMap((seed) => runs(full, others, seed)),
    ...runs(tasks, ["default"], seeds[0]).map((run) => ({ ...run, seconds: seconds * longFactor, isLong: true })),
  ];
}

export const longFirst = (runs: readonly PlannedRun[]): readonly PlannedRun[] =>
  runs.toSorted((a, b) => Number(b.isLong) - Number(a.isLong));

/** Names by which `--only` chooses a run. */
const termsOf = ({ task, target, strategy, seed, isLong }: PlannedRun): readonly string[] => [
  task,
  target,
  isLong ? "long" : strategy,
  String(seed),
];

/**
 * `gemm-512,wasm,cga,random,1`: of each part that is named, those named. Throws where nothing has such a name.
 *
 * @param only null for all
 */
export function chosenRuns(runs: readonly PlannedRun[], only: string | null): readonly PlannedRun[] {
  if (only === null) return runs;
  const terms = only.split(",").map((term) => term.trim());
  const known = [0, 1, 2, 3].map((part) => new Set(runs.map((run) => termsOf(run)[part]!)));
  const unknown = terms.find((term) => known.every((names) => !names.has(term)));
  if (unknown !== undefined) {
    throw new Error(
      `--only: nothing is called ${unknown}; there are ${known.map((it) => [...it].join(", ")).join("; ")}`,
    );
  }
  const wanted = known.map((names) => terms.filter((term) => names.has(term)));
  return runs.filter((run) =>
    termsOf(run).every((term, part) => wanted[part]!.length === 0 || wanted[part]!.includes(term)),
  );
}

/** The process, the right answers and the race, on a machine that does nothing else. */
const usualOverheadSeconds = 10;

/** Estimates the seconds of a run: its overhead is that of the longest run so far of its task. */
export function secondsOf(run: PlannedRun, results: readonly RunResult[]): number {
  const overheads = results.filter(({ task }) => task === run.task).map(({ overheadMs }) => overheadMs / 1000);
  return run.seconds + (overheads.length > 0 ? Math.max(...overheads) : usualOverheadSeconds);
}
