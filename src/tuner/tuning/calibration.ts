// Calibrates the analytic prior for a machine, once: measures candidates of a few ordinary operators that need different
// things of it, and fits the machine's numbers to their times. Through the same workbench as a tuning, so for WASM too.

import { instantiate, needsToolchain, type Op, opLibrary, type Target } from "../../compiler/index.ts";
import type { TuningTask } from "../data/task.ts";
import { type CalibrationSample, fitMachine } from "../prior/calibrate.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import { drawPoint, type Point, searchSpace } from "../search/point/search-space.ts";
import { type GeneratedSpace, generateSpace } from "../space/generate.ts";
import { createRng, type Rng } from "../support/rng.ts";
import { measurable } from "../workbench/measurable.ts";
import type { Workbench } from "../workbench/workbench.ts";

export interface CalibrationOptions {
  readonly target: Target;
  /** Makes the workbench of a task; `calibrateMachine` closes it. */
  readonly workbench: (task: TuningTask) => Promise<Workbench>;
  /** Returns milliseconds. */
  readonly clock: () => number;
  /** Seconds after which no new candidates are measured. */
  readonly seconds?: number;
}

export interface Calibration {
  readonly machine: MachineModel;
  /** Number of candidates that were measured. With few, little was learnt. */
  readonly samples: number;
}

const { gemm, gemv, sum, conv2d } = opLibrary;

/**
 * Operators to measure, each telling most about one thing: arithmetic and its latency, packing and L2, L3 and memory, loops
 * and their counters.
 */
const operators: readonly Op[] = [
  gemm({ M: 128, N: 128, K: 128, dtype: "f32" }),
  gemm({ M: 96, N: 768, K: 512, dtype: "f32" }),
  gemv({ M: 2048, K: 1536 }),
  sum({ M: 512, N: 2048 }),
  conv2d({ H: 14, W: 14, C: 32, F: 48, padding: 1 }),
];

const candidatesPerOperator = 20;

/** @example const { machine } = await calibrateMachine({ target, workbench, clock: nowMs }) */
export async function calibrateMachine({
  target,
  workbench,
  clock,
  seconds = 45,
}: CalibrationOptions): Promise<Calibration> {
  const end = clock() + seconds * 1000;
  const rng = createRng(1);
  const samples: CalibrationSample[] = [];
  for (const op of operators) {
    if (clock() >= end) break;
    const task: TuningTask = { op: instantiate(op, {}, "calibration"), target, numerics: "fast", threads: 1 };
    samples.push(...(await measureOperator(task, await workbench(task), () => clock() >= end, rng)));
  }
  return { machine: fitMachine(samples, target), samples: samples.length };
}

async function measureOperator(
  task: TuningTask,
  workbench: Workbench,
  isOver: () => boolean,
  rng: Rng,
): Promise<readonly CalibrationSample[]> {
  const space = generateSpace(task);
  const points = drawPoints(space, rng);
  const samples: CalibrationSample[] = [];
  try {
    // Native candidates are built in one go; no incumbent that would cut a slow one short.
    for (const batch of needsToolchain(task.target) ? [points] : points.map((point) => [point])) {
      if (isOver()) break;
      const sources = batch.map(({ candidate }) => measurable(task, space, candidate));
      const results = workbench.measure(sources, null);
      for (const { template, assignment } of batch) {
        const { value } = await results.next();
        // The least of its times, since disturbances only ever add.
        const facts = space.facts(template.template, assignment);
        if (value?.kind === "ok" && facts) samples.push({ facts, ns: value.timing.minNs });
      }
    }
  } finally {
    await workbench.close();
  }
  return samples;
}

/** Draws points spread over the space: slow ones tell of the machine as well as fast ones. */
function drawPoints(space: GeneratedSpace, rng: Rng): readonly Point[] {
  const searched = searchSpace(space);
  const points = new Map<string, Point>();
  for (let draw = 0; draw < 2 * candidatesPerOperator && points.size < candidatesPerOperator; draw++) {
    const template = searched.templates[draw % searched.templates.length];
    const point = template && drawPoint(searched, template, rng, { spread: "look-ahead" });
    if (point && space.facts(point.template.template, point.assignment)) points.set(point.key, point);
  }
  return [...points.values()];
}
