// Strategies against each other on real spaces with made-up times: how near to the best that anybody finds, after how many
// candidates. Nothing is built or measured, so another run says the same on a machine with the same caches.
//
//     npm run bench:landscapes                                            all strategies, some minutes
//     npm run bench:landscapes -- --strategies default,cga --landscapes 8
//     npm run bench:landscapes -- --places conv-3x3/wasm --trials 480 --noise 0.1

import { parseArgs } from "node:util";
import type { TargetName } from "../../../src/compiler/index.ts";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import { featureKinds } from "../../../src/tuner/cost-model/feature-kinds.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { mean, median } from "../../../src/tuner/measure/statistics.ts";
import { textTable } from "../../../src/tuner/report/text-table.ts";
import { provenSearchSpace } from "../../../src/tuner/search/point/proven-search-space.ts";
import { findPoint, type SearchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { observe, startSearch, trialCount } from "../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { type StrategyName, strategyNames } from "../../../src/tuner/search/strategy/strategy.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { roundSize } from "../../../src/tuner/tuning/tuning.ts";
import { searchTaskNamed, tuningTaskOf } from "../search/search-task.ts";
import { type Landscape, landscape, normals } from "./landscape.ts";

const { values } = parseArgs({
  options: {
    strategies: { type: "string", default: strategyNames.join(",") },
    places: {
      type: "string",
      default: "gemm-512/wasm,gemm-uneven/avx2,conv-3x3/wasm,conv-1x1/avx2,conv-1x1/wasm,gemm-exp-gemm/avx2",
    },
    landscapes: { type: "string", default: "4" },
    seeds: { type: "string", default: "1,2" },
    trials: { type: "string", default: "240" },
    noise: { type: "string", default: "0.015" },
  },
});
const trials = Number(values.trials);

/** Noise that a clock adds to each time, as a share of it: a hundredth on an idle machine, a tenth on a shared one. */
const noise = Number(values.noise);

interface Search {
  readonly strategy: StrategyName;
  /** Searches of one ground can be compared. */
  readonly ground: string;
  /** The true time of the best after each candidate. */
  readonly bestNs: readonly number[];
}

function search(searched: SearchSpace, truth: Landscape, strategy: StrategyName, seed: number): Omit<Search, "ground"> {
  const rng = createRng(seed);
  const disturbance = normals(`noise ${seed}`);
  const bestNs: number[] = [];
  const measure = (candidate: Candidate) => {
    const point = findPoint(searched, candidate)!;
    const ns = truth(point);
    bestNs.push(Math.min(ns, bestNs.at(-1) ?? ns));
    const medianNs = ns * (1 + noise * disturbance(point.key));
    const timing = { medianNs, minNs: medianNs, p20Ns: medianNs, repeats: 1 };
    return { candidate, measurement: { kind: "ok" as const, timing } };
  };
  let state = startSearch(searched, boostedTrees());
  while (trialCount(state) < trials) {
    const batch = strategies[strategy].propose(state, Math.min(roundSize, trials - trialCount(state)), rng);
    if (batch.length === 0) break;
    state = observe(state, batch.map(measure));
  }
  return { strategy, bestNs };
}

async function searchesOn(place: string, names: readonly StrategyName[]): Promise<readonly Search[]> {
  const [name, target] = place.split("/");
  const task = tuningTaskOf(searchTaskNamed(name!), target as TargetName);
  const space = generateSpace(task);
  const searched = await provenSearchSpace(space, { features: featureKinds["variables and facts"](space, task) });
  const numbers = Array.from({ length: Number(values.landscapes) }, (_, k) => k + 1);
  return numbers.flatMap((number) => {
    const truth = landscape(searched, number);
    return names.flatMap((strategy) =>
      values.seeds.split(",").map((seed) => ({
        ground: `${place} ${number}`,
        ...search(searched, truth, strategy, Number(seed)),
      })),
    );
  });
}

const checkpoints = [24, 48, 96, 144, 240, 480].filter((count) => count <= trials);

function report(searches: readonly Search[]): string {
  const known = new Map<string, number>();
  for (const { ground, bestNs } of searches)
    known.set(ground, Math.min(known.get(ground) ?? Number.POSITIVE_INFINITY, bestNs.at(-1)!));
  const shareAfter = ({ ground, bestNs }: Search, count: number): number =>
    known.get(ground)! / bestNs[Math.min(count, bestNs.length) - 1]!;
  const countTo = (one: Search, share: number): number => {
    const at = one.bestNs.findIndex((_, k) => shareAfter(one, k + 1) >= share);
    return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
  };
  const rows = [...new Set(searches.map(({ strategy }) => strategy))].map((strategy) => {
    const own = searches.filter((one) => one.strategy === strategy);
    const shares = checkpoints.map((count) => mean(own.map((one) => shareAfter(one, count))));
    const counts = [0.95, 0.99].map((share) => median(own.map((one) => countTo(one, share))));
    return [
      strategy,
      ...shares.map((share) => `${(share * 100).toFixed(1)} %`),
      ...counts.map((count) => (Number.isFinite(count) ? String(Math.round(count)) : "never")),
    ];
  });
  const head = ["best known ÷ found, after", ...checkpoints.map(String), "to 95 %", "to 99 %"];
  return textTable(head, rows);
}

const names = values.strategies.split(",").map((wanted) => {
  const name = strategyNames.find((it) => it === wanted);
  if (!name) throw new Error(`--strategies: nothing is called ${wanted}; there are ${strategyNames.join(", ")}`);
  return name;
});
const searches: Search[] = [];
for (const place of values.places.split(",")) {
  searches.push(...(await searchesOn(place, names)));
  console.log(`${place}: done`);
}
console.log(report(searches));
