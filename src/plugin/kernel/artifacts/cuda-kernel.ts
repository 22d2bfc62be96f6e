// A schedule for NVIDIA's GPUs → its PTX and machine code: what the store has, else what a compiler makes, or the printer of PTX. No GPU is needed; where there is
// one, new code is run against the reference before anything keeps or ships it.

import {
  type CudaSource,
  type GeneratedKernel,
  isCudaSource,
  refuse,
  splitParameters,
} from "../../../compiler/index.ts";
import { compileFunctions } from "../../../native/cuda/compile-functions.ts";
import { cudaTools } from "../../../native/cuda/compiler.ts";
import type { CudaTools } from "../../../native/cuda/cuda-tools.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { type FoundCuda, keepCuda, storedCuda } from "../stored/stored-cuda.ts";
import type { TwinResult } from "./twin-result.ts";

export async function cudaKernel(context: KernelContext, decision: KernelDecision): Promise<TwinResult> {
  const tools = await cudaTools();
  const stored = await storedCuda(context, decision, tools);
  if (stored) return built(decision, stored, 0);
  const { factsOf, generated } = await import("../source/schedule-source.ts");
  const kernel = generated(decision);
  if (!kernel || !isCudaSource(kernel.source)) return { kind: "stale" };
  const fresh = { code: await compile(context, kernel.source, kernel, tools), facts: factsOf(decision, kernel) };
  const { checkCuda } = await import("../check/check-cuda.ts");
  await checkCuda(context, decision, kernel, fresh.code);
  await keepCuda(context, decision, tools, fresh);
  return built(decision, fresh, tools.isCompiler ? 1 : 0);
}

/** @throws DiagnosticError `build.failed` */
async function compile(
  { lockName, services }: KernelContext,
  source: CudaSource,
  { prepare }: GeneratedKernel,
  tools: CudaTools,
): Promise<FoundCuda["code"]> {
  try {
    const sources = [source, ...(prepare && isCudaSource(prepare) ? [prepare] : [])];
    const { architecture, functions } = await compileFunctions(sources, tools, services.signal);
    const [run, preparation] = functions;
    return { architecture, run: run!, prepare: preparation ?? null };
  } catch (error) {
    services.signal?.throwIfAborted();
    const why = `${lockName}: ${tools.identity} refused the kernel: ${(error as Error).message}`;
    throw refuse("build.failed", why, "name another NVRTC: UNPLUGIN_KERNEL_NVRTC");
  }
}

function built({ task }: KernelDecision, { code, facts }: FoundCuda, compilerRuns: number): TwinResult {
  const split = facts.preparation && splitParameters(task.op, facts.preparation);
  return { kind: "built", twin: { kind: "cuda", code: { ...code, split } }, facts, compilerRuns };
}
