// Memory of calls about their arrays: enough to skip the checks of the next call in the same job, and nothing after it.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createArguments } from "../../../src/plugin/runtime/arguments.ts";
import { createCalls } from "../../../src/plugin/runtime/calls.ts";
import type { Instance } from "../../../src/plugin/runtime/implementation.ts";
import { tensors } from "../../support/fake-kernel.ts";

const facts = tensors.map((tensor) => ({ ...tensor, array: Float32Array }));

/** Calls on an instance that computes nothing; `bound` counts how often arrays were checked and bound. */
function idleCalls() {
  const bound: number[] = [];
  const instance: Instance = {
    bind: (arrays) => {
      bound.push(arrays.length);
      return () => undefined;
    },
    async: async () => [],
    buffers: () => [],
    set: () => undefined,
  };
  const calls = createCalls(
    createArguments("blend", facts),
    () => instance,
    async () => undefined,
  );
  return { calls, bound };
}

const arrays = (): Float32Array[] => facts.map(({ length }) => new Float32Array(length));

it("the arrays of the last call are checked once in a job", async () => {
  const { calls, bound } = idleCalls();
  const given = arrays();
  calls.call(...given);
  calls.call(...given);
  expect(bound).toHaveLength(1);
  await Promise.resolve();
  calls.call(...given);
  expect(bound).toHaveLength(2);
});

it("they are collected when the caller lets go of them", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { calls } = idleCalls();
  const refs: WeakRef<Float32Array>[] = [];
  const call = (): void => {
    const given = arrays();
    refs.push(...given.map((array) => new WeakRef(array)));
    calls.call(...given);
  };
  call();
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
    collect();
  }
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined]);
  // The kernel is still there, and takes others.
  calls.call(...arrays());
});
