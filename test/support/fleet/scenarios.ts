// What happens to a fleet while it measures: workers and servers die, stop and come back. Each scenario runs real worker processes on
// a real Redis and counts what became of the candidates. `npm run test:fleet` runs them with many, the suite with few.

import { setTimeout as sleep } from "node:timers/promises";
import { openRedisQueue } from "../../../src/plugin/fleet/redis-queue.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { resultName } from "../../../src/tuner/fleet/job.ts";
import type { FleetQueue } from "../../../src/tuner/fleet/queue.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";
import { measuredNs, reasonOf, runAll } from "./run-all.ts";
import { candidate, fakeClass, jobOf } from "./simulated.ts";
import { type WorkerProcesses, workerProcesses } from "./worker-processes.ts";

export interface Scenario {
  readonly name: string;
  /** Whether the server has an append-only file. */
  readonly keeps: boolean;
  readonly workers: number;
  /** Candidates that kill their worker: one in this many; 0: none. */
  readonly killsOneIn?: number;
  /** Called once, when a fifth of the candidates has an outcome. */
  readonly midway?: (place: Place) => Promise<void>;
  /** Called each time that another tenth of the candidates, or 20, has its outcome: a slow machine is not disturbed more often. */
  readonly often?: (place: Place, turn: number) => void;
}

interface Place {
  readonly redis: RedisServer;
  readonly workers: WorkerProcesses;
}

export interface ScenarioResult {
  readonly candidates: number;
  /** Candidates with a measurement. */
  readonly measured: number;
  /** Reasons of the others, with their numbers. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Candidates that were measured to their end more than once. */
  readonly twice: number;
  /** Measurements that began when the coordinator had the candidate's outcome. */
  readonly needless: number;
  readonly deaths: number;
  readonly wallMs: number;
  /** Milliseconds of all measurements together. */
  readonly simulatedMs: number;
}

/** Milliseconds within which a worker begins what it has seen to be without a result; a busy machine takes some of them. */
const lookedMs = 100;

/**
 * Most candidates that may be measured twice. Each worker that dies, and each that loses its queue or is given another's job, can have measured one
 * whose result nobody has: measuring is at least once, as a result cannot be made and kept in one step. A server that comes back empty has
 * also lost the results that the coordinator had not read yet; only that nothing is measured again which it had is sure then.
 */
export const mostTwice = ({ name, workers }: Scenario, deaths: number): number =>
  name.endsWith("comes back empty") ? Number.POSITIVE_INFINITY : deaths + workers;

const workerIds = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `worker-${at}`);

export const scenarios: readonly Scenario[] = [
  { name: "nothing happens", keeps: false, workers: 3 },
  {
    name: "workers are killed",
    keeps: false,
    workers: 3,
    often: ({ workers }, turn) => workers.signal(`worker-${turn % 3}`, "SIGKILL"),
  },
  { name: "candidates kill their workers", keeps: false, workers: 3, killsOneIn: 100 },
  {
    name: "a worker is stopped for ever",
    keeps: false,
    workers: 3,
    midway: async ({ workers }) => workers.signal("worker-0", "SIGSTOP"),
  },
  {
    name: "Redis is killed and comes back with its data",
    keeps: true,
    workers: 3,
    async midway({ redis }) {
      await redis.kill();
      await sleep(500);
      await redis.start();
    },
  },
  {
    name: "Redis is killed and comes back empty",
    keeps: false,
    workers: 3,
    async midway({ redis }) {
      await redis.kill();
      await sleep(500);
      await redis.start();
    },
  },
];

export interface RunOptions {
  readonly script: string;
  readonly candidates: number;
  /** Milliseconds that measuring one takes. */
  readonly ms: number;
  readonly lockMs?: number;
}

const label = "scenario";

export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const { script, ms, lockMs = 1_000 } = options;
  const redis = await startRedis(scenario.keeps);
  const workers = workerProcesses(script, redis.url, lockMs);
  const queue = await openRedisQueue({ url: redis.url, patienceMs: 20_000 });
  try {
    for (const id of workerIds(scenario.workers)) workers.start(id, label);
    await registered(queue, scenario.workers);
    const { killsOneIn = 0 } = scenario;
    const kills = (n: number): boolean => killsOneIn > 0 && n % killsOneIn === killsOneIn - 1;
    const candidates = Array.from({ length: options.candidates }, (_, n) => candidate(n, { ms, kills: kills(n) }));
    return await measure(scenario, candidates, { redis, workers }, queue);
  } finally {
    await workers.stop();
    await queue.close();
    await redis.stop();
  }
}

async function registered(queue: FleetQueue, count: number): Promise<void> {
  while ((await queue.workers()).length < count) await sleep(20);
}

async function measure(
  { workers: count, midway, often }: Scenario,
  candidates: readonly Candidate[],
  place: Place,
  queue: FleetQueue,
): Promise<ScenarioResult> {
  const of = fakeClass(label);
  let disturbance: Promise<void> = Promise.resolve();
  const startMs = performance.now();
  const knownMs = new Map<string, number>();
  const outcomes = await runAll(queue, {
    candidates,
    of,
    atOnce: count,
    onOutcome(done, outcome) {
      if (outcome.kind === "result") knownMs.set(outcome.result.name, Date.now());
      if (midway && done === Math.ceil(candidates.length / 5)) disturbance = midway(place);
      const part = Math.max(20, Math.ceil(candidates.length / 10));
      if (done % part === 0 && done < candidates.length) often?.(place, done / part);
    },
  });
  const wallMs = performance.now() - startMs;
  await disturbance;
  const lines = place.workers.measured();
  const counts = new Map<string, number>();
  for (const { name } of lines) counts.set(name, (counts.get(name) ?? 0) + 1);
  const reasons: Record<string, number> = {};
  for (const [at, each] of candidates.entries()) {
    const ns = measuredNs(outcomes[at]);
    const isRight = ns === 1000 + each.assignment.n! && counts.has(resultName(jobOf(of, []), each));
    if (isRight) continue;
    const reason = ns === null ? (reasonOf(outcomes[at]) ?? "no reason") : "its time is not its own";
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return {
    candidates: candidates.length,
    measured: outcomes.filter((outcome) => measuredNs(outcome) !== null).length,
    reasons,
    needless: lines.filter(
      ({ name, ms, endMs }) => endMs - ms > (knownMs.get(name) ?? Number.POSITIVE_INFINITY) + lookedMs,
    ).length,
    twice: [...counts.values()].filter((times) => times > 1).length,
    deaths: place.workers.deaths(),
    wallMs,
    simulatedMs: lines.reduce((sum, line) => sum + line.ms, 0),
  };
}
