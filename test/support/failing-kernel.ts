// A way of compiling kernels in which one of them fails as by a bug of ours, when its first candidate has been measured.

import { InvariantError } from "../../src/compiler/index.ts";
import { compileInContext } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import { type KernelContext, kernelContext } from "../../src/plugin/kernel/context/kernel-context.ts";
import type { KernelRequest } from "../../src/plugin/kernel/kernel-request.ts";
import type { Measurement } from "../../src/tuner/data/measurement.ts";
import type { NoTime } from "../../src/tuner/support/time-limit.ts";
import { createWorkbench } from "../../src/tuner/workbench/workbench.ts";

export const throwingWorkbench: KernelContext["workbench"] = (options) => {
  const inner = createWorkbench(options);
  async function* measure(...args: Parameters<typeof inner.measure>): AsyncGenerator<Measurement | NoTime, undefined> {
    const measured = inner.measure(...args);
    try {
      yield (await measured.next()).value!;
      throw new InvariantError("invariant violated: planted");
    } finally {
      // What it has begun ahead would keep the others waiting for their turn.
      await measured.return?.();
    }
  }
  return { ...inner, measure };
};

export const compilingBut =
  (fails: (request: KernelRequest) => boolean): CompileKernel =>
  async (request, services) => {
    const context = await kernelContext(request, services);
    return compileInContext(fails(request) ? { ...context, workbench: throwingWorkbench } : context);
  };
