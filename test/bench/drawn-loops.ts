// Drawn operators beside loops in C: the predicted schedule of each and its naive nest by gcc -O3, in turns in one process. Prints
// those that are slower than their loops, the slowest first, and leaves a line in drawn-loops.jsonl beside this file.
//
//     npm run bench:drawn-loops -- --kind stencil,map --seed 7 --count 50 --target avx2
//     npm run bench:drawn-loops -- --kind word --seed 3 --from 25 --count 1 --all      one alone, with its definition

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lower } from "../../src/compiler/backend/lower.ts";
import { newArray } from "../../src/compiler/expr/typed-array.ts";
import {
  type ComputeDef,
  type CpuTarget,
  type CSource,
  factsOf,
  fromCompute,
  generateC,
  isCSource,
  parametersOf,
  printComputeDef,
  type TargetName,
  type TypedArray,
  targets,
} from "../../src/compiler/index.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { withPrivateDirectory } from "../../src/native/file/private-directory.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { hostTarget } from "../../src/native/machine/machine.ts";
import { expectOutput, mismatch } from "../../src/native/runner/compare.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";
import { checkPlan } from "../../src/tuner/check/check-output.ts";
import { testInputs } from "../../src/tuner/check/inputs.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { quantile } from "../../src/tuner/measure/statistics.ts";
import { predict } from "../../src/tuner/search/predict.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { type DrawnKind, drawnKind, drawnKinds, drawOperator } from "../support/drawn/draw-operator.ts";
import { large } from "../support/drawn/drawing.ts";
import { cpuName } from "./cpu-name.ts";
import { appendLine } from "./json-lines.ts";

const { values } = parseArgs({
  options: {
    kind: { type: "string" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    count: { type: "string", default: "20" },
    target: { type: "string" },
    below: { type: "string", default: "1" },
    all: { type: "boolean", default: false },
  },
});

const drawn = (kind: DrawnKind, seed: number, number: number): ComputeDef =>
  drawOperator(createRng(seed * 1_000_003 + number), large, kind).def;

/** What somebody would ask of gcc: its most, whole vectors, and sums in another order, as "fast" allows them; NaN stays what it is. */
const loopFlags = ["-O3", "-mprefer-vector-width=512", "-fassociative-math", "-fno-signed-zeros"];

/** The compiler with further flags behind its own. */
function withFlags(toolchain: Toolchain, flags: readonly string[], directory: string): Toolchain {
  const path = join(directory, "gcc-loops");
  writeFileSync(path, `#!/bin/sh\nexec '${toolchain.path}' "$@" ${flags.join(" ")}\n`);
  chmodSync(path, 0o755);
  return { ...toolchain, path, identity: `${toolchain.identity} ${flags.join(" ")}` };
}

/** Iterations of all loops. */
const iterationsOf = (op: ComputeDef): number =>
  factsOf(op).stages.reduce((all, { iterations }) => all + iterations, 0);

/** Plain loops of more would take seconds each time. */
const mostIterations = 5e8;

interface Row {
  readonly title: string;
  readonly op: ComputeDef;
  /** Microseconds. */
  readonly ours: number;
  readonly loops: number;
  readonly differs: boolean;
}

const repeats = 3;
const rounds = 7;
/** Nanoseconds: runs of a sample take at least so long together. */
const sampleNs = 200_000;

async function load(source: CSource, toolchain: Toolchain, outDir: string): Promise<NativeKernels> {
  const artifact = await buildNative([source], { outDir, toolchain, bench: true, timeoutMs: 300_000 });
  if (artifact.kind === "build-failed") throw new Error(artifact.reason);
  const loaded = loadNative(artifact.path, { features: source.features });
  if (loaded.kind === "unavailable") throw new Error(loaded.reason);
  return loaded.kernels;
}

const sampleNsOf = (kernels: NativeKernels, arrays: readonly TypedArray[], inner: number): number =>
  Math.min(...kernels.bench!(0, arrays, repeats, 1e9, inner));

/** Least times of a run in nanoseconds, by entrant: each takes its turn in each round, on the same arrays. */
function times(entrants: readonly NativeKernels[], arrays: readonly TypedArray[]): readonly number[] {
  const first = entrants.map((entrant) => sampleNsOf(entrant, arrays, 1));
  const samples = first.map((): number[] => []);
  const inner = first.map((ns) => Math.max(1, Math.ceil(sampleNs / ns)));
  // Loops that take twenty times as long, as those of products do, say what they have to say the first time.
  if (first[1]! > 20 * first[0]!) return first;
  for (let round = 0; round < rounds; round++) {
    for (const [at, entrant] of entrants.entries()) samples[at]!.push(sampleNsOf(entrant, arrays, inner[at]!));
  }
  return samples.map((all) => quantile(all, 0.25));
}

async function compare(op: ComputeDef, title: string, target: CpuTarget, directory: string): Promise<Row> {
  const task: TuningTask = { op, target, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const candidate = predict(space);
  if (!candidate) throw new Error(`${title}: no schedule`);
  const kernel = candidateKernel(task, space, candidate);
  if (kernel.kind !== "ok" || !isCSource(kernel.source)) throw new Error(`${title}: no kernel in C`);
  const naive = lower(fromCompute(op), { target, numerics: "fast" });
  const loops = generateC(naive, target, { numerics: "fast" });
  const toolchain = (await toolchainFor(target))!;
  const { values: wanted, bounds } = checkPlan(op);
  const inputs = testInputs(op.inputs, wanted, createRng(1).unit) as KernelArray[];
  const outputs = parametersOf(naive.buffers).filter(({ role }) => role === "output");
  const compiled = [
    await load(kernel.source, toolchain, directory),
    await load(loops, withFlags(toolchain, loopFlags, directory), directory),
  ];
  const results = outputs.map(({ dtype, length }) => newArray(dtype, length));
  const [ours, theirs] = times(compiled, [...inputs, ...results]);
  const [own, plain] = compiled.map((kernels) => {
    kernels.call(0, ...inputs, ...results);
    return results.map((result) => result.slice() as KernelArray);
  });
  const differs = outputs.some(
    (parameter, at) => mismatch(expectOutput(parameter, plain![at]!, bounds[at]!), own![at]!) !== null,
  );
  return { title: `${title} (${candidate.template})`, op, ours: ours! / 1e3, loops: theirs! / 1e3, differs };
}

const lineOf = ({ title, ours, loops, differs }: Row): string =>
  `${(loops / ours).toFixed(2)}  ${title}: ${ours.toFixed(1)} µs, loops ${loops.toFixed(1)} µs${differs ? "; the results differ" : ""}`;

const chosen = values.kind?.split(",").map(drawnKind) ?? drawnKinds;
const target = (values.target ? targets[values.target as TargetName] : hostTarget("native")) as CpuTarget;
const [seed, from, count, below] = [values.seed, values.from, values.count, values.below].map(Number) as [
  number,
  number,
  number,
  number,
];
const rows: Row[] = [];
await withPrivateDirectory(async (directory) => {
  for (const kind of chosen) {
    for (let number = from; number < from + count; number++) {
      const op = drawn(kind, seed, number);
      if (iterationsOf(op) > mostIterations) continue;
      const row = await compare(op, `${kind} ${number} of seed ${seed}`, target, directory);
      rows.push(row);
      console.log(lineOf(row));
      if (values.all) console.log(printComputeDef(op));
    }
  }
});
const slower = rows
  .filter(({ ours, loops }) => loops / ours < below)
  .sort((a, b) => a.loops / a.ours - b.loops / b.ours);
console.log(`\n${cpuName()}, ${target.name}: ${slower.length} of ${rows.length} below ${below}`);
const ratios = slower.map(({ title, ours, loops }) => [title, Number((loops / ours).toFixed(2))]);
appendLine("test/bench/drawn-loops.jsonl", {
  target: target.name,
  kinds: chosen,
  seed,
  from,
  count,
  below,
  operators: rows.length,
  slower: ratios,
});
for (const row of slower) console.log(`${lineOf(row)}\n${values.all ? "" : printComputeDef(row.op)}`);
