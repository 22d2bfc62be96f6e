// A schedule for a back end whose code is text → that text, as a module has it: for WebGPU, or for a back end that is not ours. It is generated
// anew each time, as there is nothing to compile.

import {
  generatorOf,
  isWgslSource,
  type KernelSource,
  refuse,
  type SplitParameters,
  splitParameters,
} from "../../../compiler/index.ts";
import { executorOf } from "../../../native/backend/executors.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import type { ForeignTwin, WebgpuTwin } from "../twin.ts";
import type { TwinResult } from "./twin-result.ts";

/** @throws DiagnosticError `verify.wrong` */
export async function foreignKernel(context: KernelContext, decision: KernelDecision): Promise<TwinResult> {
  const { factsOf, generated } = await import("../source/schedule-source.ts");
  const kernel = generated(decision);
  if (!kernel) return { kind: "stale" };
  const { source, prepare } = kernel;
  const facts = factsOf(decision, kernel);
  const split = facts.preparation && splitParameters(decision.task.op, facts.preparation);
  const twin = webgpuTwin(source, prepare, split) ?? foreignTwin(source, prepare, split);
  if (!twin) return { kind: "no-binding" };
  // A tuning has run it.
  if (context.request.mode === "frozen") {
    const { checkForeign } = await import("../check/check-built.ts");
    await checkForeign(context, decision, kernel);
  }
  return { kind: "built", twin, facts, compilerRuns: 0 };
}

function webgpuTwin(
  source: KernelSource,
  prepare: KernelSource | null,
  split: SplitParameters | null,
): WebgpuTwin | null {
  if (!isWgslSource(source)) return null;
  return { kind: "webgpu", code: { source, prepare: prepare && isWgslSource(prepare) ? prepare : null, split } };
}

/** Null: the back end names no module that opens its kernels. */
function foreignTwin(
  source: KernelSource,
  prepare: KernelSource | null,
  split: SplitParameters | null,
): ForeignTwin | null {
  const { opener } = executorOf(source);
  if (opener === undefined) return null;
  const textOf = (code: string | Uint8Array): string => {
    if (typeof code === "string") return code;
    throw refuse("backend.no-binding", `code of back end "${source.kind}" is no text`, "its generator prints text");
  };
  return {
    kind: "foreign",
    backend: source.kind,
    module: opener,
    code: textOf(generatorOf(source).code(source)),
    prepare: prepare && textOf(generatorOf(prepare).code(prepare)),
    split,
  };
}
