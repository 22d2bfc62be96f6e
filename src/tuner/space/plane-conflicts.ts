// What it costs that the alternatives of an element are in planes of their own, one of which begins so many bytes after the
// other: lines that fall into one set of L1 evict each other before their next vector is touched.

import type { Target } from "../../compiler/index.ts";

export interface Planes {
  readonly count: number;
  /** Bytes of one, which are the bytes to the next. */
  readonly distance: number;
  /** Elements of 4 bytes that are moved at a time. */
  readonly lanes: number;
  readonly isWritten: boolean;
}

const lineBytes = 64;
/** A way of L1 is a page: so it is found while the address is still translated. */
const wayBytes = 4096;

/** Bytes between L1 and L2 that conflicts cost: a line for each vector; written ones go both ways. */
export function conflictBytes({ count, distance, lanes, isWritten }: Planes, target: Target): number {
  const vectors = (count * distance) / (4 * lanes);
  return count / setsBetween(distance) > waysOf(target) ? vectors * lineBytes * (isWritten ? 2 : 1) : 0;
}

/** How many lines that lie so many bytes apart fall into different sets of L1. */
export const setsBetween = (distance: number): number => wayBytes / greatestCommonDivisor(distance, wayBytes);

export const waysOf = ({ l1Bytes }: Target): number => l1Bytes / wayBytes;

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
