// Code as it is shipped, run once against the reference where this machine has a GPU for it: machine code as it is, and PTX, which the driver
// compiles as it will for users.

import type { GeneratedKernel } from "../../../compiler/index.ts";
import type { CudaFunction } from "../../../native/addon/artifact.ts";
import { cudaRunnable } from "../../../native/backend/cuda.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
import { checkRunnable } from "./check-built.ts";

/** Code in a form that the driver takes; null: there is none in this one. */
type Form = (code: CudaFunction) => Uint8Array | null;

const machineCode: Form = ({ cubin }) => (cubin === undefined ? null : Buffer.from(cubin, "base64"));
const virtualCode: Form = ({ ptx }) => new TextEncoder().encode(`${ptx}\0`);

/** Codes in the order in which a program offers them to the driver: on this machine, then on one whose driver takes PTX alone. */
const given: readonly (readonly Form[])[] = [[machineCode, virtualCode], [virtualCode]];

const runnableOf = (code: CudaFunction, forms: readonly Form[]) =>
  cudaRunnable(
    { launches: code.launches, scratch: code.scratch.map((bytes, at) => ({ name: `scratch ${at}`, bytes })) },
    forms.map((form) => form(code)).filter((it) => it !== null),
  );

/** @throws DiagnosticError `verify.wrong` */
export async function checkCuda(
  context: KernelContext,
  schedule: Decision,
  { source, prepare }: GeneratedKernel,
  code: { readonly run: CudaFunction; readonly prepare: CudaFunction | null },
): Promise<void> {
  if (!context.runsFresh || (await whyNotRun(context)) !== null) return;
  for (const forms of given) {
    if (forms[0] === machineCode && code.run.cubin === undefined) continue;
    const preparation =
      prepare && code.prepare
        ? {
            kernel: runnableOf(code.prepare, forms),
            parameters: prepare.parameters,
            used: source.parameters,
          }
        : null;
    await checkRunnable(context, schedule, runnableOf(code.run, forms), preparation);
  }
}
