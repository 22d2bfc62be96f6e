// A whole back end: one value with a facet for each room, given to `useBackend` once a process. Ours stand in the tables of their rooms.

import {
  type CodeGenerator,
  type Intrinsic,
  type KernelSource,
  type Target,
  useCodeGenerator,
  useIntrinsics,
  useTargets,
} from "../../compiler/index.ts";
import type { Executor } from "../../native/backend/executor.ts";
import { useExecutor } from "../../native/backend/executors.ts";
import { type AnalyticModel, useAnalyticModel } from "../prior/ranker.ts";
import { type SpaceRules, useSpaceRules } from "../space/space-rules.ts";

export interface Backend<On extends Target = Target, Source extends KernelSource = KernelSource> {
  /** Name, in small letters: the `backend` of its targets and the `kind` of its sources. */
  readonly name: string;
  readonly targets: readonly On[];
  /** Passes, code, printing. */
  readonly generator: Omit<CodeGenerator<Source>, "name">;
  /** Instructions that its rules may tensorize with; their text stands under the back end's name. */
  readonly intrinsics?: readonly Intrinsic[];
  /** What makes the space of its targets. */
  readonly space: Omit<SpaceRules<On>, "name">;
  /** What is known of its machines before anything is measured. */
  readonly model: Omit<AnalyticModel<On>, "name">;
  /** Builds sources into runnables, whose `module` is the URL of a JavaScript file with the loader as its export `loader`. */
  readonly executor: Omit<Executor<Source>, "name">;
}

const known = new Map<string, Backend>();

/**
 * Makes the targets of a foreign back end known to this process. The same value may be given again.
 *
 * @throws DiagnosticError `backend.taken`
 * @example useBackend(vta); await tune(gemm, { target: "vta", budget: { trials: 64 } });
 */
export function useBackend<On extends Target, Source extends KernelSource>(backend: Backend<On, Source>): void {
  const { name, targets, generator, intrinsics = [], space, model, executor } = backend;
  if (known.get(name) === backend) return;
  useCodeGenerator({ ...generator, name });
  useExecutor({ ...executor, name });
  useAnalyticModel({ ...model, name });
  useSpaceRules({ ...space, name });
  useIntrinsics(intrinsics);
  useTargets(targets);
  known.set(name, backend);
}
