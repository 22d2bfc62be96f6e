// A fleet's queue in memory, with workers in this process: the oracle of the protocol. A worker that dies leaves its job to another;
// a job whose workers died twice is lost, as with BullMQ's `maxStalledCount: 1`.

import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "../../../src/tuner/fleet/memory-store.ts";
import type { FleetQueue, JobState } from "../../../src/tuner/fleet/queue.ts";
import { type OpenJob, runJob } from "../../../src/tuner/fleet/run-job.ts";
import { type FleetKey, seal } from "../../../src/tuner/fleet/seal.ts";
import { classHash, queueOf, type Registration, type WorkerClass } from "../../../src/tuner/fleet/worker-class.ts";

export interface MemoryWorker {
  readonly id: string;
  readonly of: WorkerClass;
  readonly open: (die: () => void) => OpenJob;
  readonly key?: FleetKey;
}

export interface MemoryQueue extends FleetQueue {
  /** Starts a worker. One that dies is started again, as a service manager would. */
  serve(worker: MemoryWorker): { readonly stop: () => void; readonly kill: () => void };
  /** Number of submissions that made a job. */
  jobs(): number;
}

class Died extends Error {}

export function memoryQueue(): MemoryQueue {
  const store = memoryStore();
  const jobs = new Map<string, { queue: string; text: string; state: JobState; stalls: number }>();
  const workers = new Map<string, string>();
  let made = 0;

  /** Runs one job to its end, or to the worker's death. */
  async function runOne(worker: MemoryWorker, id: string, killed: Promise<never>, closing: AbortSignal): Promise<void> {
    const job = jobs.get(id)!;
    job.state = { kind: "active" };
    let reject: (error: unknown) => void = () => {};
    const death = new Promise<never>((_, no) => {
      reject = no;
    });
    const die = (): never => {
      reject(new Died());
      throw new Died();
    };
    const after = (ms: number, work: () => void) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    };
    const own = { key: worker.key ?? null, class: classHash(worker.of), worker: worker.id };
    const place = { ...own, store, closing, after, renew: async () => {} };
    try {
      const run = runJob(job.text, id, job.stalls + 1, { ...place, open: worker.open(die) });
      const outcome = await Promise.race([run, death, killed]);
      job.state =
        outcome.kind === "ended"
          ? { kind: "done", text: outcome.text }
          : { kind: "failed", reason: outcome.reason, lost: false };
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      job.stalls += 1;
      job.state = job.stalls > 1 ? { kind: "failed", reason: "stalled", lost: true } : { kind: "waiting" };
    }
  }

  return {
    ...store,
    jobs: () => made,
    workers: async () => [...workers.values()],
    async submit(queue, id, text) {
      if (jobs.has(id)) return;
      made += 1;
      jobs.set(id, { queue, text, state: { kind: "waiting" }, stalls: 0 });
    },
    state: async (_, id) => jobs.get(id)?.state ?? { kind: "unknown" },
    async withdraw(_, id) {
      if (jobs.get(id)?.state.kind !== "active") jobs.delete(id);
    },
    changed: (_, ms) => sleep(Math.min(ms, 2)),
    close: async () => undefined,
    serve(worker) {
      const registration: Registration = { kind: "worker", id: worker.id, cores: 2, of: worker.of };
      workers.set(worker.id, seal("worker", registration, worker.key ?? null));
      const closing = new AbortController();
      let kill: () => void = () => {};
      const queue = queueOf(classHash(worker.of), worker.key ?? null);
      const loop = async (): Promise<void> => {
        while (!closing.signal.aborted) {
          const killed = new Promise<never>((_, reject) => {
            kill = () => reject(new Died());
          });
          killed.catch(() => undefined);
          const next = [...jobs].find(([, job]) => job.queue === queue && job.state.kind === "waiting");
          if (next) await runOne(worker, next[0], killed, closing.signal);
          else await sleep(1);
        }
        workers.delete(worker.id);
      };
      void loop();
      return { stop: () => closing.abort(), kill: () => kill() };
    },
  };
}
