// The coordinator's side of a batch: candidates → job → their results, in order, as they come. A job that was lost is submitted
// again, one that killed two workers without the candidate that did, and what no worker measures in time is left out.

import type { Candidate } from "../space/space.ts";
import type { LeftMs } from "../time-limit.ts";
import type { Decision } from "../workbench.ts";
import { jobId, type MeasureJob, resultName } from "./job.ts";
import { type FleetQueue, type JobState, QueueLost } from "./queue.ts";
import {
  type CandidateResult,
  decodeJobEnd,
  decodeRaceOutcome,
  decodeResult,
  killsItsWorker,
  type ResultOrigin,
} from "./result.ts";
import { type FleetKey, seal, unseal } from "./seal.ts";
import { queueOf } from "./worker-class.ts";

export interface Coordinator {
  readonly queue: FleetQueue;
  readonly key: FleetKey;
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
  let current = job;
  let fruitless = 0;
  let next = 0;
  await collect();
  while (missing().length > 0) {
    current = { ...current, batch: { ...job.batch, candidates: missing().map((at) => candidates[at]!) } };
    const id = jobId(current);
    const before = outcomes.size;
    await submit(current, id, coordinator);
    const watch = watchJob(current, id, coordinator, leftMs);
    for (;;) {
      const end = await watch();
      await collect();
      for (; next < names.length && outcomes.has(names[next]!); next++) yield outcomes.get(names[next]!)!;
      if (next === names.length) return undefined;
      if (end === null) continue;
      current = await settle(end, current, id);
      break;
    }
    fruitless = outcomes.size > before ? 0 : fruitless + 1;
    if (fruitless >= mostFruitless) leaveOut("no worker brought it to an end");
  }
  for (; next < names.length; next++) yield outcomes.get(names[next]!)!;
  return undefined;

  function leaveOut(reason: string): void {
    for (const at of missing()) outcomes.set(names[at]!, { kind: "left-out", reason });
  }

  /** Draws the conclusion from a job's end. Returns the job that comes next, if candidates are missing. */
  async function settle(end: Ended, ended: MeasureJob, id: string): Promise<MeasureJob> {
    if (end.kind === "late") {
      await coordinator.queue.withdraw(queueOf(job.class), id);
      leaveOut(end.reason);
    }
    if (end.kind === "lost") return blame(ended, id, coordinator, end.origin);
    if (end.kind === "again") await coordinator.queue.withdraw(queueOf(job.class), id);
    return ended;
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
      const isOurs = opened.kind === "ok" && isOfClass(opened.body.from, job) && isInRace(opened.body, job);
      return isOurs ? opened.body : null;
    }
    await queue.withdraw(queueOf(job.class), id);
    if (leftMs() <= 0) return null;
  }
  return null;
}

const isInRace = ({ winner, runnerUp }: Decision, { batch }: MeasureJob): boolean =>
  winner < batch.candidates.length && (runnerUp === null || runnerUp < batch.candidates.length);

const submit = (job: MeasureJob, id: string, { queue, key }: Coordinator): Promise<void> =>
  queue.submit(queueOf(job.class), id, seal("job", job, key));

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

type Ended =
  /** Submit what is missing again. */
  | { readonly kind: "again" }
  /** Two workers died with it. */
  | { readonly kind: "lost"; readonly origin: Pick<ResultOrigin, "class"> }
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
    await queue.changed(queueOf(job.class), Math.min(lookMs, Math.max(1, leftMs())));
    const state: JobState = await queue.state(queueOf(job.class), id);
    switch (state.kind) {
      case "unknown":
        return { kind: "again" };
      case "waiting":
        return whileWaiting();
      case "active":
        return whileActive();
      case "failed":
        if (state.lost) return { kind: "lost", origin: job };
        throw new JobRefused(state.reason);
      case "done": {
        const end = unseal("end", state.text, decodeJobEnd, key);
        if (end.kind === "refused") throw new JobRefused(`the worker's answer is refused: ${end.reason}`);
        return end.body.why === "deadline" ? { kind: "late", reason: "its worker was too slow" } : { kind: "again" };
      }
    }
  };
}

/** Records the candidate that was marked last and has no result. Returns the job that goes on without it. */
async function blame(
  job: MeasureJob,
  id: string,
  coordinator: Coordinator,
  { class: of }: Pick<ResultOrigin, "class">,
) {
  const { queue, key } = coordinator;
  const marks = await queue.marks(id);
  await queue.withdraw(queueOf(of), id);
  const texts = await queue.read(marks);
  const guilty = marks.filter((_, at) => texts[at] === null);
  const from: ResultOrigin = { job: id, class: of, targetClass: "", toolchain: "", worker: "" };
  for (const name of guilty) {
    const measurement = { kind: "crashed", reason: killsItsWorker } as const;
    const result: CandidateResult = { from, name, baselineNs: null, measurement };
    await queue.createOnce(name, seal("result", result, key));
  }
  const isBaseline = (candidate: Candidate | null): boolean =>
    candidate !== null && guilty.includes(resultName(job, candidate));
  return isBaseline(job.baseline) ? { ...job, baseline: null } : job;
}
