// The loop of a worker: it registers its class, takes one job after the other from the class's queue, and says what it did. BullMQ
// renews the job's lock meanwhile; candidates run in child processes, so that its timers are never late.

import type { Job } from "bullmq";
import { afterMs, isLate, nowMs, within } from "../../native/machine/clock.ts";
import { printable } from "../../tuner/fleet/printable.ts";
import { type OpenJob, runJob } from "../../tuner/fleet/run-job.ts";
import { type FleetKey, seal } from "../../tuner/fleet/seal.ts";
import { classHash, queueOf, type Registration, type WorkerClass } from "../../tuner/fleet/worker-class.ts";
import { connectWorker, fleetPackages, withPatience } from "./redis-connection.ts";
import { heartbeatMs, keyPrefix, redisStore, register, unregister } from "./redis-queue.ts";

export interface FleetWorkerOptions {
  readonly url: string;
  readonly key: FleetKey;
  /** Name of the worker, one of its own on the server. */
  readonly id: string;
  readonly cores: number;
  readonly of: WorkerClass;
  readonly open: OpenJob;
  /** Aborting ends the job, whose results so far count, and closes the worker. */
  readonly signal: AbortSignal;
  readonly onJob?: (line: string) => void;
  /** Told where the worker ends without its server, or without its last job. */
  readonly onLate?: (line: string) => void;
  /** Milliseconds after which a worker that gives no sign of life has lost its job; default: 30,000. */
  readonly lockMs?: number;
}

/** Longest that the worker waits for a server that went away in the middle of a job, in milliseconds. */
const patienceMs = 60_000;

/**
 * Longest that a worker which is told to end waits for its job and its server, in milliseconds. BullMQ would wait for ever for
 * the end of a connection that is being made again.
 */
const endMs = 10_000;
/** Longest of these for taking its registration back, which expires by itself. */
const unregisterMs = 1_000;

/** Runs until the signal is aborted. */
export async function runWorker(options: FleetWorkerOptions): Promise<void> {
  const { url, key, id, cores, of, open, signal, onJob, onLate, lockMs = 30_000 } = options;
  const { bullmq } = await fleetPackages();
  const client = await connectWorker(url);
  const hash = classHash(of);
  const registration: Registration = { kind: "worker", id, cores, of };
  const beat = (): void => void register(client, id, seal("worker", registration, key)).catch(() => undefined);
  const place = { store: redisStore(client, patienceMs, signal), key, class: hash, worker: id, open };
  /** Ends the job that this worker has: another one was given it. */
  let lost: () => void = () => {};

  async function process(taken: Job, token = ""): Promise<string> {
    const { data, id: job = "", stalledCounter, attemptsStarted } = taken;
    const startMs = nowMs();
    const attempt = Math.max(stalledCounter + 1, attemptsStarted);
    const closing = new AbortController();
    const close = (): void => closing.abort();
    signal.addEventListener("abort", close, { once: true });
    // A worker that is told to end may just have been given a job.
    if (signal.aborted) close();
    lost = close;
    const renew = async (): Promise<void> => {
      const renewed = await withPatience(patienceMs, () => taken.extendLock(token, lockMs), signal);
      if (renewed !== 1) close();
    };
    const here = { ...place, closing: closing.signal, after: afterMs, renew };
    const outcome = await runJob((data as { text?: unknown })?.text, job, attempt, here);
    signal.removeEventListener("abort", close);
    const took = `${((nowMs() - startMs) / 1000).toFixed(1)} s`;
    if (outcome.kind === "refused") {
      onJob?.(printable(`job ${job.slice(0, 12)} is refused: ${outcome.reason}`));
      throw new bullmq.UnrecoverableError(outcome.reason);
    }
    // Its id is that of its content: a digest.
    onJob?.(`job ${job.slice(0, 12)}${attempt > 1 ? `, attempt ${attempt}` : ""}: ${took}`);
    return outcome.text;
  }

  const worker = new bullmq.Worker(queueOf(hash, key), process, {
    connection: client,
    prefix: keyPrefix,
    concurrency: 1,
    lockDuration: lockMs,
    stalledInterval: Math.ceil(lockMs / 2),
    maxStalledCount: 1,
    drainDelay: 2,
  });
  worker.on("error", () => undefined);
  worker.on("lockRenewalFailed", () => lost());
  beat();
  const stopBeating = every(heartbeatMs, beat);
  await aborted(signal);
  stopBeating();
  await within(
    unregisterMs,
    unregister(client, id).catch(() => undefined),
  );
  const ended = await within(endMs, worker.close());
  // Commands that still wait for an answer fail then, and a job that waits for one of them ends.
  client.disconnect();
  if (ended === isLate)
    onLate?.(`the queue was not closed within ${endMs / 1000} s: its server is away, or its job goes on`);
}

function every(ms: number, work: () => void): () => void {
  let callOff = afterMs(ms, again);
  function again(): void {
    work();
    callOff = afterMs(ms, again);
  }
  return () => callOff();
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
