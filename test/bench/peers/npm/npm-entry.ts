// A library of npm as one of those that compete.

import { nowMs } from "../../../../src/native/machine/clock.ts";
import { expectOutput, mismatch } from "../../../../src/native/runner/compare.ts";
import type { RunTask } from "../../../../src/native/runner/protocol.ts";
import { runsFor } from "../../../../src/native/runner/runs-for.ts";
import type { Entry } from "../entrant.ts";
import type { PeerCall } from "../work.ts";
import type { NpmCall, NpmPeer } from "./npm-peer.ts";

/** Nanoseconds of calls before the clock starts, since engines compile functions that are called often. */
const warmNs = 200e6;

/** `close` ends what was opened for it. */
export async function enterNpm(
  { parameters, inputs, expected }: RunTask,
  call: PeerCall,
  { name, version, open }: NpmPeer,
): Promise<Entry & { readonly close?: () => void }> {
  const opened = await attempt(() => open(call, inputs));
  if (typeof opened === "string") return { name, reason: opened };
  if (!opened) return { name, reason: null };
  const [{ values, bound } = expected[0]!] = expected;
  const output = expectOutput(parameters[inputs.length]!, values, bound);
  const wrong = await attempt(async () => {
    await opened.run();
    return mismatch(output, await opened.result());
  });
  if (wrong !== null) {
    opened.close();
    return { name, reason: wrong };
  }
  const firstNs = await timed(opened, 1);
  const estimateNs = (await timed(opened, runsFor(firstNs, warmNs))) / runsFor(firstNs, warmNs);
  const sample = async (sampleNs: number): Promise<number> => {
    const runs = runsFor(estimateNs, sampleNs);
    return (await timed(opened, runs)) / runs;
  };
  return { name, version, sample, close: () => opened.close() };
}

/** Nanoseconds of a number of runs, one after the other. */
async function timed(call: NpmCall, runs: number): Promise<number> {
  const start = nowMs();
  for (let run = 0; run < runs; run++) {
    const ran = call.run();
    if (ran) await ran;
  }
  return (nowMs() - start) * 1e6;
}

/** Returns the result of an action, or the first line of its error's message. */
async function attempt<T>(action: () => Promise<T>): Promise<T | string> {
  try {
    return await action();
  } catch (error) {
    return (error as Error).message.split("\n")[0]!;
  }
}
