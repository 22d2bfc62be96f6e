// A tensorized GEMM with random extents → its kernel for a target, with what the reference makes of the inputs.

import { generateC, printTrace, schedule, type Target } from "../../src/compiler/index.ts";
import { lower } from "../../src/compiler/lower/pipeline.ts";
import { createRng } from "../../src/tuner/rng.ts";
import { narrowGemm, type TileBlock, tensorizedTile, tileBlock } from "../compiler/intrinsic/tensorized-gemm.ts";
import { firstMismatch, referenceOf } from "../support/reference.ts";
import type { EmulatedKernel } from "./run-emulated.ts";

export interface TensorizedCase {
  readonly intrinsic: string;
  readonly a: "u8" | "i8" | "i16" | "bf16";
  readonly b: "u8" | "i8" | "i16" | "bf16";
  readonly group: number;
  /** What tiles are added up in; left out where the instruction is on vectors. */
  readonly tiles?: TileBlock["sum"];
}

export function tensorizedKernel(
  { intrinsic, a, b, group, tiles }: TensorizedCase,
  target: Target,
  seed: number,
): EmulatedKernel {
  const rng = createRng(seed);
  const extent = (): number => 1 + rng.below(37);
  const [M, N, K] = [extent(), extent(), extent() + (tiles ? 16 * group * rng.below(3) : 0)];
  const op = narrowGemm(M, N, K, a, b);
  const reference = referenceOf(op, rng);
  const { expected } = reference;
  const [rows, columns] = [1 + rng.below(4), 1 + rng.below(2)];
  const trace = tiles
    ? tileBlock({ intrinsic, group, sum: tiles, rows, columns }, K)
    : tensorizedTile({ intrinsic, lanes: 16, group, rows, vectors: columns, widen: null });
  const flat = lower(schedule(reference.naive, trace), { target, numerics: "fast" });
  return {
    family: intrinsic,
    source: generateC({ ...flat, name: `${flat.name}_${seed}` }, target, { numerics: "fast" }),
    inputs: reference.inputs,
    sentinels: expected.map(({ sentinel }) => sentinel),
    wrong: (outputs) =>
      firstMismatch(reference, ({ name }) => outputs[expected.findIndex(({ parameter }) => parameter.name === name)]!),
    describe: (text) => `${text}\n${JSON.stringify(op.parameters)}\n${printTrace(trace)}`,
  };
}
