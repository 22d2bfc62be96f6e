// PTX as it is shipped, run once against the reference where this machine has a GPU for it: the driver compiles it as it will for users.

import type { GeneratedKernel } from "../../../compiler/index.ts";
import type { CudaFunction } from "../../../native/addon/artifact.ts";
import { cudaRunnable } from "../../../native/backend/cuda.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
import { checkRunnable } from "./check-built.ts";

const runnableOf = ({ ptx, launches, scratch }: CudaFunction) =>
  cudaRunnable(
    { launches, scratch: scratch.map((bytes, at) => ({ name: `scratch ${at}`, bytes })) },
    new TextEncoder().encode(`${ptx}\0`),
  );

/** @throws DiagnosticError `verify.wrong` */
export async function checkCuda(
  context: KernelContext,
  schedule: Decision,
  { source, prepare }: GeneratedKernel,
  code: { readonly run: CudaFunction; readonly prepare: CudaFunction | null },
): Promise<void> {
  if (!context.runsFresh || (await whyNotRun(context)) !== null) return;
  const preparation =
    prepare && code.prepare
      ? { kernel: runnableOf(code.prepare), parameters: prepare.parameters, used: source.parameters }
      : null;
  await checkRunnable(context, schedule, runnableOf(code.run), preparation);
}
