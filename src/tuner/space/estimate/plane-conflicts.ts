// The cost of alternatives of an element in planes of their own, each beginning a fixed number of bytes after the one before:
// lines that fall into one set of L1 evict each other before their next vector is touched.

import { byteSize, type CpuTarget } from "../../../compiler/index.ts";
import { coreOf } from "../../prior/machine-model.ts";

export interface Planes {
  readonly count: number;
  /** Bytes of a plane, which are the bytes to the next. */
  readonly distance: number;
  /** Number of elements of 4 bytes that are moved at a time. */
  readonly lanes: number;
  readonly isWritten: boolean;
}

/** Returns the bytes between L1 and L2 that conflicts cost: a line for each vector; written ones go both ways. */
export function conflictBytes({ count, distance, lanes, isWritten }: Planes, target: CpuTarget): number {
  const vectors = (count * distance) / (byteSize.f32 * lanes);
  return count / setsBetween(distance, target) > waysOf(target)
    ? vectors * coreOf(target).lineBytes * (isWritten ? 2 : 1)
    : 0;
}

/** Returns how many lines at this distance in bytes fall into different sets of L1. */
export function setsBetween(distance: number, target: CpuTarget): number {
  const { wayBytes } = coreOf(target);
  return wayBytes / greatestCommonDivisor(distance, wayBytes);
}

export const waysOf = (target: CpuTarget): number => target.l1Bytes / coreOf(target).wayBytes;

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
