// Result of a work, as it is kept: one line of results.jsonl.

import type { Candidate } from "../../../src/tuner/space/space.ts";
import type { InstructionMix } from "../../support/inner-loops.ts";
import { appendLine, readLines } from "../json-lines.ts";
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
}

/** Major version of Node that a result depends on. Native results depend on none: they count as those of 20. */
export const nodeOf = ({ target, node = 20 }: Pick<WorkResult, "target" | "node">): number =>
  target === wasm ? node : 20;

const keyOf = (result: WorkResult): string =>
  `${result.cpu} ${result.target} ${result.threads} ${nodeOf(result)} ${workKey(result)}`;

/** Reads the results; of each work the last one counts. */
export const readResults = (path: string): readonly WorkResult[] => [
  ...new Map(readLines<WorkResult>(path).map((result) => [keyOf(result), result])).values(),
];

export const appendResult = (path: string, result: WorkResult): void => appendLine(path, result);

/** 1e9 operations a second that a core could do of it. Null: not known, or another for each work of the suite. */
export function limitOf({ suite, target, peak }: WorkResult): number | null {
  if (suite === "bytes") return null;
  const dots = dotsOf(suite);
  if (!dots) return peak.gflops;
  return (target !== wasm && peak[dots]) || null;
}

export const gflopsOf = ({ flops }: WorkResult, ns: number): number => flops / ns;
