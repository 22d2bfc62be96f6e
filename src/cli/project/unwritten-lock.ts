// Decisions that the lock did not take → the outcome of `tune`: a failure, which names the store where they are.

import type { RequestMode } from "../../plugin/kernel/compiled-kernel.ts";
import type { Project } from "./project.ts";

/** Returns null where the lock has every decision of this run. */
export function unwrittenLock(project: Project, mode: RequestMode) {
  const problem = project.lockProblem();
  if (!problem) return null;
  const isStored = !project.session.told.has("store");
  const hint = isStored
    ? `the decisions are in the store (${project.options.cacheDir}); when the lock can be written, ${nextStep(mode)}`
    : "the store cannot be written either, so the decisions are lost";
  const { code, message, detail } = problem;
  return {
    json: { error: { code, message, hint, detail } },
    lines: ["", `${code}: ${message}: ${hint}`],
  };
}

/** An entry that the lock has decides a kernel before the store is asked. */
const nextStep = (mode: RequestMode): string =>
  mode === "tune"
    ? "tune takes them from there"
    : "delete the old entries of these kernels from it, and tune takes the new ones from there";
