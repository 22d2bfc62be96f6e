// Candidates whose measuring is simulated: the decisions say how long it takes and what goes wrong. Operators and compilers have no
// part in it, so that what is tested is the protocol of a fleet.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codegenVersion, targets } from "../../../src/compiler/index.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { encodeTarget, targetOfJson } from "../../../src/tuner/data/target-json.ts";
import { type MeasureJob, resultName } from "../../../src/tuner/fleet/job.ts";
import type { JobMeasurer, OpenJob } from "../../../src/tuner/fleet/run-job.ts";
import { classHash, fleetProtocol, type WorkerClass } from "../../../src/tuner/fleet/worker-class.ts";

/** A class of machines that there are none of; two labels are two classes. */
export const fakeClass = (label: string): WorkerClass => ({
  protocol: fleetProtocol,
  codegen: codegenVersion,
  platform: "fake-cpu",
  features: [],
  caches: null,
  targets: ["wasm"],
  native: "wasm",
  toolchain: null,
  label,
});

export interface Simulated {
  /** Milliseconds that measuring takes. */
  readonly ms?: number;
  /** Kills the worker's process. */
  readonly kills?: boolean;
}

export const candidate = (n: number, { ms = 5, kills = false }: Simulated = {}): Candidate => ({
  template: "simulated",
  assignment: { n, ms, kills: kills ? 1 : 0 },
});

export const task = "a".repeat(64);

export function jobOf(of: WorkerClass, candidates: readonly Candidate[], given: Partial<MeasureJob> = {}): MeasureJob {
  return {
    kind: "measure",
    protocol: fleetProtocol,
    run: null,
    class: classHash(of),
    operator: { file: "src/simulated.op.ts", parameters: {}, digest: task },
    batch: {
      kind: "batch",
      schema: 1,
      codegen: codegenVersion,
      task,
      operator: "simulated",
      target: encodeTarget(targets.wasm),
      numerics: "fast",
      threads: 1,
      constants: null,
      cache: "hot",
      inputSeed: 1,
      candidates,
    },
    baseline: null,
    deadlineMs: 60_000,
    ...given,
  };
}

/** Time of a candidate in nanoseconds, by its number: a worker says it times `scale`. */
const nsOf = ({ assignment }: Candidate, scale: number): number => (1000 + (assignment.n ?? 0)) * scale;

export interface SimulatedWorker {
  /** Factor of all times: workers differ. */
  readonly scale?: number;
  /** Called for each candidate that was measured to its end. */
  readonly onMeasured?: (candidate: Candidate, ms: number) => void;
  /** Called where a candidate kills the worker. */
  readonly die: () => void;
}

/** Opens each job with a measurer that waits. */
export const simulatedOpener =
  ({ scale = 1, onMeasured, die }: SimulatedWorker): OpenJob =>
  async (job, signal) => {
    async function one(given: Candidate): Promise<Measurement> {
      if (given.assignment.kills) die();
      const startMs = performance.now();
      await sleep(given.assignment.ms ?? 0, undefined, { signal });
      onMeasured?.(given, performance.now() - startMs);
      const ns = nsOf(given, scale);
      return { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 1 } };
    }
    const measurer: JobMeasurer = {
      targetClass: targetClass(targetOfJson(job.batch.target)),
      toolchain: "wasm",
      async *measure(candidates) {
        for (const each of candidates) yield await one(each);
      },
      async race(candidates) {
        for (const each of candidates) await one(each);
        const best = candidates.reduce(
          (least, each, at) => (nsOf(each, 1) < nsOf(candidates[least]!, 1) ? at : least),
          0,
        );
        const ns = nsOf(candidates[best]!, scale);
        return { winner: best, runnerUp: null, timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 9 } };
      },
      close: async () => undefined,
    };
    return { kind: "open", measurer };
  };

/** Appends a line for a candidate that was measured: "worker name milliseconds", and the time of day at its end. */
export const logTo =
  (file: string, worker: string, of: WorkerClass) =>
  (measured: Candidate, ms: number): void =>
    appendFileSync(file, `${worker} ${resultName(jobOf(of, []), measured)} ${ms} ${Date.now()}\n`);
