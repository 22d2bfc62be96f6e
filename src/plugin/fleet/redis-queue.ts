// The queue of a fleet on Redis: jobs by BullMQ, results and registrations as keys beside them. Results are created once, and
// expire: who asked for them has records.

import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { sleepMs } from "../../native/machine/clock.ts";
import { printable } from "../../tuner/fleet/printable.ts";
import type { FleetQueue, FleetStore, JobState } from "../../tuner/fleet/queue.ts";
import { connectCoordinator, fleetPackages, withPatience } from "./redis-connection.ts";

/** Prefix of all keys. */
export const keyPrefix = "unplugin-kernel";

/** Seconds that results and marks are kept. */
const keptSeconds = 86_400;
/** Milliseconds that a registration holds, and after which a worker repeats it. */
export const registrationMs = 15_000;
export const heartbeatMs = 4_000;
/** Milliseconds between two looks at a job: shorter ones cost the server more than they bring. */
const leastLookMs = 10;

const resultKey = (name: string): string => `${keyPrefix}:result:${name}`;
const marksKey = (job: string): string => `${keyPrefix}:marks:${job}`;
const workerKey = (id: string): string => `${keyPrefix}:worker:${id}`;

/** BullMQ's reason for a job whose workers died more often than they may. */
const stalledReason = /stalled more than/;

/** @param signal ends the patience with a server that is out of reach */
export function redisStore(client: Redis, patienceMs: number, signal?: AbortSignal): FleetStore {
  const run = <T>(command: () => Promise<T>): Promise<T> => withPatience(patienceMs, command, signal);
  return {
    createOnce: (name, text) =>
      run(async () => (await client.set(resultKey(name), text, "EX", keptSeconds, "NX")) === "OK"),
    read: (names) => (names.length === 0 ? Promise.resolve([]) : run(() => client.mget(names.map(resultKey)))),
    mark: (job, text) =>
      run(async () => {
        await client.sadd(marksKey(job), text);
        await client.expire(marksKey(job), keptSeconds);
      }),
    marks: (job) => run(() => client.smembers(marksKey(job))),
  };
}

export const register = (client: Redis, id: string, text: string): Promise<unknown> =>
  client.set(workerKey(id), text, "PX", registrationMs);

export const unregister = (client: Redis, id: string): Promise<unknown> => client.del(workerKey(id));

export interface RedisQueueOptions {
  readonly url: string;
  /** Milliseconds that a server which went away is waited for; default: 10,000. */
  readonly patienceMs?: number;
}

/** Opens the coordinator's side. Rejects with a `QueueLost` within some seconds where there is no server. */
export async function openRedisQueue({ url, patienceMs = 10_000 }: RedisQueueOptions): Promise<FleetQueue> {
  const client = await connectCoordinator(url);
  const { bullmq } = await fleetPackages();
  const run = <T>(command: () => Promise<T>): Promise<T> => withPatience(patienceMs, command);
  const queues = new Map<string, Queue>();

  function queueCalled(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const queue = new bullmq.Queue(name, { connection: client, prefix: keyPrefix });
    queue.on("error", () => undefined);
    queues.set(name, queue);
    return queue;
  }

  return {
    ...redisStore(client, patienceMs),
    workers: () =>
      run(async () => {
        const keys: string[] = [];
        for (let cursor = "0"; ; ) {
          const [next, found] = await client.scan(cursor, "MATCH", workerKey("*"), "COUNT", 200);
          keys.push(...found);
          cursor = next;
          if (cursor === "0") break;
        }
        const texts = keys.length === 0 ? [] : await client.mget(keys);
        return texts.filter((text) => text !== null);
      }),
    submit: (name, id, text) =>
      run(async () => {
        const kept = { age: keptSeconds, count: 10_000 };
        await queueCalled(name).add("measure", { text }, { jobId: id, removeOnComplete: kept, removeOnFail: kept });
      }),
    state: (name, id) => run(() => stateOf(queueCalled(name), id)),
    withdraw: (name, id) =>
      run(async () => {
        await client.del(marksKey(id));
        // A job that a worker has is locked, and stays.
        await queueCalled(name)
          .remove(id)
          .catch(() => 0);
      }),
    changed: (_, ms) => sleepMs(Math.max(leastLookMs, ms)),
    async close() {
      for (const queue of queues.values()) await queue.close().catch(() => undefined);
      client.disconnect();
    },
  };
}

async function stateOf(queue: Queue, id: string): Promise<JobState> {
  const job = await queue.getJob(id);
  if (!job) return { kind: "unknown" };
  if (job.finishedOn === undefined) return { kind: job.processedOn === undefined ? "waiting" : "active" };
  if (!job.failedReason) return { kind: "done", text: job.returnvalue };
  return { kind: "failed", reason: printable(job.failedReason), lost: stalledReason.test(job.failedReason) };
}
