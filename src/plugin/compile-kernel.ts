// From a request to a compiled kernel: the operator is loaded, the mode decides who makes the schedule, the schedule
// becomes bytes.

import { type ComputeDef, type JsSource, kernelParameters } from "../compiler/index.ts";
import { worstRelativeError } from "../tuner/measure/error-bound.ts";
import { algorithmsFor } from "../tuner/space/algorithm/index.ts";
import { type Decision, decideSchedule } from "./compile/decide-schedule.ts";
import { type KernelContext, kernelContext } from "./compile/kernel-context.ts";
import { type Artifacts, makeArtifacts } from "./compile/make-artifacts.ts";
import type { CompiledKernel, CompileKernel } from "./compiled-kernel.ts";

export const compileKernel: CompileKernel = async (request, services) =>
  compileInContext(await kernelContext(request, services));

/** The same with another workbench or another machine, for tests. */
export async function compileInContext(context: KernelContext): Promise<CompiledKernel> {
  if (context.request.mode === "off") return compiledKernel(context, null, noArtifacts);
  const decision = await decideSchedule(context);
  return compiledKernel(context, decision, await makeArtifacts(context, decision));
}

/** Without a kernel there are the plain loops. */
async function plainLoops(op: ComputeDef): Promise<JsSource> {
  const { referenceLoops } = await import("./compile/reference-loops.ts");
  return referenceLoops(op);
}

const noArtifacts: Artifacts = { wasm: null, relaxed: null, native: null, trace: "", compilerRuns: 0 };

async function compiledKernel(
  context: KernelContext,
  decision: Decision | null,
  artifacts: Artifacts,
): Promise<CompiledKernel> {
  const { op, parameters, task, key, watchFiles } = context;
  const { wasm, relaxed, native, trace, compilerRuns } = artifacts;
  return {
    op: op.name,
    parameters,
    target: task.target.name,
    numerics: task.numerics,
    tensors: kernelParameters(op),
    wasm,
    relaxed,
    native,
    reference: wasm || native ? null : await plainLoops(op),
    trace,
    gflops: decision?.measured?.gflops ?? null,
    key,
    errorBound: worstRelativeError(algorithmsFor(task).map((algorithm) => algorithm.op)),
    watchFiles,
    origin: decision?.origin ?? "reference",
    measurements: decision?.measurements ?? 0,
    compilerRuns: (decision?.compilerRuns ?? 0) + compilerRuns,
  };
}
