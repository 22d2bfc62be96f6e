// State of the printer of one function of PTX.

import type { Expr } from "../../../ir/loop-ir.ts";
import type { Ranges } from "../../../ir/ranges.ts";
import type { BoxCopy } from "../plan/boxes.ts";
import type { KernelFacts } from "../plan/kernel-facts.ts";
import type { LaunchPlan } from "../plan/launch-plan.ts";
import type { Emitter, Value } from "./emitter.ts";

/** Memory of a buffer, from its first element on. */
export interface BufferPlace {
  readonly space: "global" | "shared" | "local";
  readonly base: Value;
  /** Bytes from the base to the first element. */
  readonly offset: number;
  /** Whether nothing stores to it while the kernel runs. */
  readonly isConstant: boolean;
}

/** Batches that were asked for, waited for and released. */
export interface Batches {
  readonly filled: Value;
  readonly awaited: Value;
  readonly released: Value;
}

export interface PtxContext {
  readonly emitter: Emitter;
  readonly facts: KernelFacts;
  readonly plan: LaunchPlan;
  readonly ranges: Ranges;
  /** Whether products and sums may be fused. */
  readonly isFast: boolean;
  /** Address of the memory of the group. */
  readonly groupBase: Value;
  readonly placeOf: (buffer: string) => BufferPlace;
  /** Locals that are assigned again. */
  readonly assigned: ReadonlySet<string>;
  /** Variables of loops and locals by name, elements of vectors and tiles as `elementName` names them. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly locals: Map<string, Value>;
  /** Names of the vectors, and elements of them, that were loaded before the statement, by their loads. */
  readonly loaded: ReadonlyMap<Expr, string>;
  /** Predicate under which memory is read; null: in any case. */
  readonly guard: Value | null;
  /** Whether the code is that of the one thread that asks for boxes and computes nothing. */
  readonly isCopier: boolean;
  /** Parameter with the map of an array for boxes. */
  readonly mapOf: (array: string, shape: BoxCopy["shape"]) => Value;
  /** Numbers of batches of boxes so far, by their slots. */
  readonly batches: ReadonlyMap<number, Batches>;
  /** Name of a vector that is loaded before its elements are named. */
  readonly freshRun: () => string;
}

/** Name of an element of a vector or of a tile. */
export const elementName = (name: string, at: number): string => `${name}#${at}`;
