// Answers of the measuring process about candidates one after the other, with kernels that take a given time.

import { expect, it } from "vitest";
import type { RunnableLoader } from "../../../src/native/runner/loader.ts";
import type {
  KernelArray,
  NativeRunnable,
  RunOutcome,
  RunTask,
  TimingPlan,
  ToWorker,
} from "../../../src/native/runner/protocol.ts";
import { createMeasuringSession } from "../../../src/native/runner/session.ts";

const task: RunTask = {
  parameters: [{ name: "C", role: "output", dtype: "f32", shape: [1], length: 1 }],
  inputs: [],
  expected: [{ values: Float32Array.of(7), bound: { kind: "exact" } }],
};
const plan: TimingPlan = {
  cache: "hot",
  incumbentNs: null,
  samples: 5,
  agreement: 0.015,
  sampleNs: 200_000,
  budgetNs: 12e6,
};
const candidate = (index: number): NativeRunnable => ({ kind: "native", path: "", index, features: [] });

const machine = { flush: () => {}, core: { isCalm: () => true, isQuiet: () => true } };

/** A session whose kernels are all of this process: it answers at once. */
function sessionWith(load: RunnableLoader<NativeRunnable>["load"]) {
  const session = createMeasuringSession([{ kind: "native", load }], machine);
  return {
    handle(message: ToWorker): RunOutcome | null {
      const outcome = session.handle(message);
      if (outcome instanceof Promise) throw new Error("nothing has to be waited for");
      return outcome;
    },
  };
}

/** By kernel what its runs take one after the other; the last of them also all later ones. */
function sessionOf(timesNs: readonly (readonly number[])[]) {
  const load: RunnableLoader<NativeRunnable>["load"] = ({ index }, { arena: { arrays } }) => {
    const left = [...timesNs[index]!];
    const time = (count: number): number => {
      arrays[0]![0] = 7;
      return count * (left.length > 1 ? left.shift()! : left[0]!);
    };
    return { arrays, time };
  };
  const session = sessionWith(load);
  session.handle({ kind: "task", task });
  return (index: number, incumbentNs: number | null = null) => {
    const outcome = session.handle({
      kind: "run",
      id: index,
      candidate: candidate(index),
      plan: { ...plan, incumbentNs },
    });
    return outcome?.kind === "ok" ? outcome.samplesNs : outcome;
  };
}

it("the first candidate is as fast as it is on a calm core, though its own samples were disturbed", () => {
  const disturbed = [9e6, 8e6, 7e6];
  const run = sessionOf([[...disturbed, 5e6], [5.5e6]]);
  expect(run(0)).toEqual([9e6, 5e6]);
  // No yardstick comes of one that is hardly faster, so its own samples are all there is.
  expect(run(1, 5e6)).toEqual([5.5e6, 5.5e6]);
});

it("a kernel that is much faster than the yardstick takes its place", () => {
  const run = sessionOf([[6e6], [5e6, 5e6, 3e6], [4.5e6, 4.5e6, 3e6]]);
  expect(run(0)).toEqual([6e6, 6e6]);
  expect(run(1, 6e6)).toEqual([5e6, 5e6]);
  expect(run(2, 6e6)).toEqual([3e6, 4.5e6]);
});

it("a kernel that was forgotten is loaded and checked again, with its arrays elsewhere", () => {
  const loaded: KernelArray[] = [];
  let answer = 7;
  const load: RunnableLoader<NativeRunnable>["load"] = (_, { arena: { arrays } }) => {
    loaded.push(arrays[0]!);
    const time = (count: number): number => {
      arrays[0]![0] = answer;
      return count * 1e6;
    };
    return { arrays, time };
  };
  const session = sessionWith(load);
  session.handle({ kind: "task", task });
  const sample = (isKept: boolean) =>
    session.handle({
      kind: "sample",
      id: 0,
      slot: 0,
      candidate: isKept ? null : candidate(0),
      sampleNs: 200_000,
      cache: "hot",
    })?.kind;
  expect([sample(false), sample(true)]).toEqual(["ok", "ok"]);
  session.handle({ kind: "forget" });
  expect(sample(false)).toBe("ok");
  expect(loaded).toHaveLength(2);
  expect(loaded[1]!.buffer).not.toBe(loaded[0]!.buffer);
  session.handle({ kind: "forget" });
  answer = 8;
  expect(sample(false)).toBe("wrong-result");
});
