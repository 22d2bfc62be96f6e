// A kernel's figures → a verdict in words: how near it is to what the machine can do, and what tuning it was worth.

import type { KernelReport } from "../report-data.ts";
import { count, percent, threeDigits, times, wholePercent } from "./figures.ts";
import { shareOfLimit, speedUpOf } from "./kernel-status.ts";

/** Difference of speeds, as a share, that counts as none: measured again they may change places. */
const noise = 0.03;
/** Speed-up from which on the ratio says more about the schedule that it is taken to than about the kernel. */
const outlier = 4;
const nearLimit = 0.85;

/** Verdict in one sentence or two, without a full stop at its end. */
export function verdictOf(kernel: KernelReport): string {
  const { measured, origin } = kernel;
  if (origin === "reference") return "Plain loops, neither tuned nor predicted";
  if (!measured) return `Not tuned: it runs the schedule that was predicted without measuring`;
  if (!measured.isHere) return `Tuned on another machine, where it did ${threeDigits(measured.gflops)} GFLOP/s`;
  const parts = [limitWords(kernel), speedUpWords(kernel)].filter((part) => part !== null);
  return parts.length > 0 ? capitalized(parts.join("; ")) : `${threeDigits(measured.gflops)} GFLOP/s`;
}

function limitWords(kernel: KernelReport): string | null {
  const share = shareOfLimit(kernel);
  if (share === null) return null;
  if (kernel.roof.isKernelFaster) return "faster than the loops that measure this core's limit";
  const near = share >= nearLimit ? ", so little is left to gain" : "";
  return `${wholePercent(share)} of what ${coresOf(kernel)} can ${kernel.roof.limitedBy === "reading" ? "read" : "do"}${near}`;
}

const coresOf = ({ threads }: KernelReport): string => (threads === 1 ? "this core" : `${threads} cores`);

function speedUpWords(kernel: KernelReport): string | null {
  const ratio = speedUpOf(kernel);
  if (ratio === null) return null;
  if (kernel.schedules.default === null) return "the schedule predicted without measuring was the best";
  if (Math.abs(ratio - 1) <= noise) return "as fast as the schedule predicted without measuring";
  return `${times(ratio)} the schedule predicted without measuring`;
}

/** Why a speed-up is extraordinary; null: it is not. */
export function outlierNote(kernel: KernelReport): string | null {
  const ratio = speedUpOf(kernel);
  const { candidates, default: place, roof, againstDefault, flops } = kernel;
  if (ratio === null || ratio < outlier || place === null || !againstDefault) return null;
  const faster = candidates.filter(({ ns }) => ns !== null && ns < againstDefault.defaultNs).length;
  const ran = candidates.filter(({ ns }) => ns !== null).length;
  const share = roof.leastNs === null ? null : roof.leastNs / againstDefault.defaultNs;
  const reached =
    share === null ? `${threeDigits(flops / againstDefault.defaultNs)} GFLOP/s` : `${percent(share)} of the limit`;
  return `${times(ratio)} says that the prediction was bad here, not that the kernel is extraordinary: the predicted schedule reached ${reached}, and ${count(faster)} of the ${count(ran)} candidates that ran were faster than it.`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
