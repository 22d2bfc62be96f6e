// A tuning that goes on until it is killed: node tuning.mjs <records file> <seed>. It says of each measurement that it has
// recorded, by digest, on a line of its own.

import { writeSync } from "node:fs";
import { instantiate, opLibrary, targets } from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { openDatabase } from "../../src/tuner/record/database.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import { referenceTask } from "../../src/tuner/workbench/reference.ts";
import { createWorkbench } from "../../src/tuner/workbench/workbench.ts";
import { outcomeDigest, taskKey } from "./outcome-digest.ts";

const [path = "", seed = "1"] = process.argv.slice(2);
const op = instantiate(opLibrary.gemm({ M: 12, N: 16, K: 10 }), {}, "killed");
const task: TuningTask = { op, target: targets.wasm, numerics: "fast", threads: 1 };
await tune(task, generateSpace(task), {
  budget: { seconds: 3600, trials: 1e6 },
  strategy: strategies.random,
  seed: Number(seed),
  taskKey,
  database: openDatabase(path),
  workbench: createWorkbench({ task: referenceTask(task), toolchain: null, directory: "WASM needs none" }),
  clock: nowMs,
  convergence: null,
  onTrial: (trial) => writeSync(1, `${outcomeDigest(trial)}\n`),
});
