// Words and figures about a kernel that several parts of the page show.

import type { KernelReport, ScheduleOrigin } from "../report-data.ts";

export { fileOf } from "../kernel-order.ts";

const origins: Readonly<Record<ScheduleOrigin, string>> = {
  lock: "from the lock",
  "same-isa": "from the lock, for another target of the same ISA",
  store: "from the store",
  pack: "from a pack",
  remote: "from the remote store",
  tuned: "tuned now",
  shared: "tuned now, with an equal kernel",
  predicted: "predicted",
  reference: "reference loops",
};

export const statusOf = ({ origin, measured }: KernelReport): string =>
  origin === "lock" && !measured ? "from the lock, predicted" : origins[origin];

/** Source of the schedule, in a word or two. */
export const originOf = ({ origin, measured }: KernelReport): string =>
  origin === "lock" && !measured ? "lock, predicted" : origin;

/** Share of what the machine can do at most, by the median of the final race; null: one of them is not known. */
export const shareOfLimit = ({ measured, roof }: KernelReport): number | null =>
  measured?.isHere && roof.leastNs !== null ? roof.leastNs / measured.medianNs : null;

/** Factor by which the winner is faster than the default schedule; null: it is not known. */
export const speedUpOf = ({ againstDefault }: KernelReport): number | null =>
  againstDefault && againstDefault.defaultNs / againstDefault.winnerNs;

export const parametersOf = ({ parameters }: KernelReport): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** "src/gemm.op.ts?M=64&tune=avx2" → "M=64, tune=avx2" */
export const queryOf = (name: string): string => (name.split("?")[1] ?? "").split("&").join(", ");

/** Names of parameters whose values are not the same in all of these kernels. */
export function varyingParameters(kernels: readonly KernelReport[]): ReadonlySet<string> {
  const names = new Set(kernels.flatMap(({ parameters }) => Object.keys(parameters)));
  return new Set([...names].filter((name) => new Set(kernels.map(({ parameters }) => parameters[name])).size > 1));
}

/** Parameters that differ within the kernel's group: "M 8". Of a kernel alone all parameters. */
export function shapeOf(kernel: KernelReport, varying: ReadonlySet<string>): string {
  const shown = Object.entries(kernel.parameters).filter(([name]) => varying.has(name));
  return shown.length > 0 ? shown.map(([name, value]) => `${name} ${value}`).join(", ") : parametersOf(kernel);
}
