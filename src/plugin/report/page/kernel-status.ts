// What several parts of the page say of a kernel.

import type { KernelReport, ScheduleOrigin } from "../report-data.ts";

const origins: Readonly<Record<ScheduleOrigin, string>> = {
  lock: "from the lock",
  store: "from the store",
  remote: "from the remote store",
  tuned: "tuned now",
  shared: "tuned now, with an equal kernel",
  predicted: "predicted",
  reference: "reference loops",
};

export const statusOf = ({ origin, measured }: KernelReport): string =>
  origin === "lock" && !measured ? "from the lock, predicted" : origins[origin];

/** In a word. */
export const originOf = ({ origin, measured }: KernelReport): string =>
  origin === "lock" && !measured ? "lock, predicted" : origin;

/** Of the machine's peak, by the median of the final race; null: one of them is not known. */
export const shareOfPeak = ({ measured, roof }: KernelReport): number | null =>
  measured && roof.gflops !== null && measured.isHere ? measured.gflops / roof.gflops : null;

/** How much faster than the default schedule. */
export const speedUpOf = ({ againstDefault }: KernelReport): number | null =>
  againstDefault && againstDefault.defaultNs / againstDefault.winnerNs;

export const parametersOf = ({ parameters }: KernelReport): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** "src/gemm.op.ts?M=64&tune=avx2" → "src/gemm.op.ts" */
export const fileOf = (name: string): string => name.split("?")[0]!;

/** "src/gemm.op.ts?M=64&tune=avx2" → "M=64, tune=avx2" */
export const queryOf = (name: string): string => (name.split("?")[1] ?? "").split("&").join(", ");
