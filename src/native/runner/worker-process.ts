// Starts one measuring process, which runs `worker.ts`.

import { type ChildProcess, startChild } from "../process/child-process.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

export type WorkerProcess = ChildProcess<ToWorker, FromWorker>;

/**
 * Code for WASM is compiled once, optimized, before it runs: times of the baseline tier say nothing. With --expose-gc
 * the worker collects modules that it is done with.
 */
const engineOptions = ["--no-liftoff", "--no-wasm-lazy-compilation", "--expose-gc", "--no-warnings"];

/** V8 before 11.4 (Node 20) has relaxed SIMD behind an option, later ones have it on. */
const relaxedOptions = (): string[] => {
  const [major = 0, minor = 0] = process.versions.v8.split(".").map(Number);
  return major * 100 + minor < 1104 ? ["--experimental-wasm-relaxed-simd"] : [];
};

export interface WorkerOptions {
  /** Path of the bundled worker. */
  readonly path: string;
  readonly relaxedSimd: boolean;
  /** Whether it measures only while no other exclusive worker of this machine does. */
  readonly exclusive: boolean;
  /** Cache directory that containers of this machine may share; null: none. */
  readonly directory: string | null;
}

export const startMeasuringProcess = ({
  path,
  relaxedSimd,
  exclusive,
  directory,
}: WorkerOptions): Promise<WorkerProcess> =>
  startChild({
    path,
    args: [...(exclusive ? [] : ["--shared"]), ...(directory === null ? [] : [directory])],
    engineOptions: [...engineOptions, ...(relaxedSimd ? relaxedOptions() : [])],
    env: { NODE_OPTIONS: "" },
  });
