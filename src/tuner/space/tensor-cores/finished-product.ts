// Stage → the ways to compute the product that it is, or the product whose sums it finishes on their way to memory.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { type FinishedSum, finishedSum } from "../fusion/sum-of-a-map.ts";
import { type WarpProduct, warpProducts } from "./warp-product.ts";

export interface ProductsToSchedule {
  /** The ways to compute the same product. */
  readonly products: readonly WarpProduct[];
  /** The product's sums, and the maps between these and the stage that finishes them; null: the stage is the product. */
  readonly finished: FinishedSum | null;
}

type Context = Pick<RuleContext<AcceleratorTarget>, "task" | "stages">;

/** Returns the product that a stage is, or that it finishes. Null: it does neither. */
export function productsOf(stage: SchedulableStage, context: Context): ProductsToSchedule | null {
  const own = warpProducts(stage, context.task);
  if (own.length > 0) return { products: own, finished: null };
  const finished = finishedSum(stage, context);
  const products = finished ? warpProducts(finished.sums, context.task) : [];
  return products.length > 0 ? { products, finished } : null;
}
