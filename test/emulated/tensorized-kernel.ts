// A tensorized GEMM with random extents, or an operator with a random schedule of its space → its kernel for a target, with
// what the reference makes of the inputs.

import { lower } from "../../src/compiler/backend/lower.ts";
import {
  type ComputeDef,
  type CpuTarget,
  generateC,
  instantiateTemplate,
  printTrace,
  schedule,
  type Trace,
} from "../../src/compiler/index.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../src/tuner/data/space.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";
import {
  matrixTile,
  narrowGemm,
  type TileBlock,
  tensorizedTile,
  tileBlock,
} from "../compiler/intrinsic/tensorized-gemm.ts";
import { firstMismatch, referenceOf } from "../support/reference.ts";
import type { EmulatedKernel } from "./run-emulated.ts";

export interface TensorizedCase {
  readonly intrinsic: string;
  readonly a: "u8" | "i8" | "i16" | "bf16";
  readonly b: "u8" | "i8" | "i16" | "bf16";
  readonly group: number;
  /** Default: 16, those of AVX-512. */
  readonly lanes?: number;
  /** Type in which tiles are added up; left out where the instruction is on vectors. */
  readonly tiles?: TileBlock["sum"];
  /** Rows, and columns, of the sums of one vector; left out where they are one row. */
  readonly side?: number;
}

export function tensorizedKernel(
  { intrinsic, a, b, group, lanes = 16, tiles, side }: TensorizedCase,
  target: CpuTarget,
  seed: number,
): EmulatedKernel {
  const rng = createRng(seed);
  const extent = (): number => 1 + rng.below(37);
  const [M, N, K] = [extent(), extent(), extent() + (tiles ? 16 * group * rng.below(3) : 0)];
  const [rows, columns] = [1 + rng.below(4), 1 + rng.below(2)];
  const inRows = side ? matrixTile({ intrinsic, side, group, rows, columns }, K) : null;
  const inTiles = tiles ? tileBlock({ intrinsic, group, sum: tiles, rows, columns }, K) : null;
  const trace = inRows ?? inTiles ?? tensorizedTile({ intrinsic, lanes, group, rows, vectors: columns, widen: null });
  return kernelOf(intrinsic, narrowGemm(M, N, K, a, b), trace, target, seed, rng);
}

/** A sample of the only template whose name says `decided`. */
export const sampledKernel = (op: ComputeDef, decided: string, target: CpuTarget, seed: number): EmulatedKernel =>
  sampledKernels(op, decided, target, seed)[0]!;

/** A sample of each template whose name says `decided`. */
export const sampledKernels = (
  op: ComputeDef,
  decided: string,
  target: CpuTarget,
  seed: number,
): readonly EmulatedKernel[] =>
  generateSpace({ op, target, numerics: "fast", threads: 1 })
    .templates.filter(({ name }) => name.includes(decided))
    .map((template) => sampleOf(template, op, target, seed));

function sampleOf(template: Template, op: ComputeDef, target: CpuTarget, seed: number): EmulatedKernel {
  const rng = createRng(seed);
  const result = sample(compileModel(template.model), rng);
  if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
  const trace = instantiateTemplate(template.instructions, result.assignment);
  return kernelOf(template.name, op, trace, target, seed, rng);
}

function kernelOf(
  family: string,
  op: ComputeDef,
  trace: Trace,
  target: CpuTarget,
  seed: number,
  rng: Rng,
): EmulatedKernel {
  const reference = referenceOf(op, rng);
  const { expected } = reference;
  const flat = lower(schedule(reference.naive, trace), { target, numerics: "fast" });
  return {
    family,
    source: generateC({ ...flat, name: `${flat.name}_${seed}` }, target, { numerics: "fast" }),
    inputs: reference.inputs,
    sentinels: expected.map(({ sentinel }) => sentinel),
    wrong: (outputs) =>
      firstMismatch(reference, ({ name }) => outputs[expected.findIndex(({ parameter }) => parameter.name === name)]!),
    describe: (text) => `${text}\n${JSON.stringify(op.parameters)}\n${printTrace(trace)}`,
  };
}
