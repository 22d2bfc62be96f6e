// An import, the options and a mode → what a kernel is compiled from.

import type { Numerics, Parameters } from "../../compiler/index.ts";
import type { Budget } from "../../tuner/data/task.ts";
import type { StrategyName } from "../../tuner/search/strategy/strategy.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Mode } from "../options/types.ts";
import type { ParsedRequest, RequestTarget } from "../request/request.ts";

/**
 * - `interim`: what can be had at once, as a dev server asks for the tuned one behind it.
 * - `again`: as `tune`, but what was decided does not count, and the search goes on from what was measured.
 * - `update`: as `again`, but what was measured of the kernel does not count either.
 */
export type RequestMode = Mode | "interim" | "again" | "update";

export interface KernelRequest {
  /** Absolute path of the operator file. */
  readonly opFile: string;
  readonly target: RequestTarget;
  /** Overrides from the import, not yet checked against the operator (see `checkParameters`). */
  readonly parameters: Parameters;
  /** `none`: no WASM twin, and an error where the target cannot be built. */
  readonly fallback: "wasm" | "none";
  readonly threads: number;
  readonly numerics: Numerics;
  readonly mode: RequestMode;
  readonly budget: Budget;
  /** Searches to go through before the usual one, each from nothing and for the whole budget, so that a report compares them. */
  readonly compare?: readonly StrategyName[];
}

export function kernelRequest(
  { path, settings }: ParsedRequest,
  options: ResolvedOptions,
  mode: RequestMode,
): KernelRequest {
  const { trials, seconds, target, parameters, fallback, threads } = settings;
  const budget = { seconds: seconds ?? options.budget.seconds, trials: trials ?? options.budget.trials };
  return { opFile: path, target, parameters, fallback, threads, numerics: options.numerics, mode, budget };
}
