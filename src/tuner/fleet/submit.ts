// The coordinator's side of a batch: candidates → job → their results, in order, as they come. A job that was lost is submitted
// again, one that killed two workers without the candidate that did, and what no worker measures in time is left out.

import type { LeftMs } from "../support/time-limit.ts";
import type { Decision } from "../workbench/workbench.ts";
import { jobId, type MeasureJob, resultName } from "./job.ts";
import { type FleetQueue, type JobState, QueueLost } from "./queue.ts";
import {
  type CandidateResult,
  decodeJobEnd,
  decodeMark,
  decodeRaceOutcome,
  decodeResult,
  killsItsWorker,
  type Mark,
  type ResultOrigin,
} from "./result.ts";
import { type FleetKey, seal, unseal } from "./seal.ts";
import { queueOf } from "./worker-class.ts";

export interface Coordinator {
  readonly queue: FleetQueue;
  readonly key: FleetKey;
  /** Name of this run, which its jobs bear; null: nothing is signed. */
  readonly run: string | null;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Whether a worker of a class is alive. */
  readonly isServed: (hash: string) => Promise<boolean>;
  /** Called with the milliseconds that a job waited for a worker. */
  readonly onWait?: (ms: number) => void;
}

export type FleetOutcome =
  | { readonly kind: "result"; readonly result: CandidateResult }
  | { readonly kind: "left-out"; readonly reason: string };

/** Thrown where a worker refuses a job: another would, too, since all of a class have the same sources. */
export class JobRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "JobRefused";
  }
}

/** Milliseconds between two looks at a job. */
const lookMs = 20;
/** Times that a job may end or be lost without a result more. */
const mostFruitless = 3;
/** Milliseconds that an active job may be late: its worker ends it at the deadline, if it can. */
const graceMs = 5_000;
/** Milliseconds after which a job that waits is asked about workers of its class. */
const askMs = 2_000;

/** Yields the outcome of each candidate of the job, in their order. Rejects with `QueueLost` or `JobRefused`. */
export async function* measureOnFleet(
  job: MeasureJob,
  coordinator: Coordinator,
  leftMs: LeftMs,
): AsyncGenerator<FleetOutcome, undefined> {
  const { candidates } = job.batch;
  const names = candidates.map((candidate) => resultName(job, candidate));
  const outcomes = new Map<string, FleetOutcome>();
  const collect = async (): Promise<number> => collectInto(outcomes, names, job, coordinator);
  const missing = (): readonly number[] => names.flatMap((name, at) => (outcomes.has(name) ? [] : [at]));
  /** Candidates at which one worker died: each is measured in a job of its own. */
  const suspects = new Set<string>();
  let fruitless = 0;
  let next = 0;
  await collect();
  while (missing().length > 0) {
    const rest = missing().filter((at) => !suspects.has(names[at]!));
    const together = (rest.length > 0 ? rest : missing().slice(0, 1)).map((at) => candidates[at]!);
    const current: MeasureJob = { ...job, batch: { ...job.batch, candidates: together } };
    const id = jobId(current);
    const before = outcomes.size + suspects.size;
    await submit(current, id, coordinator);
    const watch = watchJob(current, id, coordinator, leftMs);
    for (;;) {
      const end = await watch();
      await collect();
      for (; next < names.length && outcomes.has(names[next]!); next++) yield outcomes.get(names[next]!)!;
      if (next === names.length) return undefined;
      if (end === null) continue;
      await settle(end, current, id);
      break;
    }
    await collect();
    fruitless = outcomes.size + suspects.size > before ? 0 : fruitless + 1;
    if (fruitless >= mostFruitless) leaveOut("no worker brought it to an end");
  }
  for (; next < names.length; next++) yield outcomes.get(names[next]!)!;
  return undefined;

  function leaveOut(reason: string): void {
    for (const at of missing()) outcomes.set(names[at]!, { kind: "left-out", reason });
  }

  /** Draws the conclusion from a job's end. */
  async function settle(end: Ended, ended: MeasureJob, id: string): Promise<void> {
    if (end.kind === "lost") {
      const suspect = await blame(ended, id, coordinator);
      if (suspect !== null) suspects.add(suspect);
      return;
    }
    await coordinator.queue.withdraw(queueOf(job.class, coordinator.key), id);
    if (end.kind === "late") leaveOut(end.reason);
  }
}

/** Result of a race on one worker; null: it was left out. Rejects with `QueueLost` or `JobRefused`. */
export async function raceOnFleet(
  job: MeasureJob,
  coordinator: Coordinator,
  leftMs: LeftMs,
): Promise<(Decision & { readonly from: ResultOrigin }) | null> {
  const id = jobId(job);
  const { queue, key } = coordinator;
  for (let attempt = 0; attempt < mostFruitless; attempt++) {
    await submit(job, id, coordinator);
    const watch = watchJob(job, id, coordinator, leftMs);
    for (let end: Ended | null = null; end === null; ) {
      end = await watch();
      const [text] = await queue.read([id]);
      if (text === null || text === undefined) continue;
      const opened = unseal("race", text, decodeRaceOutcome, key);
      const isOurs = opened.kind === "ok" && isOf(opened.body.from, job, id) && isInRace(opened.body, job);
      return isOurs ? opened.body : null;
    }
    await queue.withdraw(queueOf(job.class, key), id);
    if (leftMs() <= 0) return null;
  }
  return null;
}

const isInRace = ({ winner, runnerUp }: Decision, { batch }: MeasureJob): boolean =>
  winner < batch.candidates.length && (runnerUp === null || runnerUp < batch.candidates.length);

const submit = (job: MeasureJob, id: string, { queue, key }: Coordinator): Promise<void> =>
  queue.submit(queueOf(job.class, key), id, seal("job", job, key));

/** Reads results that have come. One that is not of this job's class and task is refused, and its candidate left out. */
async function collectInto(
  outcomes: Map<string, FleetOutcome>,
  names: readonly string[],
  job: MeasureJob,
  { queue, key }: Coordinator,
): Promise<number> {
  const missing = names.filter((name) => !outcomes.has(name));
  const texts = await queue.read(missing);
  for (const [at, text] of texts.entries()) {
    if (text === null) continue;
    const name = missing[at]!;
    const opened = unseal("result", text, decodeResult, key);
    const isOurs = opened.kind === "ok" && opened.body.name === name && isOfClass(opened.body.from, job);
    const why = opened.kind === "refused" ? opened.reason : "it is of another class of machines, or another candidate";
    outcomes.set(
      name,
      isOurs ? { kind: "result", result: opened.body } : { kind: "left-out", reason: `its result is refused: ${why}` },
    );
  }
  return outcomes.size;
}

/** Says whether a result was made by a worker of the job's class. */
const isOfClass = (from: ResultOrigin, job: MeasureJob): boolean => from.class === job.class;

/** Says whether an outcome is that of this job: one of another was signed, too. */
const isOf = (from: ResultOrigin, job: MeasureJob, id: string): boolean => isOfClass(from, job) && from.job === id;

type Ended =
  /** Submit what is missing again. */
  | { readonly kind: "again" }
  /** Two workers died with it. */
  | { readonly kind: "lost" }
  | { readonly kind: "late"; readonly reason: string };

/** Makes a function that waits a little and says whether the job has ended; null: not yet. */
function watchJob(
  job: MeasureJob,
  id: string,
  { queue, key, clock, signal, isServed, onWait }: Coordinator,
  leftMs: LeftMs,
): () => Promise<Ended | null> {
  const submittedMs = clock();
  let askedMs = submittedMs;
  let activeMs: number | null = null;

  async function whileWaiting(): Promise<null> {
    if (clock() - askedMs < askMs) return null;
    askedMs = clock();
    if (!(await isServed(job.class))) throw new QueueLost("no worker of its class is left");
    return null;
  }

  function whileActive(): Ended | null {
    if (activeMs === null) {
      activeMs = clock();
      onWait?.(activeMs - submittedMs);
    }
    const isLate = clock() - activeMs > job.deadlineMs + graceMs;
    return isLate ? { kind: "late", reason: "its worker was too slow" } : null;
  }

  return async () => {
    signal?.throwIfAborted();
    if (leftMs() <= 0) return { kind: "late", reason: "the time was over before it" };
    await queue.changed(queueOf(job.class, key), Math.min(lookMs, Math.max(1, leftMs())));
    const state: JobState = await queue.state(queueOf(job.class, key), id);
    switch (state.kind) {
      case "unknown":
        return { kind: "again" };
      case "waiting":
        return whileWaiting();
      case "active":
        return whileActive();
      case "failed":
        if (state.lost) return { kind: "lost" };
        throw new JobRefused(state.reason);
      case "done": {
        const end = unseal("end", state.text, decodeJobEnd, key);
        if (end.kind === "refused") throw new JobRefused(`the worker's answer is refused: ${end.reason}`);
        if (!isOf(end.body.from, job, id)) throw new JobRefused("the worker's answer is refused: it is of another job");
        return end.body.why === "deadline" ? { kind: "late", reason: "its worker was too slow" } : { kind: "again" };
      }
    }
  };
}

/**
 * Finds the candidate at which the last worker died. If the one before died at the same, the candidate is recorded; else it is only
 * suspected, as a worker may be killed from outside.
 *
 * @returns the name of the candidate; null: both died before any
 */
async function blame(job: MeasureJob, id: string, { queue, key }: Coordinator): Promise<string | null> {
  const opened = (await queue.marks(id)).map((text) => unseal("mark", text, decodeMark, key));
  await queue.withdraw(queueOf(job.class, key), id);
  const marks = opened.flatMap((mark) => (mark.kind === "ok" && mark.body.job === id ? [mark.body] : []));
  const namesOf = (kind: Mark["kind"]) => marks.filter((mark) => mark.kind === kind).map(({ name }) => name);
  const names = namesOf("at");
  const texts = await queue.read(names);
  const guilty = names.find((_, at) => texts[at] === null) ?? null;
  if (guilty === null || !namesOf("died").includes(guilty)) return guilty;
  const from: ResultOrigin = { job: id, class: job.class, targetClass: "", toolchain: "", worker: "" };
  const measurement = { kind: "crashed", reason: killsItsWorker } as const;
  const result: CandidateResult = { from, name: guilty, baselineNs: null, measurement };
  await queue.createOnce(guilty, seal("result", result, key));
  return guilty;
}
