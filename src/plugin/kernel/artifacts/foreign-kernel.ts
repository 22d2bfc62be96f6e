// A schedule for a back end that is not ours → its code, as a module has it. It is generated anew each time: there is nothing to compile.

import { generatorOf, refuse, splitParameters } from "../../../compiler/index.ts";
import { executorOf } from "../../../native/backend/executors.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import type { TwinResult } from "./twin-result.ts";

/** @throws DiagnosticError `verify.wrong` */
export async function foreignKernel(context: KernelContext, decision: KernelDecision): Promise<TwinResult> {
  const { factsOf, generated } = await import("../source/schedule-source.ts");
  const kernel = generated(decision);
  if (!kernel) return { kind: "stale" };
  const { source, prepare } = kernel;
  const { opener } = executorOf(source);
  if (opener === undefined) return { kind: "no-binding" };
  // A tuning has run it.
  if (context.request.mode === "frozen") {
    const { checkForeign } = await import("../check/check-built.ts");
    await checkForeign(context, decision, kernel);
  }
  const textOf = (code: string | Uint8Array): string => {
    if (typeof code === "string") return code;
    throw refuse("backend.no-binding", `code of back end "${source.kind}" is no text`, "its generator prints text");
  };
  const facts = factsOf(decision, kernel);
  const twin = {
    kind: "foreign",
    backend: source.kind,
    module: opener,
    code: textOf(generatorOf(source).code(source)),
    prepare: prepare && textOf(generatorOf(prepare).code(prepare)),
    split: facts.preparation && splitParameters(decision.task.op, facts.preparation),
  } as const;
  return { kind: "built", twin, facts, compilerRuns: 0 };
}
