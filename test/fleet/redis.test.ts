// A fleet on Debian's Redis, with worker processes whose measuring is simulated: the scenarios with few candidates, and what Redis holds
// that was tampered with. `npm run test:fleet` runs the scenarios with a thousand.

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFleet } from "../../src/plugin/fleet/open-fleet.ts";
import { openRedisQueue } from "../../src/plugin/fleet/redis-queue.ts";
import { jobId } from "../../src/tuner/fleet/job.ts";
import { type FleetQueue, QueueLost } from "../../src/tuner/fleet/queue.ts";
import { seal } from "../../src/tuner/fleet/seal.ts";
import { measureOnFleet } from "../../src/tuner/fleet/submit.ts";
import { classHash, queueOf } from "../../src/tuner/fleet/worker-class.ts";
import { type RedisServer, startRedis } from "../support/fleet/redis-server.ts";
import { coordinatorOf, measuredNs, reasonOf, runAll } from "../support/fleet/run-all.ts";
import { mostTwice, runScenario, scenarios } from "../support/fleet/scenarios.ts";
import { candidate, fakeClass, jobOf } from "../support/fleet/simulated.ts";
import { type WorkerProcesses, workerProcesses, workerScript } from "../support/fleet/worker-processes.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(4);

const hasRedis = existsSync("/usr/bin/redis-server");
/** The scenarios that the suite has time for. */
const inSuite = /killed|kill their/;
const some = (count: number, ms = 2) => Array.from({ length: count }, (_, n) => candidate(n, { ms }));

describe.skipIf(!hasRedis)("on Redis", () => {
  let script: string;
  beforeAll(async () => {
    script = await workerScript("suite");
  });

  turn.each(scenarios.filter(({ name }) => inSuite.test(name)).map((scenario) => [scenario.name, scenario] as const))(
    "%s: each candidate has its outcome",
    async (_, scenario) => {
      const result = await runScenario(
        { ...scenario, ...(scenario.killsOneIn && { killsOneIn: 50 }) },
        { script, candidates: 60, ms: 10 },
      );
      const killed = scenario.killsOneIn ? 1 : 0;
      expect(result.reasons).toEqual(killed > 0 ? { "it kills its worker": killed } : {});
      expect(result.measured).toBe(60 - killed);
      expect(result.twice).toBeLessThanOrEqual(mostTwice(scenario, result.deaths));
      expect(result.needless).toBe(0);
    },
  );

  describe("one server", () => {
    let redis: RedisServer;
    let workers: WorkerProcesses;
    let queue: FleetQueue;
    beforeAll(async () => {
      redis = await startRedis(false);
      workers = workerProcesses(script, redis.url, 1_000);
      workers.start("a-1", "a");
      workers.start("b-1", "b");
      workers.start("k-1", "k", "secret");
      queue = await openRedisQueue({ url: redis.url, patienceMs: 1_000 });
      while ((await queue.workers()).length < 3) await sleep(20);
    });
    afterAll(async () => {
      await workers.stop();
      await queue.close();
      await redis.stop();
    });

    test("each class takes the jobs of its own queue alone", async () => {
      for (const label of ["a", "b"]) {
        const before = workers.measured().length;
        await runAll(queue, { candidates: some(6), of: fakeClass(label), atOnce: 1, size: 6 });
        const own = workers.measured().slice(before);
        expect(own.map(({ worker }) => worker)).toEqual(Array.from({ length: 6 }, () => `${label}-1`));
      }
    });

    test("the classes of the workers that are registered are found; those signed with another key are not", async () => {
      const lines: string[] = [];
      const open = () => openRedisQueue({ url: redis.url });
      const fleet = await openFleet({ open, key: null, warn: (line) => lines.push(line) });
      expect(fleet?.classes.map(({ of, workers: count }) => [of.label, count]).sort()).toEqual([
        ["a", 1],
        ["b", 1],
      ]);
      await fleet?.close();
      const signed = await openFleet({ open, key: "secret", warn: (line) => lines.push(line) });
      expect(signed?.classes.map(({ of }) => of.label)).toEqual(["k"]);
      await signed?.close();
      expect(await openFleet({ open, key: "another", warn: (line) => lines.push(line) })).toBeNull();
      expect(lines).toEqual([
        expect.stringMatching(
          /^no worker of the fleet can be used: it is (not signed|signed with another key); this machine measures itself$/,
        ),
      ]);
    });

    test("a worker with a key measures what is signed with it, and refuses the rest", async () => {
      const of = fakeClass("k");
      const outcomes = await runAll(queue, { candidates: some(3), of, atOnce: 1, key: "secret" });
      expect(outcomes.map(measuredNs)).toEqual([1000, 1001, 1002]);
      const job = jobOf(of, some(4));
      const name = queueOf(classHash(of), "secret");
      await queue.submit(name, jobId(job), seal("job", job, null));
      while ((await queue.state(name, jobId(job))).kind !== "failed") await sleep(20);
      expect(await queue.state(name, jobId(job))).toMatchObject({ reason: "it is not signed", lost: false });
    });

    turn("a job that was changed in Redis is refused", async () => {
      const job = jobOf(fakeClass("c"), some(2));
      const text = seal("job", job, null).replace('"ms":2', '"ms":3');
      await queue.submit(queueOf(classHash(fakeClass("c")), null), jobId(job), text);
      workers.start("c-1", "c");
      const outcomes = async () => {
        for await (const outcome of measureOnFleet(job, coordinatorOf(queue), () => 30_000)) return outcome;
        return null;
      };
      await expect(outcomes()).rejects.toThrow("it was changed after it was written");
    });

    test("a reason that somebody wrote into Redis reaches no terminal as it is", async () => {
      const client = new Redis(redis.url);
      const job = jobOf(fakeClass("e"), some(1));
      const name = queueOf(classHash(fakeClass("e")), null);
      await queue.submit(name, jobId(job), seal("job", job, null));
      const forged = { failedReason: `\u001b[2J\n${"x".repeat(1e5)}`, finishedOn: "1" };
      await client.hset(`unplugin-kernel:${name}:${jobId(job)}`, forged);
      client.disconnect();
      expect(await queue.state(name, jobId(job))).toEqual({
        kind: "failed",
        reason: `?[2J?${"x".repeat(495)}`,
        lost: false,
      });
    });

    test("a worker in the wrong queue refuses its jobs", async () => {
      const job = jobOf(fakeClass("a"), some(5));
      // The job of class a, put into the queue of class b.
      await queue.submit(queueOf(classHash(fakeClass("b")), null), jobId(job), seal("job", job, null));
      const state = () => queue.state(queueOf(classHash(fakeClass("b")), null), jobId(job));
      while ((await state()).kind !== "failed") await sleep(20);
      expect(await state()).toEqual({ kind: "failed", reason: "it is for another class of machines", lost: false });
    });

    test("a result that is planted first is refused if it is of another class", async () => {
      const client = new Redis(redis.url);
      const job = jobOf(fakeClass("a"), [candidate(77)]);
      const { resultName } = await import("../../src/tuner/fleet/job.ts");
      const name = resultName(job, candidate(77));
      const from = {
        job: jobId(job),
        class: classHash(fakeClass("b")),
        targetClass: "t",
        toolchain: "wasm",
        worker: "b-1",
      };
      const measurement = { kind: "ok", timing: { medianNs: 1, minNs: 1, p20Ns: 1, repeats: 1 } };
      await client.set(
        `unplugin-kernel:result:${name}`,
        seal("result", { from, name, baselineNs: null, measurement }, null),
      );
      client.disconnect();
      const [outcome] = await runAll(queue, { candidates: [candidate(77)], of: fakeClass("a"), atOnce: 1 });
      expect(reasonOf(outcome)).toMatch(/^its result is refused: it is of another class/);
    });
  });

  test("a Redis that is not there is said within seconds, and one that goes away after the patience", async () => {
    const redis = await startRedis(false);
    const lines: string[] = [];
    const queue = await openRedisQueue({ url: redis.url, patienceMs: 600 });
    await redis.kill();
    await expect(queue.workers()).rejects.toThrow(QueueLost);
    await queue.close();
    const open = () => openRedisQueue({ url: redis.url });
    expect(await openFleet({ open, key: null, warn: (line) => lines.push(line) })).toBeNull();
    expect(lines).toEqual([
      expect.stringMatching(/^the fleet cannot be reached: .*ECONNREFUSED.*; this machine measures itself$/),
    ]);
    await redis.stop();
  });
});
