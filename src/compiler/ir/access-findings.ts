// Races of threads and accesses outside of buffers that one run of a function shows, each with the accesses that meet: which buffer and
// element, the text of each statement, and the thread.
//
//   S[3] is accessed by two threads, and nothing orders them:
//     store by threadIdx.x 3: S[threadIdx.x] = A[threadIdx.x]
//     load by threadIdx.x 2: B[threadIdx.x] = S[threadIdx.x + 1]

import type { TypedArray } from "../expr/kernel-type.ts";
import { InvariantError } from "../support/invariant.ts";
import { interpret } from "./interpret.ts";
import type { Access, Finding } from "./interpret-findings.ts";
import { newWatch, noteWrong } from "./interpret-watch.ts";
import type { LoopFunc } from "./loop-ir.ts";

export type { Access, Finding } from "./interpret-findings.ts";

type Arrays = Readonly<Record<string, TypedArray>>;

/** An element of an output. */
export interface Element {
  readonly buffer: string;
  readonly element: number;
}

export interface Watched {
  /** One for each pair of statements; none: nothing is wrong. */
  readonly findings: readonly Finding[];
  /** The same number for runs that access the same elements by the same threads. */
  readonly trail: number;
}

/**
 * Runs `func` once and says what is wrong with its accesses. It is about the function that each thread runs, behind `distribute-threads`:
 * before it loops over threads are loops, one thread's. A run that breaks off gives what it has found up to there. Threads that store the
 * same value to an element race as well: no pass has them do so.
 *
 * @param inputs as for `interpret`
 * @param wrongOf gives a wrong element of results; default: none is looked at
 * @throws InvariantError the interpreter refuses the function, and no finding tells why
 * @example accessFindings(func, { A: new Float32Array(64) }).findings.map(printFinding)
 */
export function accessFindings(
  func: LoopFunc,
  inputs: Arrays,
  wrongOf: (outputs: Arrays) => Element | null = () => null,
): Watched {
  const watch = newWatch(func);
  const { run } = watch;
  const { all } = run.findings;
  try {
    const wrong = wrongOf(interpret(func, inputs, watch));
    if (wrong && all.length === 0) noteWrong(run, wrong.buffer, wrong.element);
  } catch (error) {
    if (all.length === 0 || !(error instanceof InvariantError)) throw error;
  }
  const isRace = ({ kind }: Finding): boolean => kind === "race";
  // Other findings may come of a race.
  return { findings: [...all.filter(isRace), ...all.filter((it) => !isRace(it))], trail: run.trail };
}

const heads = {
  race: "is accessed by two threads, and nothing orders them",
  outside: "is outside of its buffer",
  overwritten: "is stored twice, and nobody reads the first value",
  unset: "is loaded, and no thread of its group has stored it",
  wrong: "is wrong",
} as const satisfies Readonly<Record<Finding["kind"], string>>;

/** Text of a finding: a line, and one for each access. */
export function printFinding({ kind, buffer, at, accesses }: Finding): string {
  const head = `${buffer}[${at.map((index) => index ?? "?").join(", ")}] ${heads[kind]}:`;
  return [head, ...accesses.map((access) => `  ${printAccess(access)}`)].join("\n");
}

const printAccess = ({ kind, statement, thread }: Access): string =>
  `${kind} by ${printThread(Object.entries(thread))}: ${statement}`;

const printThread = (at: readonly (readonly [string, number])[]): string =>
  at.length === 0 ? "the only thread" : at.map(([name, value]) => `${name} ${value}`).join(", ");
