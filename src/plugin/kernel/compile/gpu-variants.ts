// Schedules of a kernel for classes of GPUs, each a kernel of another target. The lock has them from browsers in which they were measured
// (`tune --browser`): a build makes those that it finds there, and looks for no others.

import { type GpuKind, gpuKinds, targetForGpu } from "../../../compiler/index.ts";
import { conciseMeasured } from "../../../tuner/lock/lock-entry.ts";
import { foreignKernel } from "../artifacts/foreign-kernel.ts";
import type { GpuVariant } from "../compiled-kernel.ts";
import { type KernelContext, kernelContext } from "../context/kernel-context.ts";
import { fromEntry } from "../decision/found.ts";
import { askLock } from "../lock/ask-lock.ts";

/** Makes the variants of a kernel; none for a guess, which is soon replaced. */
export async function gpuVariants(context: KernelContext): Promise<readonly GpuVariant[]> {
  const { request, task, whyNotComputed } = context;
  if (request.mode === "interim" || whyNotComputed !== null) return [];
  const variants: GpuVariant[] = [];
  for (const gpu of gpuKinds) {
    const target = targetForGpu(task.target, gpu);
    const variant = target === null ? null : await variantFor(context, gpu, target);
    if (variant) variants.push(variant);
  }
  return variants;
}

async function variantFor(
  { request, services }: KernelContext,
  gpu: GpuKind,
  target: string,
): Promise<GpuVariant | null> {
  const context = await kernelContext({ ...request, target }, services);
  const answer = await askLock(context);
  if (answer.kind === "miss") return null;
  const decision = fromEntry(context, answer.entry);
  const result = await foreignKernel(context, decision);
  if (result.kind !== "built" || result.twin.kind !== "webgpu" || !result.twin.code) return null;
  const { measured } = answer.entry;
  const { trace, errorBound } = result.facts;
  return {
    gpu,
    target,
    code: result.twin.code,
    trace,
    errorBound,
    gflops: measured && conciseMeasured(measured).gflops,
  };
}
