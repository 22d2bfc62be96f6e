// A schedule for a back end whose code is text → that text, as a module has it: for WebGPU, or for a back end that is not ours. It is generated
// anew each time, as there is nothing to compile.

import {
  type GeneratedKernel,
  generatorOf,
  isWgslSource,
  type KernelSource,
  refuse,
  type SplitParameters,
  splitParameters,
} from "../../../compiler/index.ts";
import { executorOf } from "../../../native/backend/executors.ts";
import type { ScheduleFacts } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
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
  const { mode } = context.request;
  const isRun = mode !== "predict" && (await whyNotRun(context)) === null;
  // A tuning has run it.
  if (mode === "frozen" && isRun) {
    const { checkForeign } = await import("../check/check-built.ts");
    await checkForeign(context, decision, kernel);
  }
  const why = isRun ? null : await whyRefused(context, decision, { source, prepare, facts });
  if (why !== null) return { kind: "refused", why };
  return { kind: "built", twin, facts, compilerRuns: 0 };
}

/** Says what is wrong with a text that nothing runs here; null: nothing, or nobody here knows. */
async function whyRefused(
  context: KernelContext,
  decision: KernelDecision,
  { source, prepare, facts }: Pick<GeneratedKernel, "source" | "prepare"> & { readonly facts: ScheduleFacts },
): Promise<string | null> {
  if (!isWgslSource(source)) return null;
  const { whyInvalid } = await import("../check/check-wgsl.ts");
  return whyInvalid(context, decision, prepare && isWgslSource(prepare) ? [source, prepare] : [source], facts);
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
