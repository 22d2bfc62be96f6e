// Tunes a few operators with every strategy, on a workbench whose times follow from the sources alone, and prints a digest
// of the candidates of each tuning in their order. Every version of Node has to print the same.

import { generatorOf, instantiate, opLibrary, sha256, targets } from "../../src/compiler/index.ts";
import type { Measurement } from "../../src/tuner/data/measurement.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { memoryDatabase } from "../../src/tuner/record/database.ts";
import { candidateKey } from "../../src/tuner/search/point/search-space.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import type { Strategy } from "../../src/tuner/search/strategy/strategy.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import type { MeasurableSource, Workbench } from "../../src/tuner/workbench/workbench.ts";

const ops = {
  gemm: opLibrary.gemm({ M: 96, N: 128, K: 70, dtype: "f32" }),
  conv2d: opLibrary.conv2d({ H: 14, W: 14, C: 16, F: 32, padding: 1 }),
  softmax: opLibrary.softmax({ M: 64, N: 96 }),
};

const textOf = (source: MeasurableSource): string | Uint8Array => generatorOf(source).code(source);
const hashOf = (source: MeasurableSource): number => Number.parseInt(sha256(textOf(source)).slice(0, 8), 16);

/** Integers, as a clock gives them; one in sixteen does not run. */
function measured(source: MeasurableSource): Measurement {
  const ns = 1000 + (hashOf(source) % 100_003);
  if (ns % 16 === 0) return { kind: "crashed", reason: "made to" };
  return { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 5 } };
}

const workbench: Workbench = {
  toolchain: "made up",
  compilerRuns: () => 0,
  async *measure(sources) {
    for (const source of sources) yield "reason" in source ? source : measured(source);
    return undefined;
  },
  race: async () => ({ winner: 0, runnerUp: null, timing: null }),
  close: async () => undefined,
};

async function digestOf(task: TuningTask, strategy: Strategy): Promise<string> {
  const database = memoryDatabase();
  await tune(task, generateSpace(task), {
    budget: { seconds: 1e6, trials: 100 },
    strategy,
    seed: 1,
    taskKey: sha256("task"),
    database,
    workbench,
    clock: () => 0,
    convergence: null,
  });
  const records = database.records({ task: null, targetClass: null });
  return sha256(records.map(({ candidate }) => candidateKey(candidate)).join("\n")).slice(0, 16);
}

for (const [name, op] of Object.entries(ops)) {
  for (const target of [targets.avx2, targets.wasm]) {
    const task: TuningTask = { op: instantiate(op, {}, name), target, numerics: "fast", threads: 1 };
    for (const strategy of Object.values(strategies)) {
      console.log(`${name} ${target.name} ${strategy.name}: ${await digestOf(task, strategy)}`);
    }
  }
}
