// Time of a candidate from its decisions to its code: replaying the trace, all passes, the code generator. Medians over
// random candidates of the space, for each operator and target: of the first ones in a process, while V8 still
// compiles, and of those that come later in a search. Then a build with a predicted schedule of an operator that uses
// its values again and again: from the operator to its code, all passes verified.
//
//     npm run bench:lowering
//     npm run bench:lowering -- --against ../before      the same candidates, in turns with the compiler of another checkout

import { parseArgs } from "node:util";
import { authoring, instantiate, type Op, opLibrary, type Target, targets } from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { drawPoint, searchSpace } from "../../src/tuner/search/point/search-space.ts";
import { predict } from "../../src/tuner/search/predict.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { compareWith, type LoweredOperator, measureInTurns, median } from "./lowering-pairs.ts";

/** Numbers of the candidates of a process that are measured. The first 20 are left out: no search is so short. */
const early = [20, 80] as const;
const late = [400, 500] as const;

const operators: readonly LoweredOperator[] = [
  { name: "gemm 512x512x512", make: ({ gemm }) => gemm({ M: 512, N: 512, K: 512 }) },
  {
    name: "conv2d 56x56x64 3x3 64 bias relu",
    make: ({ conv2d }) => conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }, { bias: true, activation: "relu" }),
  },
];
const measured: readonly Target[] = [targets.avx2, targets.avx512, targets.wasm];

function timesOf(op: Op, target: Target): readonly number[] {
  const def = instantiate(op, {}, "bench");
  const task: TuningTask = { op: def, target, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const search = searchSpace(space);
  const rng = createRng(1);
  const times: number[] = [];
  while (times.length < late[1]) {
    const template = search.templates[times.length % search.templates.length]!;
    const point = drawPoint(search, template, rng, {});
    if (!point) throw new Error(`${template.template.name} has no candidate`);
    const start = nowMs();
    const result = candidateKernel(task, space, point.candidate);
    times.push(nowMs() - start);
    if (result.kind !== "ok") throw new Error(`${point.key} is illegal`);
  }
  return times;
}

function printCandidates(): void {
  for (const { name, make } of operators) {
    for (const target of measured) {
      const times = timesOf(make(opLibrary), target);
      const [first, later] = [early, late].map((range) => median(times.slice(...range)).toFixed(1));
      const which = `candidates ${early.join("–")} ${first} ms, ${late.join("–")} ${later} ms`;
      console.log(`${name.padEnd(34)} ${target.name.padEnd(7)} median of ${which}`);
    }
  }
}

const { compute, defineOp, tensor } = authoring;

/** y = (y + x / y) / 2, again and again. */
const newton = (steps: number): Op =>
  defineOp({}, () => {
    const X = tensor("X", [4096], "f32");
    return compute("Y", [4096], (i) => {
      let y = X(i);
      for (let at = 0; at < steps; at++) y = y.add(X(i).div(y)).mul(0.5);
      return y;
    });
  });

function predictedBuild(op: Op, target: Target): number {
  const start = nowMs();
  const task: TuningTask = { op: instantiate(op, {}, "bench"), target, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const result = candidateKernel(task, space, predict(space)!, { verify: true });
  if (result.kind !== "ok") throw new Error("the predicted schedule is illegal");
  return nowMs() - start;
}

function printPredicted(): void {
  for (const steps of [1, 20, 200]) {
    for (const target of [targets.avx512, targets.wasm]) {
      const times = Array.from({ length: 9 }, () => predictedBuild(newton(steps), target));
      const text = `median of 9 predicted builds ${median(times).toFixed(1)} ms`;
      console.log(`${`${steps} steps of Newton`.padEnd(34)} ${target.name.padEnd(7)} ${text}`);
    }
  }
}

// `first` is for the processes that `against` starts.
const { values } = parseArgs({ options: { against: { type: "string" }, first: { type: "string" } } });
if (values.first) {
  const names = measured.map(({ name }) => name);
  await measureInTurns(values.first, operators, names);
} else if (values.against) {
  await compareWith(values.against);
} else {
  printCandidates();
  printPredicted();
}
