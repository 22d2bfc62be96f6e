// Running on the machine: a listing → a kernel in the simulator, timed by the cycles that it counts. This module is imported by the
// measuring process, so it is bundled to JavaScript, and imports nothing of the compiler.

import type { DeviceKernel, RunnableLoader } from "../../src/native/runner/loader.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import { decodeProgram } from "./isa/decode-program.ts";
import { vta } from "./machine.ts";
import { simulate } from "./simulator/simulate.ts";

export interface VtaRunnable extends Runnable {
  readonly kind: "vta";
  readonly listing: string;
}

export const loader: RunnableLoader<VtaRunnable> = {
  kind: "vta",
  load({ listing }, { parameters }): DeviceKernel {
    const program = decodeProgram(listing);
    const arrays = parameters.map(({ dtype, length }) =>
      dtype === "i8" ? new Int8Array(length) : new Int32Array(length),
    );
    const memory = new Map(parameters.map(({ name }, at) => [name, arrays[at] ?? new Int8Array()]));
    return {
      clock: "device",
      isExact: true,
      arrays,
      // The arrays are the machine's memory: there is nothing to copy.
      upload: () => undefined,
      download: () => undefined,
      time: (count) => count * simulate(program, vta, memory).cycles * vta.nanosecondsPerCycle,
    };
  },
};
