// Our kernels beside the libraries that are installed: each work is tuned once, then all are timed in turns. And what calls and
// builds take. What is done is kept in results.jsonl and timings.jsonl beside this file, so that it can be done in pieces.
//
//     npm run bench                                 what is missing, or was measured with an older code generator
//     npm run bench -- --suites gemm,small          of these suites
//     npm run bench -- --only 512 --again           works with this in their name, measured once more
//     npm run bench -- --only 512 --fresh           and tuned once more
//     npm run bench -- --threads 2 --suites gemm    with two threads each, and our own kernel of one beside them
//     npm run bench -- --target wasm                beside libraries for browsers
//     npm run bench -- --node 24 --target wasm      the same on another Node, from npm
//     npm run bench -- --report                     docs/peers.md from what is there

import { parseArgs } from "node:util";
import { type CpuTarget, factsOf, type Op, type TargetName, targets } from "../../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import type { RunTask } from "../../../src/native/runner/protocol.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { cpuName } from "../cpu-name.ts";
import { isOfToday } from "../provenance.ts";
import { oneThread, ownFloats, ownWasm } from "./bars.ts";
import { compete } from "./contest.ts";
import type { Entrant } from "./entrant.ts";
import { innerLoopOf } from "./inner-loop.ts";
import { findPeers } from "./libraries.ts";
import { findNpmPeers } from "./npm/find-npm-peers.ts";
import { enterNpm } from "./npm/npm-entry.ts";
import type { NpmPeer } from "./npm/npm-peer.ts";
import { type Ours as Tuned, tunedKernel } from "./ours.ts";
import { measurePeak, type Peak } from "./peak.ts";
import type { Peer } from "./peer.ts";
import { appendResult, gflopsOf, nodeOf, readResults, type WorkResult } from "./result.ts";
import { enterSession, type Ours } from "./session-entries.ts";
import { allWorks } from "./suites/all-works.ts";
import { measureBuilds } from "./suites/build-time.ts";
import { measureCalls } from "./suites/call-overhead.ts";
import { appendTiming, readTimings, type Timed, type TimingSuite, timingSuites, timingText } from "./timing.ts";
import { type PeerCall, type SuiteName, suiteNames, taskOf, type Work, workKey } from "./work.ts";
import { writeReports } from "./write-report.ts";

const { values } = parseArgs({
  options: {
    suites: { type: "string" },
    only: { type: "string", default: "" },
    again: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    seconds: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "40" },
    threads: { type: "string", default: "1" },
    target: { type: "string", default: "native" },
    minutes: { type: "string", default: "100000" },
    results: { type: "string", default: "test/bench/peers/results.jsonl" },
    timings: { type: "string", default: "test/bench/peers/timings.jsonl" },
    schedules: { type: "string", default: "out/peers/schedules.jsonl" },
    docs: { type: "string", default: "docs" },
  },
});

const threads = Number(values.threads);
const target = { ...hostTarget(chosenTarget()), threads };
const node = Number(process.versions.node.split(".")[0]);
const works: readonly Work[] = suiteNames.flatMap((suite) => allWorks[suite] ?? []);

/** OpenBLAS's threads look for work as long, those of OpenMP less. */
const restOfThreads = { pauseMs: 30, warmNs: 30e6 };

function chosenTarget(): TargetName | "native" {
  const names = ["native", ...(Object.keys(targets) as TargetName[])] as const;
  const name = names.find((each) => each === values.target);
  if (name) return name;
  throw new Error(`--target: ${values.target} is none of ${names.join(", ")}`);
}

type AnySuite = SuiteName | TimingSuite;

/** Suites to run; default: all. Suites of calls and builds do not depend on the kernels' target, so only runs for native have them. */
function chosenSuites(): readonly AnySuite[] {
  const all: readonly AnySuite[] = [...suiteNames, ...timingSuites];
  if (values.suites === undefined) return values.target === "native" && threads === 1 ? all : suiteNames;
  return values.suites.split(",").map((suite) => {
    const known = all.find((name) => name === suite);
    if (known) return known;
    throw new Error(`--suites: ${suite} is none of ${all.join(", ")}`);
  });
}

function chosenWorks(suites: readonly AnySuite[]): readonly Work[] {
  const own = readResults(values.results).filter(
    (result) =>
      result.cpu === cpuName() &&
      isOfToday(result) &&
      result.target === target.name &&
      result.threads === threads &&
      nodeOf(result) === nodeOf({ target: target.name, node }),
  );
  const done = new Set(values.again || values.fresh ? [] : own.map(workKey));
  return works.filter(
    (work) =>
      suites.includes(work.suite) &&
      work.name.includes(values.only) &&
      !done.has(workKey(work)) &&
      // No library for browsers has these.
      (!["bf16", "int8-packed", "bytes"].includes(work.suite) || target.backend === "c"),
  );
}

interface Peers {
  readonly native: readonly Peer[];
  readonly npm: readonly NpmPeer[];
}

async function measureWork(work: Work, peers: Peers, peak: Peak, directory: string): Promise<WorkResult> {
  const { suite, name } = work;
  const task = taskOf(work, target);
  const ours = await tuned(task, directory);
  const options = {
    rounds: Number(values.rounds),
    sampleNs: 2e6,
    ...(threads > 1 ? restOfThreads : { pauseMs: 0, warmNs: 0 }),
  };
  const own = [{ name: "ours", runnable: ours.runnable }, ...(await ownRivals(work, directory))];
  const entries = await enterAll(referenceTask(task), own, work.call, peers);
  const floats = work.floats ? await floatEntries(work.floats, directory) : [];
  const contest = await compete(entries.ours[0]!, [...entries.ours.slice(1), ...floats, ...entries.others], options);
  entries.close();
  const { flops, bytesRead, bytesWritten } = factsOf(task.op);
  const { candidate, trials, tuneMs, tuned: tuning } = ours;
  return {
    suite,
    name,
    cpu: cpuName(),
    target: target.name,
    threads,
    node,
    flops,
    bytes: bytesRead + bytesWritten,
    candidate,
    innerLoop: await innerLoopOf(task, candidate, directory),
    trials,
    tuneMs,
    tuning,
    ...contest,
    peak,
  };
}

const tuned = (task: TuningTask, directory: string): Promise<Tuned> =>
  tunedKernel(task, {
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    isFresh: values.fresh,
    path: values.schedules,
    directory,
  });

/** Other kernels of ours for the same work. */
async function ownRivals(work: Work, directory: string): Promise<readonly Ours[]> {
  const rivals: Ours[] = [];
  const enter = async (name: string, other: CpuTarget): Promise<void> => {
    rivals.push({ name, runnable: (await tuned(taskOf(work, other), directory)).runnable });
  };
  if (threads > 1) await enter(oneThread, { ...target, threads: 1 });
  if (work.floats) await enter(ownWasm, { ...hostTarget("wasm"), threads });
  return rivals;
}

/** Entries of the same operator on f32. It has other arrays, and so needs another session. */
async function floatEntries(op: Op, directory: string): Promise<readonly Entrant[]> {
  const task = taskOf({ op }, target);
  const { runnable } = await tuned(task, directory);
  return enterSession(referenceTask(task), [{ name: ownFloats, runnable }], null, []).ours;
}

async function enterAll(reference: RunTask, own: readonly Ours[], call: PeerCall | null, peers: Peers) {
  const session = enterSession(reference, own, call, peers.native);
  const packages: Awaited<ReturnType<typeof enterNpm>>[] = [];
  if (call) for (const peer of peers.npm) packages.push(await enterNpm(reference, call, peer));
  const close = (): void => {
    for (const entry of packages) entry.close?.();
  };
  return { ours: session.ours, others: [...session.peers, ...packages], close };
}

function line(result: WorkResult): string {
  const speed = (ns: number): string => gflopsOf(result, ns).toFixed(1);
  const rivals = result.rivals.map(
    ({ name, medianNs, ratio }) => `${name} ${speed(medianNs)} (${ratio.median.toFixed(2)})`,
  );
  const failures = Object.entries(result.failures).map(([name, reason]) => `${name}: ${reason}`);
  return [`${workKey(result)}: ${speed(result.medianNs)}`, ...rivals, ...failures].join(", ");
}

async function measureWorks(chosen: readonly Work[]): Promise<void> {
  if (chosen.length === 0) return;
  await withPrivateDirectory(async (directory) => {
    const found = [
      ...(target.backend === "wasm" ? [] : findPeers({ directory, threads })),
      ...(await findNpmPeers(target.backend, threads)),
    ];
    for (const one of found) if (one.kind === "missing") console.log(`not found: ${one.name} (${one.remedy})`);
    const native = found.flatMap((one) => (one.kind === "found" ? [one.peer] : []));
    const npm = found.flatMap((one) => (one.kind === "found in npm" ? [one.peer] : []));
    const peak = measurePeak(directory);
    console.log(
      `${chosen.length} works; a core does ${peak.gflops.toFixed(0)} GFLOP/s, reads ${peak.reading.toFixed(0)} GB/s`,
    );
    const end = performance.now() + Number(values.minutes) * 60_000;
    for (const work of chosen) {
      if (performance.now() > end) break;
      try {
        const result = await measureWork(work, { native, npm }, peak, directory);
        appendResult(values.results, result);
        console.log(line(result));
      } catch (error) {
        console.error(`${workKey(work)}: ${(error as Error).message}`);
        process.exitCode = 1;
      }
    }
    for (const peer of native) peer.close();
  });
}

const measurers: Readonly<Record<TimingSuite, () => Promise<readonly Timed[]>>> = {
  "call-overhead": measureCalls,
  "build-time": measureBuilds,
};

async function measureTimings(suites: readonly AnySuite[]): Promise<void> {
  const known = readTimings(values.timings).filter(
    (timing) => timing.cpu === cpuName() && timing.node === node && isOfToday(timing),
  );
  for (const suite of timingSuites) {
    const isDone = !values.again && known.some((timing) => timing.suite === suite);
    if (isDone || !suites.includes(suite)) continue;
    for (const timed of await measurers[suite]()) {
      appendTiming(values.timings, { suite, cpu: cpuName(), node, ...timed });
      console.log(`${suite} ${timed.name}: ${timingText(timed)}`);
    }
  }
}

if (values.report) {
  writeReports(readResults(values.results), readTimings(values.timings), values.docs);
} else {
  const suites = chosenSuites();
  // First: libraries leave threads behind, and LIBXSMM an environment that points into its unloaded code.
  await measureTimings(suites);
  await measureWorks(chosenWorks(suites));
}
