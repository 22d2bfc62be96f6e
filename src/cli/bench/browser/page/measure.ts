// The worker that measures, so that the page stays awake: each twin as the module of a page, checked by the command, then all in rounds.

import { sleepMs } from "../../../../native/machine/clock.ts";
import { type Absent, type EmittedKernel, type Entrant, emittedEntrant, type NamedInputs } from "../../entrant.ts";
import { type Times, timeInRounds } from "../../rounds.ts";
import type { MeasuredRow, Plan, PlannedBench } from "../visit.ts";
import { browserFacts } from "./browser-facts.ts";
import { type Message, plain } from "./messages.ts";

/** Fewest steps of the clock in a sample: with fewer, a time says more of the clock than of the kernel. */
const leastSteps = 20;
const usualSampleMs = 2;
/** Longest wait for a kernel's threads to start, in milliseconds. */
const mostThreadWaitMs = 2000;

const tell = (message: Message): void => postMessage(message);

/** Asks the command, and throws a line for people where it has ended or refuses. */
async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, options).catch(() => {
    throw new Error("the command does not answer: run it again, then load this page anew");
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).trim()}`);
  return response;
}

type Arrays = ReadonlyMap<string, Entrant["outputs"][number]>;

/** Arrays for the tensors: inputs, and outputs that are wrong in every element. */
async function contentsOf(folder: string, { tensors }: PlannedBench): Promise<Arrays> {
  const arrays = new Map<string, Entrant["outputs"][number]>();
  for (const { name, array } of tensors) {
    const bytes = await (await ask(`${folder}tensors/${name}`)).arrayBuffer();
    const type = globalThis[array as "Float32Array"];
    arrays.set(name, new type(bytes));
  }
  return arrays;
}

async function moduleOf(path: string): Promise<EmittedKernel> {
  const kernel: EmittedKernel = (await import(new URL(path, location.href).href)).default;
  await kernel.ready();
  return kernel;
}

async function entrantOf(
  { name, why }: PlannedBench["twins"][number],
  folder: string,
  bench: PlannedBench,
  inputs: NamedInputs,
): Promise<Entrant | Absent> {
  if (why !== null) return { name, why };
  try {
    const kernel = await moduleOf(`${folder}${name}.js`);
    const { twin, twinReason } = kernel.info;
    return twin === name ? emittedEntrant(name, kernel, bench, inputs) : { name, why: twinReason ?? `${twin} answers` };
  } catch (error) {
    return { name, why: plain(error) };
  }
}

/** Runs an entrant once and has the command check its results. Returns null if they agree with the reference, else what is wrong. */
async function problemOf(entrant: Entrant, folder: string, before: Entrant["outputs"]): Promise<string | null> {
  for (const [at, array] of before.entries()) (entrant.outputs[at]! as Float64Array).set(array as Float64Array);
  try {
    await entrant.call();
  } catch (error) {
    return plain(error);
  }
  // Copies: views of shared memory cannot be sent.
  const body = new Blob(entrant.outputs.map((output) => new Uint8Array(output.slice().buffer as ArrayBuffer)));
  const answer: { readonly why: string | null } = await (await ask(`${folder}check`, { method: "POST", body })).json();
  return answer.why;
}

/** Waits for a kernel's workers, which start only while this one lets them. One that comes after measuring began would not help. */
async function waitForThreads({ threads }: PlannedBench): Promise<void> {
  const pool = (globalThis as { [key: symbol]: unknown })[Symbol.for("unplugin-kernel.threads.1")] as
    | { isReady(sharing: { readonly threads: number }): boolean }
    | undefined;
  for (let waitedMs = 0; pool && !pool.isReady({ threads }) && waitedMs < mostThreadWaitMs; waitedMs += 10)
    await sleepMs(10);
}

interface Setting {
  readonly seconds: number;
  readonly sampleMs: number;
  readonly progress: (doing: "checking" | "measuring", share: number) => void;
}

async function rowsOf(bench: PlannedBench, folder: string, setting: Setting): Promise<readonly MeasuredRow[]> {
  const contents = await contentsOf(folder, bench);
  const named = (role: "input" | "output"): Arrays =>
    new Map(bench.tensors.filter((tensor) => tensor.role === role).map(({ name }) => [name, contents.get(name)!]));
  const [inputs, before] = [named("input"), [...named("output").values()]];
  const bound = bench.hasTwins ? (await moduleOf(`${folder}bound.js`)).info.twin : null;
  const all: (Entrant | Absent)[] = [];
  for (const twin of bench.twins) all.push(await entrantOf(twin, folder, bench, inputs));
  const problems = new Map<Entrant | Absent, string | null>();
  for (const [at, it] of all.entries()) {
    setting.progress("checking", at / all.length);
    problems.set(it, "why" in it ? it.why : await problemOf(it, folder, before));
  }
  const running = all.filter((it): it is Entrant => "call" in it && problems.get(it) === null);
  await waitForThreads(bench);
  const times = await timesOf(running, setting);
  return all.map((it): MeasuredRow => {
    const why = problems.get(it) ?? null;
    const isRight = "why" in it ? null : why === null;
    return { name: it.name, isBound: it.name === bound, why, isRight, times: times.get(it) ?? null };
  });
}

async function timesOf(
  running: readonly Entrant[],
  { seconds, sampleMs, progress }: Setting,
): Promise<ReadonlyMap<Entrant | Absent, Times>> {
  progress("measuring", 0);
  const times = await timeInRounds(running, { seconds, sampleMs, onRound: (share) => progress("measuring", share) });
  return new Map(running.map((entrant, at) => [entrant, times[at]!]));
}

async function measure({ kernels, seconds }: Plan): Promise<void> {
  const browser = browserFacts();
  tell({ kind: "begun", browser });
  const sampleMs = Math.max(usualSampleMs, leastSteps * browser.clockStepMs);
  for (const [kernel, { bench }] of kernels.entries()) {
    const progress: Setting["progress"] = (doing, share) => tell({ kind: "progress", kernel, doing, share });
    const rows = bench ? await rowsOf(bench, `/kernels/${kernel}/`, { seconds, sampleMs, progress }) : [];
    tell({ kind: "measured", kernel, rows });
  }
  tell({ kind: "done" });
}

addEventListener("message", ({ data }: MessageEvent<Plan>) => {
  measure(data).catch((error: unknown) => tell({ kind: "failed", why: plain(error) }));
});
