// Numbers as people read them.

import { duration, threeDigits } from "../../../tuner/support/readable-number.ts";
import type { CachesReport } from "../report-data.ts";

export { duration, threeDigits };

/** Speed in three digits, with their zeros: columns of them read better. */
export const speed = (gflops: number): string => (gflops >= 100 ? count(Math.round(gflops)) : gflops.toPrecision(3));

export const none = "–";

/** @example orNone(null, duration) // "–" */
export const orNone = (value: number | null, print: (value: number) => string): string =>
  value === null ? none : print(value);

export const percent = (share: number): string => {
  const value = share * 100;
  return `${value >= 99.95 ? Math.round(value) : value.toFixed(1)} %`;
};

/** Whole percent, for sentences and bars, where a tenth says nothing. */
export const wholePercent = (share: number): string =>
  share > 0 && share < 0.01 ? percent(share) : `${Math.round(share * 100)} %`;

export const times = (ratio: number): string =>
  `${ratio >= 9.95 ? ratio.toFixed(ratio >= 99.5 ? 0 : 1) : ratio.toFixed(2)} ×`;

export const count = (value: number): string => value.toLocaleString("en-US");

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export const seconds = (ms: number): string => duration(ms * 1e6);

export const bytes = (value: number): string => {
  if (value < 1024) return `${value} B`;
  if (value < 2 ** 20) return `${threeDigits(value / 1024)} KB`;
  return `${threeDigits(value / 2 ** 20)} MB`;
};

export const cacheText = ({ l1Bytes, l2Bytes, l3Bytes }: CachesReport): string =>
  `L1 ${bytes(l1Bytes)}, L2 ${bytes(l2Bytes)}, L3 ${bytes(l3Bytes)}`;
