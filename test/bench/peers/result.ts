// Result of a work, as it is kept: one line of results.jsonl.

import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { InstructionMix } from "../../support/inner-loops.ts";
import { appendLine, attemptsBy, readLines } from "../json-lines.ts";
import type { Measured, Provenance } from "../provenance.ts";
import { wasm } from "./bars.ts";
import type { Rival } from "./contest.ts";
import type { Peak } from "./peak.ts";
import { dotsOf, type SuiteName, workKey } from "./work.ts";

export interface WorkResult extends Measured {
  readonly suite: SuiteName;
  /** The work's. */
  readonly name: string;
  readonly cpu: string;
  readonly target: string;
  readonly threads: number;
  /** Major version of Node; default: 20. */
  readonly node?: number;
  readonly flops: number;
  /** Bytes of inputs and outputs. */
  readonly bytes: number;
  readonly candidate: Candidate;
  /** Null or nothing: not known. */
  readonly innerLoop?: InstructionMix | null;
  /** Candidates that the tuning measured. */
  readonly trials: number;
  readonly tuneMs: number;
  /** Where the schedule comes from: a tuning that was kept may be older than the row. Nothing: the row has none. */
  readonly tuning?: Provenance;
  readonly medianNs: number;
  readonly rivals: readonly Rival[];
  readonly failures: Readonly<Record<string, string>>;
  readonly peak: Peak;
  /** Attempts before this one, the oldest first; as they are read. */
  readonly earlier?: readonly WorkResult[];
}

/** Major version of Node that a result depends on. Native results depend on none: they count as those of 20. */
export const nodeOf = ({ target, node = 20 }: Pick<WorkResult, "target" | "node">): number =>
  target === wasm ? node : 20;

const keyOf = (result: WorkResult): string =>
  `${result.cpu} ${result.target} ${result.threads} ${nodeOf(result)} ${workKey(result)}`;

/** Suites as they are today: softmax and layer normalisation were one. */
function inItsSuite(result: WorkResult): WorkResult {
  const written: string = result.suite;
  return written === "norm"
    ? { ...result, suite: result.name.startsWith("softmax") ? "softmax" : "layer-norm" }
    : result;
}

/** Reads the results; of each work the last one counts, and has its earlier attempts with it. */
export function readResults(path: string): readonly WorkResult[] {
  const attempts = attemptsBy(readLines<WorkResult>(path).map(inItsSuite), keyOf);
  return attempts.map((all) => ({ ...all.at(-1)!, earlier: all.slice(0, -1) }));
}

/** All attempts of a work, this one the last. */
export const attemptsOf = (result: WorkResult): readonly WorkResult[] => [...(result.earlier ?? []), result];

export const appendResult = (path: string, result: WorkResult): void => appendLine(path, result);

/** 1e9 operations a second that a core could do of it. Null: not known, or another for each work of the suite. */
export function limitOf({ suite, target, peak }: WorkResult): number | null {
  if (suite === "bytes") return null;
  const dots = dotsOf(suite);
  if (!dots) return peak.gflops;
  return (target !== wasm && peak[dots]) || null;
}

export const gflopsOf = ({ flops }: WorkResult, ns: number): number => flops / ns;
