// Results of a fleet: of one candidate, of a race, and the end of a job. Types and strict decoders.

import { decodeMeasurement, decodeTiming } from "../data/decode-record.ts";
import type { Measurement, Timing } from "../data/measurement.ts";
import { type Decode, integer, nullable, number, object, oneOf, sha256Hex, text } from "../support/strict.ts";

/** Origin of a result. */
export interface ResultOrigin {
  /** Id of the job during which it was made. */
  readonly job: string;
  /** Hash of the worker's class. */
  readonly class: string;
  /** Target class of the task on the worker. */
  readonly targetClass: string;
  readonly toolchain: string;
  readonly worker: string;
}

export interface CandidateResult {
  readonly from: ResultOrigin;
  /** Name under which it is kept: a result that was copied to another candidate is refused. */
  readonly name: string;
  /** Least nanoseconds of the baseline on this worker during this job; null: it did not run. */
  readonly baselineNs: number | null;
  readonly measurement: Measurement;
}

export interface RaceOutcome {
  readonly from: ResultOrigin;
  readonly winner: number;
  readonly runnerUp: number | null;
  readonly timing: Timing | null;
}

/** End of a job: "all" has a result each; "deadline" and "closing" left some out. */
export interface JobEnd {
  readonly from: ResultOrigin;
  readonly why: "all" | "deadline" | "closing";
}

const word = text(100);
const hash = text(32, /^[0-9a-f]{32}$/, "the hash of a class");

export const decodeOrigin: Decode<ResultOrigin> = object<ResultOrigin>({
  job: sha256Hex,
  class: hash,
  targetClass: text(2000),
  toolchain: text(200),
  worker: word,
});

export const decodeResult: Decode<CandidateResult> = object<CandidateResult>({
  from: decodeOrigin,
  name: sha256Hex,
  baselineNs: nullable(number(1e-3, 86_400e9)),
  measurement: decodeMeasurement,
});

export const decodeRaceOutcome: Decode<RaceOutcome> = object<RaceOutcome>({
  from: decodeOrigin,
  winner: integer(0, 1000),
  runnerUp: nullable(integer(0, 1000)),
  timing: nullable(decodeTiming),
});

export const decodeJobEnd: Decode<JobEnd> = object<JobEnd>({
  from: decodeOrigin,
  why: oneOf("all", "deadline", "closing"),
});

/** Says of a job that its first attempt died at a candidate, or that a later attempt is at one. */
export interface Mark {
  readonly job: string;
  readonly kind: "died" | "at";
  /** Name of the candidate's result. */
  readonly name: string;
}

export const decodeMark: Decode<Mark> = object<Mark>({ job: sha256Hex, kind: oneOf("died", "at"), name: sha256Hex });

/**
 * Reason of a candidate during which two workers died, one after the other. It holds for one tuning and is not recorded: no worker has
 * signed that it died, the queue says so.
 */
export const killsItsWorker = "it kills its worker";
