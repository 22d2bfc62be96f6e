// Our kernels and native libraries in the session that candidates are measured in: the same arrays, checks and clocks.

import { createProbe } from "../../../src/native/harness/probe.ts";
import { createNativeLoader } from "../../../src/native/runner/load-native-kernel.ts";
import type { RunnableLoader } from "../../../src/native/runner/loader.ts";
import type { NativeRunnable, Runnable, RunOutcome, RunTask, ToWorker } from "../../../src/native/runner/protocol.ts";
import { createMeasuringSession, type MeasuringSession } from "../../../src/native/runner/session.ts";
import { wasmLoader } from "../../../src/native/runner/wasm-loader.ts";
import type { Entrant, Entry } from "./entrant.ts";
import type { Peer } from "./peer.ts";
import type { PeerCall } from "./work.ts";

/** A kernel of ours. */
export interface Ours {
  readonly name: string;
  readonly runnable: Runnable;
}

export interface SessionEntries {
  readonly ours: readonly Entrant[];
  readonly peers: readonly Entry[];
}

/** Throws where one of ours does not run or is wrong. */
export function enterSession(
  task: RunTask,
  ours: readonly Ours[],
  call: PeerCall | null,
  peers: readonly Peer[],
): SessionEntries {
  const session = openSession(task, call, peers);
  const enter = (name: string, version: string, candidate: Runnable, slot: number, peer: Peer | null = null): Entry => {
    const reason = failureOf(session, candidate, slot);
    if (reason !== null) return { name, reason: reason.includes(hasNone) ? null : reason };
    return { name, version, chosen: peer?.chosen() ?? null, sample: (sampleNs) => sample(session, slot, sampleNs) };
  };
  return {
    ours: ours.map(({ name, runnable }, slot) => {
      const entry = enter(name, "", runnable, slot);
      if ("sample" in entry) return entry;
      throw new Error(`our kernel, ${name}: ${entry.reason}`);
    }),
    peers: peers.map((peer, at) => {
      const { name, version } = peer;
      return enter(name, version, placeholderOf(name), ours.length + at, peer);
    }),
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

function openSession(task: RunTask, call: PeerCall | null, peers: readonly Peer[]): MeasuringSession {
  const native = createNativeLoader();
  const load: RunnableLoader<NativeRunnable>["load"] = (candidate, place) => {
    const { arrays } = place.arena;
    const peer = peers.find(({ name }) => candidate.path === mark + name);
    if (!peer) return native.load(candidate, place);
    const time = call && peer.open(call, arrays);
    if (!time) throw new Error(`${peer.name} ${hasNone}`);
    return { arrays, time };
  };
  const session = createMeasuringSession([{ kind: "native", load }, wasmLoader], {
    flush: () => undefined,
    core: createProbe(),
  });
  session.handle({ kind: "task", task });
  return session;
}

/** The answer of a session whose kernels are all of this process. */
function atOnce(session: MeasuringSession, message: ToWorker): RunOutcome {
  const outcome = session.handle(message);
  if (!outcome || outcome instanceof Promise) throw new Error("an outcome comes at once");
  return outcome;
}

/** Null: it runs, is right, and is kept in its slot. */
function failureOf(session: MeasuringSession, candidate: Runnable, slot: number): string | null {
  const outcome = atOnce(session, { kind: "sample", id: slot, slot, candidate, sampleNs: 1e6, cache: "hot" });
  if (outcome.kind === "ok") return null;
  return "reason" in outcome ? outcome.reason : outcome.kind;
}

function sample(session: MeasuringSession, slot: number, sampleNs: number): number {
  const outcome = atOnce(session, { kind: "sample", id: slot, slot, candidate: null, sampleNs, cache: "hot" });
  if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
  return outcome.samplesNs[0]!;
}
