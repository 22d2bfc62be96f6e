// The driver, on a workbench whose times are those of a made-up machine.

import { expect, test } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { calibrateMachine } from "../../../src/tuner/tuning/calibration.ts";
import type { Workbench } from "../../../src/tuner/workbench/workbench.ts";

function slowWorkbench(counts: { measured: number; closed: number }): Workbench {
  return {
    toolchain: "wasm",
    compilerRuns: () => 0,
    async *measure(sources) {
      for (const _ of sources) {
        counts.measured++;
        // Every fourth does not run.
        if (counts.measured % 4 === 0) yield { kind: "crashed", reason: "made to" };
        else yield { kind: "ok", timing: { medianNs: 3e6, minNs: 2e6, p20Ns: 2e6, repeats: 5 } };
      }
      return undefined;
    },
    race: () => Promise.reject(new Error("a calibration has no race")),
    close: async () => void counts.closed++,
  };
}

test("a calibration measures some candidates of each operator and closes what it opens", async () => {
  const counts = { measured: 0, closed: 0 };
  const workbench = async (): Promise<Workbench> => slowWorkbench(counts);
  const { machine, samples } = await calibrateMachine({ target: targets.wasm, workbench, clock: () => 0 });
  expect(counts.closed).toBe(5);
  expect(counts.measured).toBeGreaterThan(60);
  expect(samples).toBe(counts.measured - Math.floor(counts.measured / 4));
  // All candidates run equally long, which no machine like ours has.
  expect(machine).not.toEqual(machineModels.wasm);
});

test("a calibration ends when its time is over, with the defaults if there was none", async () => {
  const counts = { measured: 0, closed: 0 };
  let now = 0;
  const clock = (): number => (now += 60_000);
  const workbench = async (): Promise<Workbench> => slowWorkbench(counts);
  const { machine, samples } = await calibrateMachine({ target: targets.wasm, workbench, clock, seconds: 1 });
  expect([samples, counts.measured]).toEqual([0, 0]);
  expect(machine).toEqual(machineModels.wasm);
});
