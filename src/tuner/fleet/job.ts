// A job of a fleet's queue: the operator by the name of its file and its digest, a batch of candidates by their decisions, the
// baseline that is measured with them, and a limit of time. It holds data, no code: a worker takes the operator from its own checkout.

import { type ComputeDef, type Parameters, printComputeDef, sha256 } from "../../compiler/index.ts";
import { decodeCandidate } from "../data/decode-record.ts";
import { canonicalJson } from "../data/key.ts";
import type { Candidate } from "../data/space.ts";
import { type Batch, decodeBatch } from "../remote/batch.ts";
import {
  type Decode,
  either,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  sha256Hex,
  text,
} from "../support/strict.ts";
import { fleetProtocol } from "./worker-class.ts";

export interface JobOperator {
  /** Path below the worker's project, with slashes. */
  readonly file: string;
  readonly parameters: Parameters;
  /** Digest of the operator with these parameters: a worker with other sources refuses. */
  readonly digest: string;
}

export interface MeasureJob {
  readonly kind: "measure" | "race";
  readonly protocol: typeof fleetProtocol;
  /**
   * Run of the coordinator that asks: what was signed for another run is not taken for it. Null where nothing is signed; then runs share
   * their results.
   */
  readonly run: string | null;
  /** Hash of the class whose queue the job is in. */
  readonly class: string;
  readonly operator: JobOperator;
  readonly batch: Batch;
  /** Candidate that every batch of the task is measured with: times count relative to it. Null: there is none. */
  readonly baseline: Candidate | null;
  /** Milliseconds from the moment when a worker takes the job: what is not measured then is left out. */
  readonly deadlineMs: number;
}

/** Digest of an operator with its parameters, whatever its file is called. */
export const operatorDigest = (op: ComputeDef): string => sha256(printComputeDef({ ...op, name: "kernel" }));

/** Most candidates of one job. */
export const mostInJob = 512;

const relativePath = text(
  400,
  /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!.*\/\/)[^\0\\:]+$/,
  "a path below the project, with slashes",
);

export const decodeJob: Decode<MeasureJob> = object<MeasureJob>({
  kind: oneOf("measure", "race"),
  protocol: oneOf(fleetProtocol),
  run: nullable(text(32, /^[0-9a-f]{32}$/, "the name of a run")),
  class: text(32, /^[0-9a-f]{32}$/, "the hash of a class"),
  operator: object<JobOperator>({
    file: relativePath,
    parameters: mapOf(text(100), either(number(-(2 ** 53), 2 ** 53), text(100)), 100),
    digest: sha256Hex,
  }),
  batch: decodeBatch,
  baseline: nullable(decodeCandidate),
  deadlineMs: integer(1, 86_400_000),
});

/** Fields of a job that change a measurement or say what it is compared with, but for the candidates. */
const taskFields = ({ run, class: of, batch, baseline }: MeasureJob): unknown => {
  const { codegen, task, target, numerics, threads, constants, cache, inputSeed } = batch;
  const measured = { codegen, task, target, numerics, threads, constants, cache, inputSeed };
  return { protocol: fleetProtocol, run, of, ...measured, baseline };
};

/** Id of a job by its content: a job that is submitted twice is one. The deadline does not count. */
export const jobId = (job: MeasureJob): string =>
  sha256(canonicalJson({ kind: job.kind, task: taskFields(job), candidates: job.batch.candidates }));

/** Name under which a candidate's result is created, once, whatever jobs hold it. */
export const resultName = (job: MeasureJob, candidate: Candidate): string =>
  sha256(canonicalJson({ task: taskFields(job), candidate }));
