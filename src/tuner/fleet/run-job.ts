// The worker's side of a job: text → checked job → a result for each candidate, each created once. The first attempt measures the
// batch as a whole; an attempt after a worker's death measures one candidate after the other and marks each before, so that the
// coordinator sees which of them killed it.

import type { Measurement } from "../data/measurement.ts";
import { searchedNs } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { Decision } from "../workbench/workbench.ts";
import { decodeJob, jobId, type MeasureJob, resultName } from "./job.ts";
import type { FleetStore } from "./queue.ts";
import {
  type CandidateResult,
  decodeResult,
  type JobEnd,
  type Mark,
  type RaceOutcome,
  type ResultOrigin,
} from "./result.ts";
import { type FleetKey, seal, unseal } from "./seal.ts";

/** Measures the candidates of one job. */
export interface JobMeasurer {
  readonly targetClass: string;
  readonly toolchain: string;
  /** Yields a measurement of each candidate, in their order. Ends early when the signal of `OpenJob` is aborted. */
  measure(candidates: readonly Candidate[]): AsyncIterable<Measurement>;
  race(candidates: readonly Candidate[]): Promise<Decision>;
  close(): Promise<void>;
}

export type OpenedJob =
  | { readonly kind: "open"; readonly measurer: JobMeasurer }
  | { readonly kind: "refused"; readonly reason: string };

/** @param signal aborted at the job's deadline, and when the worker is to end */
export type OpenJob = (job: MeasureJob, signal: AbortSignal) => Promise<OpenedJob>;

export interface WorkerPlace {
  readonly store: FleetStore;
  readonly key: FleetKey;
  /** Hash of the worker's class. */
  readonly class: string;
  readonly worker: string;
  readonly open: OpenJob;
  /** Aborted when the worker is to end. */
  readonly closing: AbortSignal;
  /** Renews the claim to the job. Where the queue has given it to another worker meanwhile, `closing` is aborted. */
  readonly renew: () => Promise<void>;
  /** Calls `work` after these milliseconds; what it returns calls it off. */
  readonly after: (ms: number, work: () => void) => () => void;
}

export type JobOutcome =
  /** Sealed `JobEnd`. */
  { readonly kind: "ended"; readonly text: string } | { readonly kind: "refused"; readonly reason: string };

/**
 * Runs a job. The text is data of strangers: everything in it is checked.
 *
 * @param id the queue's id of the job, which has to be that of its content
 * @param attempt 1 for the first; later ones follow the death of a worker
 */
export async function runJob(text: unknown, id: string, attempt: number, place: WorkerPlace): Promise<JobOutcome> {
  const opened = unseal("job", text, decodeJob, place.key);
  if (opened.kind === "refused") return opened;
  const job = opened.body;
  if (jobId(job) !== id) return refused("its id is not that of its content");
  if (job.class !== place.class) return refused("it is for another class of machines");
  const stop = new AbortController();
  const onClose = (): void => stop.abort(new Error("the worker ends"));
  place.closing.addEventListener("abort", onClose, { once: true });
  if (place.closing.aborted) onClose();
  const callOff = place.after(job.deadlineMs, () => stop.abort(new Error("the job's deadline is over")));
  try {
    return await runOpened(job, id, attempt, place, stop.signal);
  } finally {
    callOff();
    place.closing.removeEventListener("abort", onClose);
  }
}

const refused = (reason: string): JobOutcome => ({ kind: "refused", reason });

async function runOpened(
  job: MeasureJob,
  id: string,
  attempt: number,
  place: WorkerPlace,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const opened = await place.open(job, signal);
  if (opened.kind === "refused") return opened;
  const { measurer } = opened;
  const { targetClass, toolchain } = measurer;
  const from: ResultOrigin = { job: id, class: place.class, targetClass, toolchain, worker: place.worker };
  try {
    if (job.kind === "race") await runRace(job, from, measurer, place);
    else await measureAll(job, from, attempt, { measurer, place, signal });
    return ended(from, "all", place.key);
  } catch (error) {
    if (!signal.aborted) throw error;
    return ended(from, place.closing.aborted ? "closing" : "deadline", place.key);
  } finally {
    await measurer.close();
  }
}

function ended(from: ResultOrigin, why: JobEnd["why"], key: FleetKey): JobOutcome {
  const end: JobEnd = { from, why };
  return { kind: "ended", text: seal("end", end, key) };
}

interface Running {
  readonly measurer: JobMeasurer;
  readonly place: WorkerPlace;
  readonly signal: AbortSignal;
}

/** Measures the baseline, then what has no result yet. */
async function measureAll(
  job: MeasureJob,
  from: ResultOrigin,
  attempt: number,
  { measurer, place, signal }: Running,
): Promise<void> {
  const { store, key } = place;
  const isAlone = attempt > 1;
  let baselineNs: number | null = null;

  async function keep(candidate: Candidate, measurement: Measurement): Promise<void> {
    const name = resultName(job, candidate);
    const result: CandidateResult = { from, name, baselineNs, measurement };
    await store.createOnce(name, seal("result", result, key));
  }

  async function measureThese(candidates: readonly Candidate[], onEach: typeof keep): Promise<void> {
    let at = 0;
    for await (const measurement of measurer.measure(candidates)) {
      await onEach(candidates[at++]!, measurement);
      // A worker that was out of the queue's reach ends with the candidate that it was at: another goes on behind it.
      await place.renew();
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
  }

  async function measureAlone(candidate: Candidate, onEach: typeof keep): Promise<void> {
    await mark("at", resultName(job, candidate), from.job, place);
    await measureThese([candidate], onEach);
  }

  const { baseline } = job;
  if (isAlone) await markDeath(job, from.job, place);
  if (baseline && !(await isRecordedAsFailed(job, baseline, place)))
    await (isAlone ? measureAlone(baseline, setBaseline) : measureThese([baseline], setBaseline));
  async function setBaseline(candidate: Candidate, measurement: Measurement): Promise<void> {
    baselineNs = searchedNs(measurement);
    await keep(candidate, measurement);
  }
  const known = await store.read(job.batch.candidates.map((candidate) => resultName(job, candidate)));
  const rest = job.batch.candidates.filter((_, at) => known[at] === null);
  if (!isAlone) return measureThese(rest, keep);
  for (const candidate of rest) {
    // The worker that had the job before may live, and have ended its last candidate meanwhile.
    const [ended = null] = await store.read([resultName(job, candidate)]);
    if (ended === null) await measureAlone(candidate, keep);
  }
}

/** Marks where the attempt before this one died: at the first candidate without a result. */
async function markDeath(job: MeasureJob, id: string, place: WorkerPlace): Promise<void> {
  const { baseline, batch } = job;
  const all = baseline ? [baseline, ...batch.candidates] : batch.candidates;
  const names = all.map((candidate) => resultName(job, candidate));
  const known = await place.store.read(names);
  const first = names.find((_, at) => known[at] === null);
  if (first !== undefined) await mark("died", first, id, place);
}

async function mark(kind: Mark["kind"], name: string, job: string, { store, key }: WorkerPlace): Promise<void> {
  const made: Mark = { job, kind, name };
  await store.mark(job, seal("mark", made, key));
}

/** Says whether a baseline is known not to run: it is not tried again. */
async function isRecordedAsFailed(job: MeasureJob, baseline: Candidate, { store, key }: WorkerPlace): Promise<boolean> {
  const [text = null] = await store.read([resultName(job, baseline)]);
  if (text === null) return false;
  const opened = unseal("result", text, decodeResult, key);
  return opened.kind === "ok" && opened.body.measurement.kind !== "ok";
}

async function runRace(
  job: MeasureJob,
  from: ResultOrigin,
  measurer: JobMeasurer,
  { store, key }: WorkerPlace,
): Promise<void> {
  if ((await store.read([from.job]))[0] !== null) return;
  const outcome: RaceOutcome = { from, ...(await measurer.race(job.batch.candidates)) };
  await store.createOnce(from.job, seal("race", outcome, key));
}
