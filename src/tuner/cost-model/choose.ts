// A cost model by its name. XGBoost is there where its library is and can be loaded; where not, the boosted trees of this
// package do as well.

import { boostedTrees } from "./boosted-trees.ts";
import type { CostModel } from "./cost-model.ts";

export const costModelNames = ["boosted-trees", "xgboost"] as const;
export type CostModelName = (typeof costModelNames)[number];

export interface ChosenModel {
  readonly model: CostModel;
  /** Why it is not the model that was asked for, in one line; null: it is. */
  readonly warning: string | null;
}

/** @param library path of XGBoost's C library; null: none was found. */
export async function chooseCostModel(name: CostModelName, library: string | null): Promise<ChosenModel> {
  switch (name) {
    case "boosted-trees":
      return { model: boostedTrees(), warning: null };
    case "xgboost":
      return library === null
        ? instead("no XGBoost library was found (Debian: apt install libxgboost0)")
        : loadOr(library);
  }
}

async function loadOr(library: string): Promise<ChosenModel> {
  const { loadXgboost } = await import("./xgboost.ts");
  try {
    return { model: await loadXgboost(library), warning: null };
  } catch (error) {
    if (isMissing(error))
      return instead("the package koffi, which calls XGBoost, is not installed (npm install --save-dev koffi)");
    // The loader's own words: a missing libgomp, another machine's file, a file that is no library.
    return instead(`${library} could not be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Says whether an error means that koffi is not installed. It is an optional peer dependency: few users want XGBoost,
 * and koffi brings a binary for every system.
 */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("koffi");

const instead = (reason: string): ChosenModel => ({
  model: boostedTrees(),
  warning: `${reason}; the boosted trees of this package are used instead`,
});
