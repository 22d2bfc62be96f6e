// The cost of alternatives of an element in planes of their own, each beginning a fixed number of bytes after the one before:
// lines that fall into one set of L1 evict each other before their next vector is touched.

import type { CpuTarget } from "../../../compiler/index.ts";

export interface Planes {
  readonly count: number;
  /** Bytes of a plane, which are the bytes to the next. */
  readonly distance: number;
  /** Number of elements of 4 bytes that are moved at a time. */
  readonly lanes: number;
  readonly isWritten: boolean;
}

const lineBytes = 64;
/** Bytes of a way of L1: a page, so that it is found while the address is still translated. */
const wayBytes = 4096;

/** Returns the bytes between L1 and L2 that conflicts cost: a line for each vector; written ones go both ways. */
export function conflictBytes({ count, distance, lanes, isWritten }: Planes, target: CpuTarget): number {
  const vectors = (count * distance) / (4 * lanes);
  return count / setsBetween(distance) > waysOf(target) ? vectors * lineBytes * (isWritten ? 2 : 1) : 0;
}

/** Returns how many lines at this distance in bytes fall into different sets of L1. */
export const setsBetween = (distance: number): number => wayBytes / greatestCommonDivisor(distance, wayBytes);

export const waysOf = ({ l1Bytes }: CpuTarget): number => l1Bytes / wayBytes;

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
