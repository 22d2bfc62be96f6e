// An attacker who may write whatever he likes into the queue, and has read all that was ever in it, but does not have the secret: no
// time or choice of another job, run, class or baseline is taken for that of this one, and no candidate is blamed on his word.

import { afterEach, describe, expect, test } from "vitest";
import { type Fleet, openFleet } from "../../../src/plugin/fleet/open-fleet.ts";
import { jobId, type MeasureJob, resultName } from "../../../src/tuner/fleet/job.ts";
import { type FleetQueue, QueueLost } from "../../../src/tuner/fleet/queue.ts";
import { runJob } from "../../../src/tuner/fleet/run-job.ts";
import { seal } from "../../../src/tuner/fleet/seal.ts";
import { JobRefused, measureOnFleet, raceOnFleet } from "../../../src/tuner/fleet/submit.ts";
import { classHash, queueOf } from "../../../src/tuner/fleet/worker-class.ts";
import { type MemoryQueue, memoryQueue } from "../../support/fleet/memory-queue.ts";
import { coordinatorOf, measuredNs, reasonOf } from "../../support/fleet/run-all.ts";
import { candidate, fakeClass, jobOf, simulatedOpener } from "../../support/fleet/simulated.ts";

const of = fakeClass("a");
const key = "secret";
const [now, before] = ["1".repeat(32), "0".repeat(32)];
const some = (count: number) => Array.from({ length: count }, (_, n) => candidate(n, { ms: 0 }));
const foreign = "its result is refused: it is of another class of machines, or another candidate";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A queue with a worker, which has the secret. */
function served(scale = 1): MemoryQueue & { readonly measured: number[] } {
  const queue = memoryQueue();
  const measured: number[] = [];
  const onMeasured = (each: { readonly assignment: Readonly<Record<string, number>> }) =>
    void measured.push(each.assignment.n!);
  const { stop } = queue.serve({ id: "w", of, key, open: (die) => simulatedOpener({ die, scale, onMeasured }) });
  stops.push(stop);
  return { ...queue, measured };
}

const jobIn = (run: string, given: Partial<MeasureJob> = {}): MeasureJob => jobOf(of, some(2), { run, ...given });

async function outcomesOf(job: MeasureJob, queue: FleetQueue) {
  const outcomes = [];
  for await (const outcome of measureOnFleet(job, coordinatorOf(queue, key, job.run), () => 20_000))
    outcomes.push(outcome);
  return outcomes;
}

const race = (job: MeasureJob, queue: FleetQueue) => raceOnFleet(job, coordinatorOf(queue, key, job.run), () => 20_000);

/** The signed result of a candidate as a worker wrote it during a job. */
async function signedIn(job: MeasureJob, scale = 1): Promise<string> {
  const queue = served(scale);
  await outcomesOf(job, queue);
  const [text] = await queue.read([resultName(job, job.batch.candidates[0]!)]);
  return text!;
}

test.each<[string, MeasureJob]>([
  ["an earlier run", jobIn(before)],
  ["a job with another baseline", jobIn(now, { baseline: candidate(9, { ms: 0 }) })],
  [
    "a job with another version of the generated code",
    jobIn(now, { batch: { ...jobIn(now).batch, codegen: "0.old" } }),
  ],
  ["a job of another task", jobIn(now, { batch: { ...jobIn(now).batch, task: "b".repeat(64) } })],
])("a signed result of %s is refused in place of this job's", async (_, other) => {
  const queue = served();
  const job = jobIn(now);
  const name = resultName(job, job.batch.candidates[0]!);
  await queue.createOnce(name, await signedIn(other, 7));
  expect((await outcomesOf(job, queue)).map((outcome) => [measuredNs(outcome), reasonOf(outcome)])).toEqual([
    [null, foreign],
    [1001, null],
  ]);
});

test("results of two candidates of one job that were swapped are refused", async () => {
  const queue = served();
  const job = jobIn(now);
  const names = job.batch.candidates.map((each) => resultName(job, each));
  await outcomesOf(job, queue);
  const swapped = { ...queue, read: (wanted: readonly string[]) => queue.read(wanted.map((name) => other(name))) };
  const other = (name: string): string => (name === names[0] ? names[1]! : name === names[1] ? names[0]! : name);
  expect((await outcomesOf(job, swapped)).map(reasonOf)).toEqual([foreign, foreign]);
});

test.each([
  [
    "of the same class, in this run",
    jobIn(now, { kind: "race", batch: { ...jobIn(now).batch, task: "b".repeat(64) } }),
  ],
  ["of these candidates, in an earlier run", jobIn(before, { kind: "race" })],
])("a signed race %s decides no other race", async (_, other) => {
  const queue = served();
  const job = jobIn(now, { kind: "race" });
  const foreignQueue = served(7);
  expect(await race(other, foreignQueue)).toMatchObject({ winner: 0, timing: { medianNs: 7000 } });
  const [text] = await foreignQueue.read([jobId(other)]);
  await queue.createOnce(jobId(job), text!);
  expect(await race(job, queue)).toBeNull();
});

test("a signed end of another job does not end this one", async () => {
  const queue = served();
  const job = jobIn(now);
  const from = { job: jobId(jobIn(before)), class: classHash(of), targetClass: "t", toolchain: "wasm", worker: "w" };
  const text = seal("end", { from, why: "deadline" }, key);
  const ended: FleetQueue = { ...queue, submit: async () => {}, state: async () => ({ kind: "done", text }) };
  await expect(outcomesOf(job, ended)).rejects.toThrow(
    new JobRefused("the worker's answer is refused: it is of another job"),
  );
});

test("a job of an earlier run that is put into the queue again costs a measurement, and none of this run's", async () => {
  const queue = served();
  const [old, job] = [jobIn(before), jobIn(now)];
  await queue.submit(queueOf(classHash(of), key), jobId(old), seal("job", old, key));
  const outcomes = await outcomesOf(job, queue);
  expect(outcomes.map((outcome) => outcome.kind === "result" && outcome.result.from.job)).toEqual(
    some(2).map(() => jobId(job)),
  );
  while (queue.measured.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(queue.measured).toEqual([0, 1, 0, 1]);
});

test("marks that no worker signed, or signed for another job, blame no candidate, whatever the queue says of deaths", async () => {
  const queue = served();
  const job = jobIn(now);
  const name = resultName(job, job.batch.candidates[0]!);
  const marksOf = (id: string, sealedWith: string | null) =>
    (["at", "died"] as const).map((kind) => seal("mark", { job: id, kind, name }, sealedWith));
  let lies = 2;
  const lying: FleetQueue = {
    ...queue,
    submit: async (...given) => void (lies === 0 && (await queue.submit(...given))),
    state: async (...given) => (lies-- > 0 ? { kind: "failed", reason: "stalled", lost: true } : queue.state(...given)),
    marks: async (id) => [name, `died-${name}`, ...marksOf(id, null), ...marksOf(jobId(jobIn(before)), key)],
  };
  expect((await outcomesOf(job, lying)).map((outcome) => [measuredNs(outcome), reasonOf(outcome)])).toEqual([
    [1000, null],
    [1001, null],
  ]);
});

test("a worker refuses a job that was signed as something else, and one whose run was changed", async () => {
  const job = jobIn(now);
  const place = {
    ...{ store: memoryQueue(), key, class: classHash(of), worker: "w", open: simulatedOpener({ die: () => {} }) },
    ...{ closing: new AbortController().signal, after: () => () => {}, renew: async () => {} },
  };
  const reasonFor = async (text: string) => runJob(text, jobId(job), 1, place);
  expect([
    await reasonFor(seal("result", job, key)),
    await reasonFor(seal("job", jobIn(before), key).replace(before, now)),
    await reasonFor(seal("job", jobIn(before), key)),
  ]).toEqual([
    { kind: "refused", reason: "it is signed with another key" },
    { kind: "refused", reason: "it was changed after it was written" },
    { kind: "refused", reason: "its id is not that of its content" },
  ]);
});

test("of a text with a wrong signature no word is repeated", async () => {
  const queue = served();
  const job = jobIn(now);
  const planted = JSON.stringify({ digest: "a".repeat(64), mac: "b".repeat(64), body: { "\u001b[2J": 1 } });
  for (const each of job.batch.candidates) await queue.createOnce(resultName(job, each), planted);
  const reason = "its result is refused: it is signed with another key";
  expect((await outcomesOf(job, queue)).map(reasonOf)).toEqual([reason, reason]);
});

test("what strangers wrote reaches no terminal as it is, with a secret or without", async () => {
  const queue = memoryQueue();
  const job = jobOf(of, some(1));
  const body = { [`\u001b[2J${"x".repeat(1e4)}`]: 1 };
  await queue.createOnce(resultName(job, job.batch.candidates[0]!), seal("result", body, null));
  for await (const outcome of measureOnFleet(job, coordinatorOf(queue), () => 20_000))
    expect(reasonOf(outcome)).toMatch(/^its result is refused: body\.(\?\[2Jx{50}|from must)[\x20-\x7e…]{0,500}$/);
});

test("a fleet with a secret names its run, another each time; without, runs share what is measured", async () => {
  const runOf = async (secret: string | null) => {
    const queue = memoryQueue();
    const { stop } = queue.serve({ id: "w", of, key: secret, open: (die) => simulatedOpener({ die }) });
    stops.push(stop);
    const fleet = await openFleet({ open: async () => queue, key: secret, warn: () => {} });
    return fleet!.coordinator(() => {}).run;
  };
  const [one, two] = [await runOf(key), await runOf(key)];
  expect([one, two].map((run) => /^[0-9a-f]{32}$/.test(run!))).toEqual([true, true]);
  expect(one).not.toBe(two);
  expect(await runOf(null)).toBeNull();
});

test("a registration that is written again and again is that of one worker: no class is made the largest so", async () => {
  const queue = memoryQueue();
  for (const [id, label] of Object.entries({ one: "a", two: "a", three: "b" }))
    stops.push(queue.serve({ id, of: fakeClass(label), key, open: (die) => simulatedOpener({ die }) }).stop);
  const again = {
    ...queue,
    workers: async () => (await queue.workers()).flatMap((text, n) => (n < 2 ? [text] : [text, text, text])),
  };
  const fleet = await openFleet({ open: async () => again, key, warn: () => {} });
  expect(fleet?.classes.map((one) => [one.of.label, one.workers])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

describe("while the secret is changed", () => {
  const worker = (queue: MemoryQueue, id: string, secret: string) => {
    const measured: number[] = [];
    const onMeasured = ({ assignment }: { readonly assignment: Readonly<Record<string, number>> }) =>
      void measured.push(assignment.n!);
    const { stop } = queue.serve({ id, of, key: secret, open: (die) => simulatedOpener({ die, onMeasured }) });
    stops.push(stop);
    return { measured, stop };
  };
  const fleetWith = async (queue: FleetQueue, secret: string | null, warn: (line: string) => void = () => {}) =>
    openFleet({ open: async () => queue, key: secret, warn });
  const measureWith = async (fleet: Fleet | null, count: number, onEach: (done: number) => void = () => {}) => {
    const coordinator = fleet!.coordinator(() => {});
    const candidates = Array.from({ length: count }, (_, n) => candidate(n, { ms: 2 }));
    const reasons = [];
    for await (const outcome of measureOnFleet(
      jobOf(of, candidates, { run: coordinator.run }),
      coordinator,
      () => 20_000,
    )) {
      reasons.push(reasonOf(outcome));
      onEach(reasons.length);
    }
    return reasons;
  };
  const all = (count: number) => Array.from({ length: count }, () => null);

  test("who has the old one and who has the new one are each served by workers of their own, in one class", async () => {
    const queue = memoryQueue();
    const [old, next] = [worker(queue, "old", "old"), worker(queue, "new", "new")];
    // The worker that has been there longer looks at a job of the other secret first.
    const fleets = [await fleetWith(queue, "new"), await fleetWith(queue, "old")];
    expect(await Promise.all(fleets.map((fleet) => measureWith(fleet, 12)))).toEqual([all(12), all(12)]);
    expect([old.measured.length, next.measured.length]).toEqual([12, 12]);
  });

  test("a queue whose workers have the new secret in the middle of a job is lost, and nothing of it is taken for the new one's", async () => {
    const queue = memoryQueue();
    const old = worker(queue, "old", "old");
    const fleet = await fleetWith(queue, "old");
    const fresh: ReturnType<typeof worker>[] = [];
    const cut = measureWith(fleet, 12, (done) => {
      if (done !== 4) return;
      old.stop();
      fresh.push(worker(queue, "new", "new"));
    });
    await expect(cut).rejects.toThrow(new QueueLost("no worker of its class is left"));
    expect(await measureWith(await fleetWith(queue, "new"), 12)).toEqual(all(12));
    expect(fresh[0]!.measured).toHaveLength(12);
  });

  test("who has none yet is told so, and asks nobody", async () => {
    const queue = memoryQueue();
    worker(queue, "new", "new");
    const lines: string[] = [];
    expect(await fleetWith(queue, null, (line) => lines.push(line))).toBeNull();
    expect([lines, queue.jobs()]).toEqual([
      [
        "no worker of the fleet can be used: it is signed, and there is no UNPLUGIN_KERNEL_QUEUE_KEY here; this machine measures itself",
      ],
      0,
    ]);
  });
});

test("a worker of another version of the code generator is not used, and the line says so", async () => {
  const lines: string[] = [];
  const queue = memoryQueue();
  const { stop } = queue.serve({ id: "w", of: { ...of, codegen: "0.old" }, open: (die) => simulatedOpener({ die }) });
  stops.push(stop);
  expect(await openFleet({ open: async () => queue, key: null, warn: (line) => lines.push(line) })).toBeNull();
  expect(lines).toEqual([
    expect.stringMatching(/^no worker of the fleet can be used: it is of version 0\.old, this is/),
  ]);
});
