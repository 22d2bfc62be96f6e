// Number of candidates that a workbench has under way, on a runner that answers when it is told to.

import { describe, expect, it } from "vitest";
import type { Runner } from "../../../src/native/runner/client.ts";
import type { RunOutcome, RunTask } from "../../../src/native/runner/protocol.ts";
import { createWorkbench, type MeasurableSource } from "../../../src/tuner/workbench/workbench.ts";

const task: RunTask = { parameters: [], inputs: [], expected: [] };
const source = { kind: "wasm", bytes: new Uint8Array(8), offsets: [], parameters: [] } as unknown as MeasurableSource;

/** Answers each run as long a time as it is given, the first of them first. */
function fakeRunner() {
  const waiting: ((outcome: RunOutcome) => void)[] = [];
  const runner: Runner = {
    setTask: () => undefined,
    run: () => new Promise((resolve) => waiting.push(resolve)),
    sample: () => Promise.reject(new Error("no race")),
    forget: () => undefined,
    close: async () => undefined,
  };
  return { runner, waiting, answer: (ns: number) => waiting.shift()!({ kind: "ok", samplesNs: [ns] }) };
}

/** Numbers of kernels that the process still has when each measurement is given, if each took this long. */
async function awaitedBeside(ns: number, cores: number): Promise<number[]> {
  const { runner, waiting, answer } = fakeRunner();
  const workbench = createWorkbench({ task, toolchain: null, directory: "WASM needs none", runner, cores });
  const results = workbench.measure(Array(10).fill(source), null);
  const awaited: number[] = [];
  for (let k = 0; k < 10; k++) {
    const result = results.next();
    await new Promise(setImmediate);
    answer(ns);
    expect((await result).value).toMatchObject({ kind: "ok" });
    awaited.push(waiting.length);
  }
  expect(await results.next()).toEqual({ done: true, value: undefined });
  return awaited;
}

describe("candidates on their way when a measurement is given", () => {
  it("are five, until there are no more", async () => {
    expect(await awaitedBeside(1e6, 2)).toEqual([5, 5, 5, 5, 5, 4, 3, 2, 1, 0]);
  });

  it("are fewer where they are slow", async () => {
    expect(await awaitedBeside(25e6, 2)).toEqual([5, 4, 3, 2, 2, 2, 2, 2, 1, 0]);
    expect((await awaitedBeside(100e6, 2)).slice(5)).toEqual([0, 0, 0, 0, 0]);
  });

  it("are none on a single core, which is the measuring process's", async () => {
    expect(await awaitedBeside(1e6, 1)).toEqual(Array(10).fill(0));
  });
});
