// The protocol of a fleet on a queue in memory: who measures what, what becomes of candidates whose workers die, and which texts are
// refused.

import { afterEach, describe, expect, test } from "vitest";
import { jobId, resultName } from "../../../src/tuner/fleet/job.ts";
import { runJob } from "../../../src/tuner/fleet/run-job.ts";
import { seal } from "../../../src/tuner/fleet/seal.ts";
import { JobRefused, measureOnFleet, raceOnFleet } from "../../../src/tuner/fleet/submit.ts";
import { classHash, queueOf } from "../../../src/tuner/fleet/worker-class.ts";
import { type MemoryQueue, memoryQueue } from "../../support/fleet/memory-queue.ts";
import { coordinatorOf, measuredNs, reasonOf, runAll } from "../../support/fleet/run-all.ts";
import { candidate, fakeClass, jobOf, simulatedOpener } from "../../support/fleet/simulated.ts";

const of = fakeClass("a");
const forever = () => 60_000;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Starts a worker and returns the numbers of the candidates that it measured. */
function serve(queue: MemoryQueue, id: string, given: { label?: string; scale?: number; key?: string } = {}) {
  const measured: number[] = [];
  const { label = "a", scale = 1, key = null } = given;
  const { stop, kill } = queue.serve({
    id,
    of: fakeClass(label),
    key,
    open: (die) => simulatedOpener({ die, scale, onMeasured: ({ assignment }) => measured.push(assignment.n!) }),
  });
  stops.push(stop);
  return { measured, stop, kill };
}

const some = (count: number, ms = 0) => Array.from({ length: count }, (_, n) => candidate(n, { ms }));

test("each candidate is measured once, by one of two workers, and the outcomes keep their order", async () => {
  const queue = memoryQueue();
  const [one, two] = [serve(queue, "one"), serve(queue, "two")];
  const outcomes = await runAll(queue, { candidates: some(100, 1), of, atOnce: 3, size: 10 });
  expect(outcomes.map(measuredNs)).toEqual(some(100).map((_, n) => 1000 + n));
  expect([...one.measured, ...two.measured].sort((a, b) => a - b)).toEqual(some(100).map((_, n) => n));
  expect(Math.min(one.measured.length, two.measured.length)).toBeGreaterThan(0);
});

test("a batch that is submitted twice, at the same time and later, is one job", async () => {
  const queue = memoryQueue();
  const { measured } = serve(queue, "one");
  const twice = { candidates: some(8, 1), of, atOnce: 1, size: 8 };
  await Promise.all([runAll(queue, twice), runAll(queue, twice)]);
  await runAll(queue, twice);
  expect([queue.jobs(), measured.length]).toEqual([1, 8]);
});

test("a job's id is that of its content: what is measured counts, the deadline does not", () => {
  const job = jobOf(of, some(2));
  expect(jobId({ ...job, deadlineMs: 1 })).toBe(jobId(job));
  expect(jobId(jobOf(of, some(3)))).not.toBe(jobId(job));
  expect(jobId(jobOf(fakeClass("b"), some(2)))).not.toBe(jobId(job));
  expect(jobId({ ...job, kind: "race" })).not.toBe(jobId(job));
});

test("a worker that is killed loses the candidate that it was at: another goes on where it stopped", async () => {
  const queue = memoryQueue();
  const one = serve(queue, "one");
  const outcomes = await runAll(queue, {
    candidates: some(12, 5),
    of,
    atOnce: 1,
    size: 12,
    onOutcome: (count) => count === 4 && one.kill(),
  });
  expect(outcomes.map(measuredNs)).not.toContain(null);
});

test("a candidate that kills its worker is recorded after two deaths, and the others are measured", async () => {
  const queue = memoryQueue();
  serve(queue, "one");
  const candidates = some(9).map((each, n) => (n === 4 ? candidate(n, { kills: true }) : each));
  const outcomes = await runAll(queue, { candidates, of, atOnce: 1, size: 9 });
  expect(outcomes.map(reasonOf)).toEqual(candidates.map((_, n) => (n === 4 ? "it kills its worker" : null)));
  const again = await runAll(queue, { candidates: [candidates[4]!], of, atOnce: 1 });
  expect(again.map(reasonOf)).toEqual(["it kills its worker"]);
});

test("a candidate that was measured when two workers were killed from outside is measured by a third", async () => {
  const queue = memoryQueue();
  const one = serve(queue, "one");
  let kills = 0;
  const outcomes = await runAll(queue, {
    candidates: some(12, 15),
    of,
    atOnce: 1,
    size: 12,
    onOutcome(count) {
      if (count !== 3 && count !== 6) return;
      kills += 1;
      one.kill();
    },
  });
  expect([kills, outcomes.map(reasonOf)]).toEqual([2, some(12).map(() => null)]);
});

test("a worker whose job was given to another ends with the candidate that it is at, and nothing is measured again", async () => {
  const job = jobOf(of, some(6));
  const store = memoryQueue();
  const closing = new AbortController();
  const measured: number[] = [];
  const onMeasured = ({ assignment }: { readonly assignment: Readonly<Record<string, number>> }) =>
    void measured.push(assignment.n!);
  const place = {
    ...{ store, key: null, class: classHash(of), closing: closing.signal, after: () => () => {} },
    open: simulatedOpener({ die: () => {}, onMeasured }),
  };
  const first = { ...place, worker: "one", renew: async () => void (measured.length === 3 && closing.abort()) };
  const end = await runJob(seal("job", job, null), jobId(job), 1, first);
  expect([end.kind === "ended" && JSON.parse(end.text).body.why, measured]).toEqual(["closing", [0, 1, 2]]);
  // The other has begun the job when the first ends its last candidate.
  const late = resultName(job, candidate(4, { ms: 0 }));
  const from = { job: jobId(job), class: classHash(of), targetClass: "t", toolchain: "wasm", worker: "one" };
  const timing = { medianNs: 1, minNs: 1, p20Ns: 1, repeats: 1 };
  const text = seal("result", { from, name: late, baselineNs: null, measurement: { kind: "ok", timing } }, null);
  const renew = async () => void (await store.createOnce(late, text));
  const second = { ...place, worker: "two", closing: new AbortController().signal, renew };
  expect(await runJob(seal("job", job, null), jobId(job), 2, second)).toMatchObject({ kind: "ended" });
  expect(measured).toEqual([0, 1, 2, 3, 5]);
});

test("a baseline that kills its worker is left out, and the candidates are measured without", async () => {
  const queue = memoryQueue();
  serve(queue, "one");
  const job = jobOf(of, some(3), { baseline: candidate(99, { kills: true }) });
  const outcomes = [];
  for await (const outcome of measureOnFleet(job, coordinatorOf(queue), forever)) outcomes.push(outcome);
  expect(outcomes.map(measuredNs)).toEqual([1000, 1001, 1002]);
});

test("a result carries the baseline's time of its own worker", async () => {
  const queue = memoryQueue();
  serve(queue, "slow", { scale: 3 });
  const job = jobOf(of, some(2), { baseline: candidate(0) });
  const ratios = [];
  for await (const outcome of measureOnFleet(job, coordinatorOf(queue), forever))
    ratios.push(measuredNs(outcome)! / (outcome.kind === "result" ? outcome.result.baselineNs! : 0));
  expect(ratios).toEqual([1, 1.001]);
});

test("a job that is over its deadline leaves out what was not measured, and says why", async () => {
  const queue = memoryQueue();
  serve(queue, "one");
  const candidates = [candidate(0, { ms: 0 }), candidate(1, { ms: 30_000 }), candidate(2, { ms: 0 })];
  const outcomes = await runAll(queue, { candidates, of, atOnce: 1, deadlineMs: 150 });
  expect(outcomes.map(reasonOf)).toEqual([null, "its worker was too slow", "its worker was too slow"]);
});

test("the time that is left ends a wait for a worker", async () => {
  const endMs = performance.now() + 50;
  const outcomes = [];
  const left = () => endMs - performance.now();
  for await (const outcome of measureOnFleet(jobOf(of, some(2)), coordinatorOf(memoryQueue()), left))
    outcomes.push(outcome);
  expect(outcomes.map(reasonOf)).toEqual(["the time was over before it", "the time was over before it"]);
});

test("a race is run by one worker, once", async () => {
  const queue = memoryQueue();
  const { measured } = serve(queue, "one");
  const race = jobOf(of, [candidate(5), candidate(2), candidate(7)], { kind: "race" });
  const first = await raceOnFleet(race, coordinatorOf(queue), forever);
  expect([first?.winner, first?.timing?.medianNs, measured]).toEqual([1, 1002, [5, 2, 7]]);
  expect(await raceOnFleet(race, coordinatorOf(queue), forever)).toEqual(first);
  expect(measured).toHaveLength(3);
});

test("a worker that ends brings back what it has, and another measures the rest", async () => {
  const queue = memoryQueue();
  const one = serve(queue, "one");
  const outcomes = await runAll(queue, {
    candidates: some(20, 5),
    of,
    atOnce: 1,
    size: 20,
    onOutcome(count) {
      if (count !== 3) return;
      one.stop();
      serve(queue, "two");
    },
  });
  expect(outcomes.map(measuredNs)).not.toContain(null);
  expect(one.measured.length).toBeLessThan(20);
});

describe("a worker refuses", () => {
  const job = jobOf(of, some(2));
  const place = {
    store: memoryQueue(),
    key: null as string | null,
    class: classHash(of),
    worker: "one",
    open: simulatedOpener({ die: () => {} }),
    closing: new AbortController().signal,
    after: () => () => {},
    renew: async () => {},
  };
  const outcomeOf = (text: unknown, id = jobId(job), given = {}) => runJob(text, id, 1, { ...place, ...given });
  const altered = (alter: (body: Record<string, unknown>) => void): string => {
    const body = structuredClone(job) as unknown as Record<string, unknown>;
    alter(body);
    return seal("job", body, null);
  };

  test.each<[string, () => unknown, string | RegExp]>([
    ["what is no text", () => ({ text: "…" }), "it is no text, or too long a one"],
    ["what is no JSON", () => "{", "it is no JSON, or only a part of it"],
    [
      "a body that was changed",
      () => seal("job", job, null).replace('"ms":0', '"ms":1'),
      "it was changed after it was written",
    ],
    ["a field too many", () => altered((body) => Object.assign(body, { shell: "rm" })), /^body\.shell must be absent/],
    [
      "a path out of the project",
      () => altered((body) => Object.assign(body.operator as object, { file: "../x.op.ts" })),
      /^body\.operator\.file must be a path below/,
    ],
    [
      "an absolute path",
      () => altered((body) => Object.assign(body.operator as object, { file: "/etc/x.op.ts" })),
      /^body\.operator\.file must be/,
    ],
    [
      "a path with a step up inside",
      () => altered((body) => Object.assign(body.operator as object, { file: "a/../../x.op.ts" })),
      /^body\.operator\.file must be/,
    ],
    [
      "another version of the protocol",
      () => altered((body) => Object.assign(body, { protocol: 1 })),
      /^body\.protocol must be 3/,
    ],
    ["a result in place of a job", () => seal("result", job, "k"), "it is signed with another key"],
  ])("%s", async (_, text, reason) => {
    const given = typeof reason === "string" && reason.includes("key") ? { key: "k" } : {};
    const outcome = await outcomeOf(text(), jobId(job), given);
    expect(outcome).toEqual({
      kind: "refused",
      reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
    });
  });

  test("a job under an id that is not its content's, and one of another class", async () => {
    expect(await outcomeOf(seal("job", job, null), "b".repeat(64))).toMatchObject({
      reason: "its id is not that of its content",
    });
    const other = jobOf(fakeClass("b"), some(2));
    const outcome = await outcomeOf(seal("job", other, null), jobId(other));
    expect(outcome).toMatchObject({ reason: "it is for another class of machines" });
  });

  test("with a key, a job that is not signed, or with another key; one that is signed is run", async () => {
    const signed = { key: "secret" };
    expect(await outcomeOf(seal("job", job, null), jobId(job), signed)).toMatchObject({ reason: "it is not signed" });
    const foreign = await outcomeOf(seal("job", job, "other"), jobId(job), signed);
    expect(foreign).toMatchObject({ reason: "it is signed with another key" });
    expect(await outcomeOf(seal("job", job, "secret"), jobId(job), signed)).toMatchObject({ kind: "ended" });
  });
});

describe("a coordinator refuses", () => {
  const outcomesOf = async (queue: MemoryQueue, key: string | null = null) => {
    const outcomes = [];
    for await (const outcome of measureOnFleet(jobOf(of, some(1)), coordinatorOf(queue, key), forever))
      outcomes.push(outcome);
    return outcomes.map(reasonOf);
  };
  const planted = (given: { class?: string; name?: string }, key: string | null = null) => {
    const job = jobOf(of, some(1));
    const name = resultName(job, candidate(0, { ms: 0 }));
    const from = { job: jobId(job), class: classHash(of), targetClass: "t", toolchain: "wasm", worker: "w", ...given };
    const timing = { medianNs: 1, minNs: 1, p20Ns: 1, repeats: 1 };
    const { name: named = name, ...origin } = { ...from, name: given.name ?? name };
    return {
      name,
      text: seal("result", { from: origin, name: named, baselineNs: null, measurement: { kind: "ok", timing } }, key),
    };
  };

  test("a result of another class, and one that was made for another candidate", async () => {
    for (const given of [{ class: classHash(fakeClass("b")) }, { name: "c".repeat(64) }]) {
      const queue = memoryQueue();
      const { name, text } = planted(given);
      await queue.createOnce(name, text);
      expect(await outcomesOf(queue)).toEqual([
        "its result is refused: it is of another class of machines, or another candidate",
      ]);
    }
  });

  test("with a key, a result that is not signed", async () => {
    const queue = memoryQueue();
    const { name, text } = planted({});
    await queue.createOnce(name, text);
    expect(await outcomesOf(queue, "secret")).toEqual(["its result is refused: it is not signed"]);
  });

  test("to go on where a worker refuses the job, and says why", async () => {
    const queue = memoryQueue();
    const { submit } = queue;
    serve(queue, "one", { key: "secret" });
    // Somebody puts the job into the queue of the workers that have a secret.
    const elsewhere: MemoryQueue = {
      ...queue,
      submit: (_, id, text) => submit(queueOf(classHash(of), "secret"), id, text),
    };
    await expect(outcomesOf(elsewhere)).rejects.toThrow(new JobRefused("it is not signed"));
  });
});
