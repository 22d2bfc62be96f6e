// Map → the product whose sums it finishes: it reads each of them once, at its own place, and all else that it reads is an input,
// and so is there before the sums. Casts, biases and activations are such maps.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { type Access, isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { type WarpProduct, warpProducts } from "./warp-product.ts";

export interface ProductsToSchedule {
  /** The ways to compute the same product. */
  readonly products: readonly WarpProduct[];
  /** The map that finishes the sums; null: they are the result. */
  readonly reader: SchedulableStage | null;
}

type Context = Pick<RuleContext<AcceleratorTarget>, "task" | "stages">;

/** Returns the product that a stage is, or that it finishes. Null: it does neither. */
export function productsOf(stage: SchedulableStage, context: Context): ProductsToSchedule | null {
  const own = warpProducts(stage, context.task);
  if (own.length > 0) return { products: own, reader: null };
  const sums = finishedBy(stage, context);
  const products = sums ? warpProducts(sums, context.task) : [];
  return products.length > 0 ? { products, reader: stage } : null;
}

function finishedBy(stage: SchedulableStage, { stages, task }: Context): SchedulableStage | null {
  if (!isMap(stage) || stage.spatial.some(({ isPart }) => isPart)) return null;
  const isInput = ({ buffer }: Access): boolean => task.op.inputs.some(({ name }) => name === buffer);
  const [sums, ...others] = stages.filter(({ name }) => stage.reads.some(({ buffer }) => buffer === name));
  if (!sums || others.length > 0 || sums.isOutput || sums.readers.length > 1) return null;
  const isReady = (read: Access): boolean => (read.buffer === sums.name ? isInPlace(read, stage, sums) : isInput(read));
  return stage.reads.every(isReady) ? sums : null;
}

/** Says whether element [i, j] is made of element [i, j]. */
const isInPlace = ({ dims, guarded, count }: Access, { spatial }: SchedulableStage, sums: SchedulableStage): boolean =>
  !guarded &&
  count === 1 &&
  dims.length === spatial.length &&
  spatial.every(({ name, extent }, at) => {
    const dim = dims[at];
    return dim?.size === 1 && dim.get(name) === 1 && extent === sums.spatial[at]?.extent;
  });
