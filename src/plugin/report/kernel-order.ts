// The order of kernels in a report: by operator file, then target, then shape, sizes as numbers: M 8 comes before M 100.

import type { FailedKernel, KernelReport } from "./report-data.ts";

type Kernel = KernelReport | FailedKernel;

/** "src/gemm.op.ts?M=64&tune=avx2" → "src/gemm.op.ts" */
export const fileOf = (name: string): string => name.split("?")[0]!;

/** Kernels of one operator for one target: shapes of the same thing. Those that failed have no target. */
export const groupOf = (kernel: Kernel): string =>
  kernel.kind === "failed" ? fileOf(kernel.name) : `${fileOf(kernel.name)} · ${targetOf(kernel)}`;

export function targetOf({ target, threads, numerics }: KernelReport): string {
  return [target, ...(threads > 1 ? [`${threads} threads`] : []), ...(numerics === "strict" ? ["strict"] : [])].join(
    ", ",
  );
}

const collator = new Intl.Collator("en", { numeric: true });

export function compareKernels(left: Kernel, right: Kernel): number {
  return (
    collator.compare(fileOf(left.name), fileOf(right.name)) ||
    collator.compare(groupOf(left), groupOf(right)) ||
    compareShapes(left, right) ||
    collator.compare(left.name, right.name)
  );
}

/** Compares the sizes of two kernels; those that failed come first. */
function compareShapes(left: Kernel, right: Kernel): number {
  if (left.kind === "failed" || right.kind === "failed")
    return Number(right.kind === "failed") - Number(left.kind === "failed");
  for (const [name, value] of Object.entries(left.parameters)) {
    const other = right.parameters[name];
    const difference =
      typeof value === "number" && typeof other === "number"
        ? value - other
        : collator.compare(String(value), String(other));
    if (difference !== 0) return difference;
  }
  return 0;
}
