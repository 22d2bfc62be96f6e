// Order of measurements by task, and the end of the process, on a runner that writes down what it is told.

import { describe, expect, it } from "vitest";
import type { CheckingRunner } from "../../../src/native/runner/client.ts";
import type { RunTask, WasmRunnable } from "../../../src/native/runner/protocol.ts";
import { createSharedRunner } from "../../../src/native/runner/shared-runner.ts";

const candidate: WasmRunnable = { kind: "wasm", bytes: new Uint8Array(1), offsets: [], sharing: null };
const taskOf = (value: number): RunTask => ({ parameters: [], inputs: [Float32Array.of(value)], expected: [] });
const ok = { kind: "timed-out", deadlineMs: 1 } as const;

function fakeRunners() {
  const told: string[] = [];
  let made = 0;
  const make = (): CheckingRunner => {
    made += 1;
    const name = made;
    const tell = (what: string): void => void told.push(`${name} ${what}`);
    return {
      setTask: ({ inputs }) => tell(`task ${inputs[0]![0]}`),
      async run() {
        tell("run");
        return ok;
      },
      async sample(_, sampleNs, cache) {
        tell(`sample ${sampleNs} ${cache}`);
        return ok;
      },
      async check() {
        tell("check");
        return ok;
      },
      forget: () => tell("forget"),
      close: async () => tell("close"),
    };
  };
  return { told, make };
}

describe("a shared runner", () => {
  it("tells the process of a task when a candidate of another was run before", async () => {
    const { told, make } = fakeRunners();
    const shared = createSharedRunner(make);
    const [one, other] = [shared.open(), shared.open()];
    one.setTask(taskOf(1));
    other.setTask(taskOf(2));
    await one.run({ candidate, incumbentNs: null });
    await one.sample(candidate, 5, "cold");
    await other.run({ candidate, incumbentNs: null });
    await one.run({ candidate, incumbentNs: null });
    await other.check(candidate);
    expect(told).toEqual([
      ...["1 task 1", "1 run", "1 sample 5 cold"],
      ...["1 task 2", "1 run", "1 task 1", "1 run", "1 task 2", "1 check"],
    ]);
  });

  it("ends the process with its last user, and starts another for the next", async () => {
    const { told, make } = fakeRunners();
    const shared = createSharedRunner(make);
    const [one, other] = [shared.open(), shared.open()];
    await one.close();
    await one.close();
    expect(told).toEqual([]);
    await other.close();
    expect(told).toEqual(["1 close"]);
    const next = shared.open();
    next.setTask(taskOf(1));
    await next.run({ candidate, incumbentNs: null });
    expect(told.slice(1)).toEqual(["2 task 1", "2 run"]);
  });
});
