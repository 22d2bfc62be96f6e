// The options of a tuning, and the parts of it that a user brings, checked. Part of `unplugin-kernel/api`.

import { malformed } from "../compiler/index.ts";
import type { CacheState } from "../native/runner/protocol.ts";
import type { FeatureKind } from "../tuner/cost-model/feature-kinds.ts";
import type { OwnFeatures } from "../tuner/cost-model/own-features.ts";
import type { Budget } from "../tuner/data/task.ts";
import { memoryDatabase, openDatabase, type RecordDatabase } from "../tuner/record/database.ts";
import { type OwnDatabase, ownDatabase } from "../tuner/record/own-database.ts";
import { ownMutators } from "../tuner/search/move/own-mutators.ts";
import { strategyOf } from "../tuner/search/own-strategy.ts";
import type { Mutator } from "../tuner/search/point/search-space.ts";
import type { Strategy, StrategyName } from "../tuner/search/strategy/strategy.ts";
import type { TimedTrial, TuneProgress } from "../tuner/tuning/tuning.ts";
import type { OwnBuilder } from "../tuner/workbench/own-builder.ts";
import type { OwnRunner } from "../tuner/workbench/own-runner.ts";
import type { LearningOptions } from "./learning.ts";
import type { QueueRunner } from "./runner.ts";
import type { KernelOptions } from "./task.ts";

export interface TuneOptions extends KernelOptions, LearningOptions {
  readonly budget?: Partial<Budget>;
  /** Seed of the search: the same seed and the same records give the same sequence of candidates. */
  readonly seed?: number;
  /** Search strategy: one of ours by name, or one of your own. */
  readonly strategy?: StrategyName | Strategy;
  /** State of the caches when a run begins; default: "hot". docs/measurement.md */
  readonly cache?: CacheState;
  /**
   * Records to read and extend, those of other shapes and operators too: a file's path, what `openDatabase` gives, or a database
   * of your own. Default: records are not kept. docs/extending.md
   */
  readonly records?: string | RecordDatabase | OwnDatabase;
  /**
   * Features that the cost model sees a candidate by: a kind of ours, or numbers of your own. Default: "variables and facts".
   * docs/cost-model.md, docs/extending.md
   */
  readonly features?: FeatureKind | OwnFeatures;
  /** Small changes that the strategies `default` and `evolutionary` make, in place of ours. docs/extending.md */
  readonly mutators?: readonly Mutator[];
  /** Builder of your own, in place of the compiler that is found here. docs/extending.md */
  readonly builder?: OwnBuilder;
  /** Runner that measures the candidates: machines of a fleet (docs/fleet.md), or an object of yours; default: this machine. */
  readonly runner?: QueueRunner | OwnRunner;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TuneProgress) => void;
  /** Called with each candidate that was measured, and its result. What it throws ends the tuning. */
  readonly onTrial?: (trial: TimedTrial) => void;
}

/** Strategies of ours that mutate, and so take a user's mutators. */
const mutating: readonly StrategyName[] = ["default", "evolutionary"];

/** @throws DiagnosticError `strategy.*`; `extension.malformed` where mutators are given to a strategy of ours that takes none */
export function searchOf(strategy: StrategyName | Strategy, mutators: TuneOptions["mutators"]): Strategy {
  const searching = strategyOf(strategy);
  if (!mutators || typeof strategy !== "string" || mutating.includes(strategy)) return searching;
  throw malformed(`mutators are given, and strategy "${strategy}" takes none`, `${mutating.join(" and ")} take them`);
}

/** @throws DiagnosticError `extension.malformed` */
export function databaseOf(records: TuneOptions["records"]): RecordDatabase {
  if (records === undefined) return memoryDatabase();
  return typeof records === "string" ? openDatabase(records) : ownDatabase(records);
}

interface SearchParts {
  readonly features: TuneOptions["features"] | undefined;
  readonly mutators: TuneOptions["mutators"] | undefined;
}

/**
 * Checks the parts of a search that a user may bring.
 *
 * @throws DiagnosticError `extension.malformed`
 */
export const searchPartsOf = ({ features, mutators }: SearchParts) => ({
  ...(features !== undefined && { features }),
  ...(mutators && { mutators: ownMutators(mutators) }),
});
