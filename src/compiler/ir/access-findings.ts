// Races of threads and accesses outside of buffers that one run of a function shows, each with the accesses that meet: which buffer and
// element, the text of each statement, and the thread.
//
//   S[3] is touched by two threads, and nothing orders them:
//     store by threadIdx.x 3: S[threadIdx.x] = A[threadIdx.x]
//     load by threadIdx.x 2: B[threadIdx.x] = S[threadIdx.x + 1]

import type { TypedArray } from "../expr/kernel-type.ts";
import { InvariantError } from "../support/invariant.ts";
import { interpret } from "./interpret.ts";
import { type Access, type Finding, newWatch } from "./interpret-watch.ts";
import type { LoopFunc } from "./loop-ir.ts";

export type { Access, Finding } from "./interpret-watch.ts";

/**
 * Runs `func` once and returns what is wrong with its accesses, one finding for each pair of statements; none: nothing is. It is about the
 * function that each thread runs, behind `distribute-threads`; before it loops over threads are loops, one thread's. A run that breaks off
 * gives what it has found up to there.
 *
 * Threads that store the same value to an element race as well: no pass has them do so.
 *
 * @param inputs as for `interpret`
 * @example accessFindings(func, { A: new Float32Array(64) }).map(printFinding)
 */
export function accessFindings(
  func: LoopFunc,
  inputs: Readonly<Record<string, TypedArray>>,
): readonly Finding[] {
  const watch = newWatch(func);
  const { findings } = watch.run;
  try {
    interpret(func, inputs, watch);
  } catch (error) {
    if (findings.length === 0 || !(error instanceof InvariantError)) throw error;
  }
  return findings;
}

/** Text of a finding: a line, and one for each access. */
export function printFinding(finding: Finding): string {
  const { buffer, accesses } = finding;
  const head =
    finding.kind === "race"
      ? `${buffer}[${finding.element}] is touched by two threads, and nothing orders them:`
      : `${buffer} is accessed at [${finding.indices.join(", ")}], its shape is ${finding.shape.join("×")}:`;
  return [head, ...accesses.map((access) => `  ${printAccess(access)}`)].join("\n");
}

const printAccess = ({ kind, statement, thread }: Access): string =>
  `${kind} by ${printThread(Object.entries(thread))}: ${statement}`;

const printThread = (at: readonly (readonly [string, number])[]): string =>
  at.length === 0 ? "the only thread" : at.map(([name, value]) => `${name} ${value}`).join(", ");
