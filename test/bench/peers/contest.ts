// Kernels and libraries against each other on one task: all are checked first, then take samples in turns, A B C, B C A, …
// Whatever slows the machine slows them all, so only ratios within a round are compared.

import { createProbe } from "../../../src/native/harness/probe.ts";
import { createNativeLoader } from "../../../src/native/runner/load-native-kernel.ts";
import type { NativeRunnable, Runnable, RunTask } from "../../../src/native/runner/protocol.ts";
import { createSession, type LoadNativeKernel, type Session } from "../../../src/native/runner/session.ts";
import { median, quantile } from "../../../src/tuner/measure/statistics.ts";
import type { Peer } from "./peer.ts";
import type { PeerCall } from "./work.ts";

export interface ContestOptions {
  readonly rounds: number;
  /** Between two samples: threads of a library that has just run still look for more for so long. */
  readonly pauseMs: number;
  /** After it: threads that slept come to their cores. */
  readonly warmNs: number;
  /** A sample is as many runs as fill this time. */
  readonly sampleNs: number;
}

/** A kernel of ours. */
export interface Ours {
  readonly name: string;
  readonly runnable: Runnable;
}

/** Of a library, or another kernel of ours, beside our kernel. */
export interface Rival {
  readonly name: string;
  readonly version: string;
  readonly medianNs: number;
  /** Its time over ours, in the rounds: above 1 ours is faster. */
  readonly ratio: Spread;
}

export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface ContestResult {
  readonly medianNs: number;
  /** Those that have the call and gave the right answer. */
  readonly rivals: readonly Rival[];
  /** What was wrong with others, by name. */
  readonly failures: Readonly<Record<string, string>>;
}

/** With hot caches, the first of ours against all others. Throws where one of ours does not run or is wrong. */
export function compete(
  task: RunTask,
  ours: readonly Ours[],
  call: PeerCall,
  peers: readonly Peer[],
  options: ContestOptions,
): ContestResult {
  const session = openSession(task, call, peers);
  const named = [...ours.map(({ name }) => ({ name, version: "" })), ...peers];
  const all = [...ours.map(({ runnable }) => runnable), ...peers.map(({ name }) => placeholderOf(name))];
  const reasons = all.map((candidate, slot) => failureOf(session, candidate, slot));
  const failed = ours.findIndex((_, slot) => reasons[slot] !== null);
  if (failed >= 0) throw new Error(`our kernel, ${ours[failed]!.name}: ${reasons[failed]}`);
  const slots = all.flatMap((_, slot) => (reasons[slot] === null ? [slot] : []));
  const timesNs = inTurns(slots, options.rounds, (slot) => {
    pause(options.pauseMs);
    if (options.warmNs > 0) sample(session, slot, options.warmNs);
    return sample(session, slot, options.sampleNs);
  });
  const ownNs = timesNs.get(0)!;
  return {
    medianNs: median(ownNs),
    rivals: slots.slice(1).map((slot) => {
      const { name, version } = named[slot]!;
      const theirs = timesNs.get(slot)!;
      return { name, version, medianNs: median(theirs), ratio: spreadOf(theirs.map((ns, at) => ns / ownNs[at]!)) };
    }),
    failures: Object.fromEntries(
      named.flatMap(({ name }, slot) => {
        const reason = reasons[slot]!;
        return reason === null || reason.includes(hasNone) ? [] : [[name, reason]];
      }),
    ),
  };
}

const hasNone = "has no such call";
const mark = "peer ";

/** A library as a candidate: the loader knows it by its path. */
const placeholderOf = (name: string): NativeRunnable => ({
  kind: "native",
  path: mark + name,
  index: 0,
  features: [],
});

function openSession(task: RunTask, call: PeerCall, peers: readonly Peer[]): Session {
  const native = createNativeLoader();
  const load: LoadNativeKernel = (candidate, arrays) => {
    const peer = peers.find(({ name }) => candidate.path === mark + name);
    if (!peer) return native(candidate, arrays);
    const time = peer.open(call, arrays);
    if (!time) throw new Error(`${peer.name} ${hasNone}`);
    return { arrays, time };
  };
  const session = createSession(load, { flush: () => undefined, core: createProbe() });
  session.handle({ kind: "task", task });
  return session;
}

/** Null: it runs, is right, and is kept in its slot. */
function failureOf(session: Session, candidate: Runnable, slot: number): string | null {
  const outcome = session.handle({ kind: "sample", id: slot, slot, candidate, sampleNs: 1e6, cache: "hot" })!;
  if (outcome.kind === "ok") return null;
  return "reason" in outcome ? outcome.reason : outcome.kind;
}

function sample(session: Session, slot: number, sampleNs: number): number {
  const outcome = session.handle({ kind: "sample", id: slot, slot, candidate: null, sampleNs, cache: "hot" })!;
  if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
  return outcome.samplesNs[0]!;
}

/** Keeps the thread and leaves the core. */
function pause(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Who begins is another one in each round. */
function inTurns(
  slots: readonly number[],
  rounds: number,
  time: (slot: number) => number,
): ReadonlyMap<number, readonly number[]> {
  const times = new Map(slots.map((slot) => [slot, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const at of slots.keys()) {
      const slot = slots[(at + round) % slots.length]!;
      times.get(slot)!.push(time(slot));
    }
  return times;
}

const spreadOf = (ratios: readonly number[]): Spread => ({
  low: quantile(ratios, 0.1),
  median: median(ratios),
  high: quantile(ratios, 0.9),
});
