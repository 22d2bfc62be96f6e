// Postprocessors see a kernel after its code is generated and before a compiler is asked, and may refuse it. A refused candidate
// counts as one that did not build, and teaches the search like one.

import { fromCompute, type KernelSource, type LoopFunc, schedule, type Trace } from "../../compiler/index.ts";
import type { Candidate, KernelFacts, Postprocessor, Template } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";

export function kernelFacts(
  task: TuningTask,
  candidate: Candidate,
  { op }: Template,
  trace: Trace,
  source: KernelSource,
): KernelFacts {
  let nest: LoopFunc | null = null;
  return {
    task,
    candidate,
    trace,
    source,
    get nest() {
      nest ??= schedule(fromCompute(op), trace, task.target.intrinsics);
      return nest;
    },
  };
}

/** Returns why the first postprocessor that refuses the kernel does; null: none does. */
export function refusalBy(postprocessors: readonly Postprocessor[], facts: KernelFacts): string | null {
  for (const { name, apply } of postprocessors) {
    const verdict = apply(facts);
    if (verdict.kind === "refused") return `${name}: ${verdict.reason}`;
  }
  return null;
}
